"""The lab below a path, behind a proxy that changes the host, and in a frame: Debian's nginx and Chromium."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from lessons.server import frames
from lessons.text.translations import get_translations
from tests.browser.idle import wait_until_idle
from tests.browser.journeys.test_memory import GUESS, RAN
from tests.browser.looks.test_accessibility import PAGES
from tests.browser.served import ROOT, Server, running
from tests.browser.steps import OPERATIONS, OpenPage, WaitIdle, pasted, press
from tests.server.deployed import free_port, location, readme_location

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Frame, Locator, Page

WEBSOCKETS = "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
LENGTHS = "prompt_tokens,output_tokens\n512,338\n100,20\n"
APP = "tests/browser/memory_app.py"  # the lab, with short studies
OPENED = {**PAGES, "memory": f"/memory?memory={RAN}"}
WITHOUT_FIGURES = {"report", "library", "classroom", "join", "course_reports"}
# Whether every picture that is in view is drawn.
DRAWN = """() => {
  const inView = (e) => e.checkVisibility() && e.clientWidth > 0;
  const wanted = [...document.querySelectorAll(".pkl-plot > [role=img]")].filter(inView);
  return wanted.every((e) => e.querySelector(".main-svg"));
}"""


# ------------------------------------------------------------------ below a path


@dataclass(frozen=True)
class Below:
    """The lab at an address with a path, and the address that nginx itself has."""

    lab: Server
    root: str


@pytest.fixture(scope="module", params=["base path", "stripped"])
def below(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Below]:
    """The nginx of assets/deploy/README.md: the lab knows its path, or nginx takes the path away."""
    folder = tmp_path_factory.mktemp("below")
    with ExitStack() as stack:
        if request.param == "stripped":
            lab, path, target = request.getfixturevalue("serve")(APP), "/proxy/8501/", "{}/"
        else:
            lab = stack.enter_context(running(APP, folder / "lab.txt", STREAMLIT_SERVER_BASE_URL_PATH="kvlab"))
            path, target = "/kvlab/", "{}"
        root = stack.enter_context(location(folder / "nginx", readme_location(path, target.format(lab.url))))
        yield Below(Server(root + path.rstrip("/"), lab.log, lab.pid), root)


@pytest.mark.thorough
def test_every_page_draws_its_figures_below_a_path(open_page: OpenPage, wait_idle: WaitIdle, below: Below) -> None:
    """The witness of ``open_page`` sees every request that leaves the path, and every one that fails."""
    page = open_page("/", app=below.lab)
    for name, path in OPENED.items():
        page.goto(below.lab.url + path)
        wait_idle(page)
        page.locator("h1").first.wait_for()
        if name not in WITHOUT_FIGURES:
            page.locator(".js-plotly-plot .main-svg").first.wait_for()
        page.wait_for_function(DRAWN)


@pytest.mark.thorough
def test_ready_is_honest_below_a_path(below: Below) -> None:
    def ask(url: str) -> tuple[int, str]:
        answer = httpx.get(url, trust_env=False)
        return answer.status_code, answer.text

    assert ask(f"{below.lab.url}/ready") == (200, "ready")
    assert ask(f"{below.lab.url}/elsewhere/ready")[0] == 404


@pytest.mark.thorough
def test_links_back_codes_and_files_below_a_path(
    open_page: OpenPage, wait_idle: WaitIdle, below: Below, tmp_path: Path
) -> None:
    say, base = get_translations("en"), below.lab.url
    page = open_page("/", app=below.lab)
    page.get_by_role("link", name=say.text("site.nav_task")).first.click()
    page.get_by_role("heading", name=say.text("task.title"), level=1).wait_for()
    assert page.url.startswith(f"{base}/task")
    page.go_back()
    page.get_by_role("heading", name=say.text("start.title"), level=1).wait_for()
    wait_idle(page)
    assert page.url.split("?")[0] == f"{base}/"
    page.goto(f"{base}/task?run=4.used_P3-1-1-0-1-7-100000_")
    wait_idle(page)
    press(page, OPERATIONS[0])
    wait_idle(page)
    page.reload()
    wait_idle(page)
    assert "_aA" in page.url
    page.get_by_role("button", name=say.text("site.copy_link")).click()
    page.get_by_text(say.text("site.link_copied")).wait_for()
    link = pasted(page)
    assert link.startswith(f"{base}/task?run=2.task.4.used")
    page.goto(link)
    wait_idle(page)
    assert "_aA" in page.url
    page.goto(f"{base}/report?run=4.used_P3-1-1-0-1-7-100000_aA")
    wait_idle(page)
    with page.expect_download() as waiting:
        page.locator("[data-testid=stDownloadButton] button").first.click()
    waiting.value.save_as(tmp_path / "file")
    assert (tmp_path / "file").stat().st_size > 100
    page.goto(f"{base}{PAGES['sandbox']}")
    wait_idle(page)
    page.locator(".st-key-show_qr button").click()
    page.locator(".kv-qr figcaption").get_by_text(f"{base}/sandbox?").wait_for()
    page.goto(f"{base}/memory?memory={GUESS}.own")
    wait_idle(page)
    upload(page, page)


def upload(page: Page, place: Page | Frame) -> None:
    """Upload a file on /memory, and wait for the server's yes."""
    file = {"name": "lengths.csv", "mimeType": "text/csv", "buffer": LENGTHS.encode()}
    with page.expect_response(
        lambda answer: "/_stcore/upload_file/" in answer.url and answer.request.method == "PUT"
    ) as put:
        place.locator('input[type="file"]').set_input_files(file)  # type: ignore[arg-type]
    assert put.value.status in (200, 204)


