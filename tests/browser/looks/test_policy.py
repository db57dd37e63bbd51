"""No page breaks the content security policy or asks anybody but its server, and the policy stops what it must."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.served import Server
from tests.browser.steps import EVERYTHING, OpenPage, WaitIdle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

# The task in the middle of things, and pages with fields, an upload, an animation. That no page at all complains or
# asks anybody else, the witness of ``open_page`` sees where test_accessibility.py opens each of them.
PATHS = ("/", EVERYTHING, "/library", "/intuition?intuition=01-20_4.7")
COLLECT = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""


def violations(page: Page) -> list[str]:
    return list(page.evaluate("() => window.violations"))


@pytest.mark.thorough
def test_pages_keep_the_policy_and_work_offline(open_page: OpenPage, wait_idle: WaitIdle, server: Server) -> None:
    """With everybody else out of reach. The witness of ``open_page`` sees to the console as well."""
    page = open_page(PATHS[0], init_script=COLLECT)
    foreign: list[str] = []

    def out_of_reach(route: Route) -> None:
        foreign.append(route.request.url)
        route.abort()

    page.context.route(lambda url: not url.startswith(f"{server.url}/"), out_of_reach)
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    found: dict[str, list[str]] = {}
    for path in PATHS:
        page.goto(server.url + path)
        wait_idle(page)
        page.locator("h1").first.wait_for()
        if broken := violations(page):
            found[path] = broken
    assert found == {}
    assert foreign == []
    assert len(sockets) >= len(PATHS)
    assert {urlsplit(url).netloc for url in sockets} == {urlsplit(server.url).netloc}


# Not among the rest: what a test evaluates itself may evaluate, too.
EVAL = "setTimeout(() => eval('window.got = 1'));"
ATTEMPTS = {
    "script-src-elem": "const s = document.createElement('script'); s.text = 'window.got = 1'; document.body.append(s)",
    "script-src-attr": "document.body.insertAdjacentHTML('beforeend', '<img src=nothing onerror=\"window.got = 1\">')",
    "connect-src": "fetch('http://127.0.0.1:9/').then(() => { window.got = 1 }, () => {})",
    "img-src": "new Image().src = 'http://127.0.0.1:9/picture.png'",
    "form-action": "document.body.insertAdjacentHTML('beforeend', '<form action=/elsewhere id=f>'); f.submit()",
    "base-uri": "document.head.append(Object.assign(document.createElement('base'), {href: '/elsewhere/'}))",
    "frame-src": "document.body.insertAdjacentHTML('beforeend', '<iframe src=/>')",
}


def test_the_policy_stops_what_a_page_of_ours_never_does(
    chromium: Browser, server: Server, wait_idle: WaitIdle
) -> None:
    """In a page whose console may complain."""
    context = chromium.new_context()
    try:
        context.add_init_script(COLLECT + EVAL)
        page = context.new_page()
        page.goto(server.url)
        wait_idle(page)
        for attempt in ATTEMPTS.values():
            page.evaluate(f"() => {{ {attempt} }}")
        stopped = {"script-src", *ATTEMPTS}
        count = "count => new Set(window.violations.map((each) => each.split(' ')[0])).size >= count"
        page.wait_for_function(count, arg=len(stopped))
        assert {each.split()[0] for each in violations(page)} == stopped
        assert page.evaluate("() => window.got") is None
        page.goto("about:blank")  # no other page may frame the lab
        page.set_content(f"<iframe src='{server.url}'></iframe>")
        page.frames[-1].wait_for_url("chrome-error:**")
    finally:
        context.close()
