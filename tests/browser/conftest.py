"""A real server and a real Chromium for the tests in this folder.

``serve(app_file)`` starts a server for an app file; ``server`` is the lab's own. ``open_page(path, ...)`` opens a page
in a browser that remembers nothing and at the end of the test demands a quiet console and no request to anyone else.
"""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from tests.browser.cut import wire
from tests.browser.emptied import emptied
from tests.browser.idle import wait_until_idle
from tests.browser.looks.components import FIRST_MARKER
from tests.browser.room import Room
from tests.browser.served import Server, running
from tests.browser.witness import Witness

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs Chromium and a running server")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # A busy machine may keep a browser from its answer for half a minute. What is broken fails again, and the
            # summary names what was run twice. Not so where a fault is the point: a second run would hide a race that
            # loses a student's work now and then.
            if item.get_closest_marker("once") is None:
                item.add_marker(pytest.mark.flaky(reruns=1))


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


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Start an app file (a path from the repository's root), once for all tests."""
    servers: dict[str, Server] = {}
    with ExitStack() as stack:

        def start(app_file: str) -> Server:
            if app_file not in servers:
                log = tmp_path_factory.mktemp("server") / "log.txt"
                database = f"sqlite:///{log.with_name('classes.db')}"
                servers[app_file] = stack.enter_context(running(app_file, log, LAB_DATABASE=database))
            return servers[app_file]

        yield start


@pytest.fixture(scope="session")
def server(serve: Callable[[str], Server]) -> Server:
    """The lab itself."""
    return serve("app.py")


# ------------------------------------------------------------------ browser


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests; every page has a context of its own."""
    sync_playwright = _need("playwright.sync_api").sync_playwright
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        _missing("no chromium on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


OpenPage = Callable[..., "Page"]
Kind = tuple[str, str]  # locale, watching: what a context has for good


@pytest.fixture(scope="session")
def emptied_pages(chromium: Browser) -> dict[Kind, list[Page]]:
    """Pages that earlier tests have left, for later tests to use.

    A new context, with its window and its process that has yet to compile Streamlit's scripts, takes four times the
    computing of an address opened in an old one.
    """
    return {}


@pytest.fixture
def open_page(
    chromium: Browser, emptied_pages: dict[Kind, list[Page]], request: pytest.FixtureRequest
) -> Iterator[OpenPage]:
    """Open ``path`` of the lab (or of ``app``, another Server) and wait until it is idle.

    ``context`` puts the page into the context of an earlier one, as a second tab. ``init_script`` runs before each
    page's own scripts and is one test's own; ``watching`` is one that many tests share, with the pages that have it.
    """
    contexts: list[BrowserContext] = []
    pages: list[tuple[Kind, Page, str]] = []
    witnesses: list[Witness] = []

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
        watching: str = "",
    ) -> Page:
        base = (app or request.getfixturevalue("server")).url
        kind = locale, watching
        if context is not None:
            page = context.new_page()
        elif init_script is None and emptied_pages.get(kind):
            page = emptied_pages[kind].pop()
            pages.append((kind, page, base))
        else:
            context = chromium.new_context(locale=locale)
            for script in (watching, init_script):
                if script:
                    context.add_init_script(script)
            page = context.new_page()
            if init_script is not None:
                contexts.append(context)
            else:
                pages.append((kind, page, base))
        page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
        page.emulate_media(  # all of it, since an earlier test may have left its own
            media="screen",
            forced_colors="none",
            color_scheme=color_scheme,  # type: ignore[arg-type]
            reduced_motion=reduced_motion,  # type: ignore[arg-type]
        )
        witness = Witness(base)
        witnesses.append(witness)
        witness.watch(page)
        page.goto(base + path)
        wait_until_idle(page)
        return page

    yield open_
    for witness in witnesses:
        witness.leave()
    for context in contexts:
        context.close()
    for kind, page, origin in pages:
        if emptied(page, origin):
            emptied_pages.setdefault(kind, []).append(page)
    complaints = [complaint for witness in witnesses for complaint in witness.verdict()]
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def wait_idle() -> Callable[..., None]:
    """See ``wait_until_idle``."""
    return wait_until_idle


@pytest.fixture
def behind_wire(chromium: Browser) -> Iterator[Callable[[Server], Room]]:
    """Students before a server, with a wire between."""
    with ExitStack() as stack:
        made: list[Room] = []

        def behind(server: Server) -> Room:
            made.append(Room(chromium, stack.enter_context(wire(server.url)), stack))
            return made[-1]

        yield behind
        assert [error for each in made for error in each.errors] == []


@pytest.fixture
def open_components(open_page: OpenPage, serve: Callable[[str], Server]) -> OpenPage:
    """Open the page that holds one of each component, its figure drawn."""

    def open_(path: str = "/", **options: Any) -> Page:
        page = open_page(path, app=serve("tests/browser/looks/components_app.py"), **options)
        if path == "/":
            page.wait_for_selector(FIRST_MARKER)
        return page

    return open_


# Without Plotly's hidden box for measuring texts, which is 9000 pixels high.
_HEIGHT = "Math.max(...[...document.querySelectorAll('*:not(#js-plotly-tester)')].map(e => e.scrollHeight))"


@pytest.fixture
def axe() -> Callable[[Page], list[dict[str, Any]]]:
    """Check a page with axe: return its violations, after asserting that there are none.

    ``within``: only this element, where all around it has been checked before and stays.
    """
    axe_script = _need("axe_playwright_python.sync_playwright").Axe()

    def check(page: Page, within: str | None = None) -> list[dict[str, Any]]:
        # axe passes over text that is scrolled out of sight inside a container, as Streamlit's page is: show it all.
        before = page.viewport_size or {"width": 1280, "height": 900}
        tall = int(page.evaluate(_HEIGHT))
        if tall > before["height"]:
            page.set_viewport_size({"width": before["width"], "height": tall + 200})
            wait_until_idle(page)
        violations: list[dict[str, Any]] = axe_script.run(page, within).response["violations"]
        page.set_viewport_size({"width": before["width"], "height": before["height"]})
        lines = [
            f"{violation['id']}: {violation['help']}\n    {node['html'][:200]}\n    {node.get('failureSummary', '')}"
            for violation in violations
            for node in violation["nodes"]
        ]
        assert not violations, "\n".join(lines)
        return violations

    return check
