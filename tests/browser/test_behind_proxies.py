"""The lab below a path, behind a proxy that changes the host, and in a frame: Debian's nginx and Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx
import pytest

from lessons import frames
from lessons.text import words
from tests.browser.idle import wait_until_idle
from tests.browser.served import Server, running
from tests.browser.steps import OPERATIONS, OpenPage, WaitIdle, pasted, press
from tests.browser.test_accessibility import PAGES
from tests.browser.test_memory import GUESS, RAN
from tests.deployed import free_port, location, readme_location

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, FrameLocator, Locator, Page

WEBSOCKETS = "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
LENGTHS = "prompt_tokens,output_tokens\n512,338\n100,20\n"
APP = "tests/browser/memory_app.py"  # the lab, with short studies
OPENED = {**PAGES, "memory": f"/memory?memory={RAN}"}
WITHOUT_FIGURES = {"report", "library"}
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
    """The README's nginx: the lab knows its path, or nginx takes the path away."""
    folder = tmp_path_factory.mktemp("below")
    with ExitStack() as stack:
        if request.param == "stripped":
            lab, path, target = request.getfixturevalue("serve")(APP), "/proxy/8501/", "{}/"
        else:
            lab = stack.enter_context(running(APP, folder / "lab.txt", STREAMLIT_SERVER_BASE_URL_PATH="kvlab"))
            path, target = "/kvlab/", "{}"
        root = stack.enter_context(location(folder / "nginx", readme_location(path, target.format(lab.url))))
        yield Below(Server(root + path.rstrip("/"), lab.log, lab.pid), root)


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


def test_ready_is_honest_below_a_path(below: Below) -> None:
    def ask(url: str) -> tuple[int, str]:
        answer = httpx.get(url, trust_env=False)
        return answer.status_code, answer.text

    assert ask(f"{below.lab.url}/ready") == (200, "ready")
    assert ask(f"{below.lab.url}/elsewhere/ready")[0] == 404


def test_links_back_codes_and_files_below_a_path(
    open_page: OpenPage, wait_idle: WaitIdle, below: Below, tmp_path: Path
) -> None:
    say, base = words("en"), below.lab.url
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
    assert link.startswith(f"{base}/task?run=4.used")
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


def upload(page: Page, place: Page | FrameLocator) -> None:
    """Upload a file on /memory, and wait for the server's yes."""
    file = {"name": "lengths.csv", "mimeType": "text/csv", "buffer": LENGTHS.encode()}
    with page.expect_response(
        lambda answer: "/_stcore/upload_file/" in answer.url and answer.request.method == "PUT"
    ) as put:
        place.locator('input[type="file"]').set_input_files(file)  # type: ignore[arg-type]
    assert put.value.status in (200, 204)
