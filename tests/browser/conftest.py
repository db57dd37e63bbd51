"""A real server and a real Chromium for the tests in this folder.

``serve(app_file)`` starts a server for an app file; ``server`` is the lab's own. ``open_page(path, ...)`` opens a page
in a fresh browser context and at the end of the test demands a quiet console and no request to anyone else.
"""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90.0
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Streamlit probes these below the path of a deep link, where they do not exist, and the browser reports each 404.
PROBES = ("_stcore/health", "_stcore/host-config")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs Chromium and a running server")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def _missing(reason: str) -> NoReturn:
    """Skip where a developer lacks the browser; fail where the browser tests are the point."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}, and CI is set", pytrace=False)
    pytest.skip(reason)


def _need(module: str) -> Any:
    """A module that only these tests use."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        _missing(f"the Python package of {module} is not installed")


# ------------------------------------------------------------------ server


@dataclass(frozen=True)
class Server:
    """A running app: its address and the file that gets its output."""

    url: str
    log: Path


@contextmanager
def _running(app_file: str, log: Path) -> Iterator[Server]:
    """Run ``streamlit run app_file`` in the repository's root until the block ends; ready when /ready says so."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", app_file, "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _is_ready(url):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{app_file} did not get ready:\n{log.read_text()[-4000:]}", pytrace=False)
            time.sleep(0.1)
        yield Server(url, log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Start an app file (a path from the repository's root), once for all tests."""
    servers: dict[str, Server] = {}
    with ExitStack() as stack:

        def start(app_file: str) -> Server:
            if app_file not in servers:
                log = tmp_path_factory.mktemp("server") / "log.txt"
                servers[app_file] = stack.enter_context(_running(app_file, log))
            return servers[app_file]

        yield start


@pytest.fixture(scope="session")
def server(serve: Callable[[str], Server]) -> Server:
    """The lab itself."""
    return serve("app.py")


# ------------------------------------------------------------------ browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests; every page gets its own context."""
    sync_playwright = _need("playwright.sync_api").sync_playwright
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        _missing("no chromium on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@dataclass
class _Witness:
    """What a page did that it should not have done."""

    origin: str
    loads: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append((f"uncaught: {error}", page.url)))
        page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append((message.text, message.location.get("url", "")))

    def _request(self, request: Request) -> None:
        if request.is_navigation_request():
            self.loads.append(request.url)
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.foreign.append(request.url)

    def verdict(self) -> list[str]:
        """Everything objectionable: all but Streamlit's own two probes at each load of a deep link."""
        allowed = [
            f"{load.split('?')[0]}/{probe}" for load in self.loads if urlsplit(load).path != "/" for probe in PROBES
        ]
        complaints = [f"request to {url}" for url in self.foreign]
        for text, url in self.errors:
            if "404" in text and url in allowed:
                allowed.remove(url)
            else:
                complaints.append(f"{text} ({url})")
        return complaints


OpenPage = Callable[..., "Page"]


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Open ``path`` of the lab (or of ``app``, another Server) and wait until it is idle.

    ``context`` puts the page into the context of an earlier one, as a second tab.
    """
    contexts: list[BrowserContext] = []
    witnesses: list[_Witness] = []

    def open_(
        path: str = "/",
        *,
        app: Server | None = None,
        viewport: tuple[int, int] = (1280, 900),
        locale: str = "en-US",
        color_scheme: str = "light",
        reduced_motion: str = "no-preference",
        context: BrowserContext | None = None,
        init_script: str | None = None,
    ) -> Page:
        base = (app or request.getfixturevalue("server")).url
        if context is None:
            context = chromium.new_context(
                viewport={"width": viewport[0], "height": viewport[1]},
                locale=locale,
                color_scheme=color_scheme,  # type: ignore[arg-type]
                reduced_motion=reduced_motion,  # type: ignore[arg-type]
            )
            contexts.append(context)
            if init_script is not None:
                context.add_init_script(init_script)
        page = context.new_page()
        witness = _Witness(base)
        witnesses.append(witness)
        witness.watch(page)
        page.goto(base + path)
        wait_until_idle(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    complaints = [complaint for witness in witnesses for complaint in witness.verdict()]
    assert not complaints, "\n".join(complaints)


_IDLE = """(quiet) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const idle = app?.dataset.testScriptState === "notRunning" && app.dataset.testConnectionState === "CONNECTED"
    && !document.querySelector('[data-testid="stSkeleton"]');
  const now = performance.now();
  if (!idle || window.__busySeen === undefined) window.__busySeen = now;
  return idle && now - window.__busySeen >= quiet;
}"""


def wait_until_idle(page: Page, quiet_ms: int = 250) -> None:
    """Wait until Streamlit is connected and has run nothing for a moment.

    The moment is needed: a widget's click reaches the server before the page says that a script runs.
    """
    page.evaluate("() => { window.__busySeen = undefined }")
    page.wait_for_function(_IDLE, arg=quiet_ms, timeout=30_000)


@pytest.fixture
def wait_idle() -> Callable[..., None]:
    """See ``wait_until_idle``."""
    return wait_until_idle


@pytest.fixture
def axe() -> Callable[[Page], list[dict[str, Any]]]:
    """Check a page with axe: return its violations, after asserting that there are none."""
    axe_script = _need("axe_playwright_python.sync_playwright").Axe()

    def check(page: Page) -> list[dict[str, Any]]:
        # axe passes over text that is scrolled out of sight inside a container, as Streamlit's page is: show it all.
        before = page.viewport_size or {"width": 1280, "height": 900}
        tall = int(page.evaluate("Math.max(...[...document.querySelectorAll('*')].map(e => e.scrollHeight))"))
        page.set_viewport_size({"width": before["width"], "height": tall + 200})
        wait_until_idle(page)
        violations: list[dict[str, Any]] = axe_script.run(page).response["violations"]
        page.set_viewport_size({"width": before["width"], "height": before["height"]})
        lines = [
            f"{violation['id']}: {violation['help']}\n    {node['html'][:200]}\n    {node.get('failureSummary', '')}"
            for violation in violations
            for node in violation["nodes"]
        ]
        assert not violations, "\n".join(lines)
        return violations

    return check