# ------------------------------------------------------------------ a proxy that is in the way


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address in a browser of its own, whose console may complain."""
    contexts: list[BrowserContext] = []

    def open_(url: str, **options: Any) -> Page:
        contexts.append(chromium.new_context(**{"locale": "en-US", **options}))
        page = contexts[-1].new_page()
        page.goto(url)
        return page

    yield open_
    for context in contexts:
        context.close()


def told(page: Page) -> Locator:
    """What the page says about its connection."""
    return page.locator("#connection[role=alert]")


@pytest.mark.thorough
def test_a_refused_connection_is_told_on_the_page_and_in_the_log(
    visit: Callable[..., Page], serve: Callable[[str], Server], tmp_path: Path
) -> None:
    """A name that is no name of this machine: the lab takes any page from localhost for its own."""
    lab = serve(APP)
    host = urlsplit(lab.url).netloc
    with location(tmp_path, f"location / {{ proxy_pass {lab.url}; {WEBSOCKETS} }}") as root:
        origin = root.replace("127.0.0.1", "lab.localhost")
        for language, locale, query in (("en", "en-US", ""), ("zh", "zh-CN", ""), ("zh", "en-US", "?lang=zh")):
            page = visit(f"{origin}/task{query}", locale=locale)
            sentence = get_translations(language).text("connection.refused", origin=origin, host=host)  # type: ignore[arg-type]
            told(page).get_by_text(sentence, exact=True).wait_for()
            assert told(page).get_attribute("lang") == language
    lines = [line for line in lab.log.read_text().splitlines() if origin in line]
    assert len(lines) == 1, "once, however often the page tries again"
    assert f"{origin!r}" in lines[0]
    assert f"{host!r}" in lines[0]
    assert "--server.corsAllowedOrigins" in lines[0]
    assert "without completing handshake" not in lab.log.read_text()


@pytest.mark.thorough
def test_a_named_origin_is_the_labs_own(visit: Callable[..., Page], tmp_path: Path) -> None:
    """What the sentence advises helps, uploads included; other origins are still refused, and nobody is asked."""
    port = free_port()
    origin = f"http://lab.localhost:{port}"
    with ExitStack() as stack:
        variables = {"STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS": origin}
        lab = stack.enter_context(running(APP, tmp_path / "lab.txt", **variables))
        text = f"location / {{ proxy_pass {lab.url}; {WEBSOCKETS} }}"
        stack.enter_context(location(tmp_path / "nginx", text, port))
        page = visit(f"{origin}/memory?memory={GUESS}.own")
        wait_until_idle(page)
        upload(page, page)
        other = visit(f"http://other.localhost:{port}/")
        told(other).get_by_text(f"http://other.localhost:{port}").first.wait_for()
        assert told(page).count() == 0


@pytest.mark.thorough
def test_a_connection_that_comes_late_takes_the_sentence_away(
    visit: Callable[..., Page], serve: Callable[[str], Server], tmp_path: Path
) -> None:
    port = free_port()
    with location(tmp_path / "without", f"location / {{ proxy_pass {serve(APP).url}; }}", port) as root:
        page = visit(f"{root}/task")
        told(page).get_by_text(get_translations("en").text("connection.no_websocket"), exact=True).wait_for()
    with location(tmp_path / "with", f"location / {{ proxy_pass {serve(APP).url}; {WEBSOCKETS} }}", port):
        wait_until_idle(page)
        told(page).wait_for(state="detached")


@pytest.mark.thorough
def test_a_path_that_the_lab_does_not_know_is_told(
    visit: Callable[..., Page], serve: Callable[[str], Server], tmp_path: Path
) -> None:
    """Streamlit then answers its scripts' addresses with the page: nothing of the page but this ever runs."""
    with location(tmp_path, f"location /kvlab/ {{ proxy_pass {serve(APP).url}; {WEBSOCKETS} }}") as root:
        page = visit(f"{root}/kvlab/task", locale="zh-CN")
        told(page).get_by_text(get_translations("zh").text("connection.no_scripts"), exact=True).wait_for()
        assert httpx.get(f"{root}/kvlab/ready", trust_env=False).status_code == 404


# ------------------------------------------------------------------ frames


@contextmanager
def course_site() -> Iterator[str]:
    """A server whose page holds in a frame what its address names; its origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            framed = escape(unquote(urlsplit(self.path).query))
            self.wfile.write(f'<!doctype html><iframe src="{framed}" width="1200" height="800"></iframe>'.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.thorough
def test_only_a_page_that_is_named_may_hold_the_lab(visit: Callable[..., Page], tmp_path: Path) -> None:
    """The lab at 127.0.0.1 is another site for a page at localhost; an upload works in its frame."""
    with ExitStack() as stack:
        named, other = (stack.enter_context(course_site()) for _ in range(2))
        lab = stack.enter_context(running(APP, tmp_path / "lab.txt", **{frames.VARIABLE: named}))
        address = f"{lab.url}/memory?memory={GUESS}.own"
        page = visit(f"{named}/?{address}")
        frame = page.frames[-1]
        frame.locator("h1").first.wait_for()
        wait_until_idle(frame)
        upload(page, frame)
        cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
        assert cookies["_streamlit_xsrf"]["sameSite"] == "None"
        assert cookies["_streamlit_xsrf"]["secure"]
        refused = visit(f"{other}/?{address}")
        refused.frames[-1].wait_for_url("chrome-error:**")
        assert "X-Frame-Options" not in httpx.get(lab.url, trust_env=False).headers


def test_a_frame_that_cannot_be_meant_ends_the_start_with_a_sentence() -> None:
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={free_port()}"]
    environment = {**os.environ, frames.VARIABLE: "https://*.example"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "LAB_FRAME_ANCESTORS: 'https://*.example' is not an exact origin." in ended.stderr
    assert "Traceback" not in ended.stderr
