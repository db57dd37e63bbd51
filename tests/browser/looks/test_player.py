"""The player between the browser and a server that is late, says no, or answers otherwise than what came ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.looks.components import said, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

WaitIdle = Callable[["Page"], None]
# In one go, so that no answer of the server comes between: presses, then what the player says and its position.
PRESSES = """(presses) => {
  for (const press of presses) {
    if (press.startsWith("!")) document.querySelector(`[data-operation="${press.slice(1)}"]`).click();
    else if (press === "another") [...document.querySelectorAll("button")].find((b) => b.innerText === press).click();
    else document.dispatchEvent(new KeyboardEvent("keydown", { key: press, bubbles: true }));
  }
  return document.querySelector(".pkl-caption").textContent;
}"""


@pytest.fixture
def open_player(open_page: Callable[..., Page], serve: Callable[[str], Any]) -> Callable[..., Page]:
    """The page with the player, drawn."""

    def opened(query: str = "") -> Page:
        page = open_page(f"/{query}", app=serve("tests/browser/looks/player_app.py"))
        page.locator(".pkl-stage .main-svg").first.wait_for()
        page.wait_for_function("() => window.pagedKvLabChunks?.has(window.pagedKvLabAhead?.chunk)")  # comes last
        return page

    return opened


def do(page: Page, *presses: str) -> str:
    """Press these at once; what the player shows before any answer."""
    return str(page.evaluate(PRESSES, list(presses)))


def shown(page: Page) -> str:
    return page.locator(".pkl-caption").inner_text()


def test_a_press_is_drawn_at_once_and_the_server_has_the_last_word(open_player: Any, wait_idle: WaitIdle) -> None:
    """The frame that came along is shown before any answer; where the server's differs, the server's is drawn."""
    page = open_player()
    assert do(page, "!append") == "4 guess"
    page.get_by_text("4 true", exact=True).wait_for()
    wait_idle(page)
    assert (said(page, "presses"), said(page, "at"), said(page, "seeks")) == ("[('append', 3, '3')]", "4", "")
    assert page.locator('.pkl-stage [role="img"]').get_attribute("aria-label") == "4 true"


# The first thing that the player says after another operation's button was pressed. The press waits for the frames as
# long as a slow machine takes, instead of 150 ms.
FIRST = """async () => {
  const caption = document.querySelector(".pkl-caption");
  const before = caption.textContent;
  const real = (window.realTimeout ??= setTimeout);
  window.setTimeout = (call, ms, ...rest) => real(call, ms === 150 ? 9000 : ms, ...rest);
  document.querySelector("[data-operation=other]").click();
  while (caption.textContent === before) await new Promise((done) => setTimeout(done));
  return caption.textContent;
}"""


def test_another_operation_is_drawn_before_the_page_answers(open_player: Any, wait_idle: WaitIdle) -> None:
    """Its frames are fetched. The server has the last word, and the only one where they cannot be fetched."""
    page = open_player()
    assert page.evaluate(FIRST) == "4 fetched"
    page.get_by_text("4 true", exact=True).wait_for()
    wait_idle(page)
    assert (said(page, "presses"), said(page, "at"), said(page, "seeks")) == ("[('other', 3, '3')]", "4", "")
    page.route("**/ahead/**", lambda route: route.fulfill(status=204))
    assert page.evaluate(FIRST) == "5 true"
    wait_idle(page)
    assert said(page, "presses") == "[('other', 3, '3'), ('other', 4, '4')]"


# Twenty: five operations more, and then the place after the first of all.
MIXED = (
    *("!other", "ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight", "!append", "ArrowLeft", "Home", "ArrowRight"),
    *("End", "!other", "ArrowLeft", "End", "!append", "!other", "ArrowLeft", "End", "ArrowLeft", "Home", "ArrowRight"),
)


def test_quick_presses_are_all_honoured_in_their_order(open_player: Any, wait_idle: WaitIdle) -> None:
    """Steps and operations, none of which waits for the frames of the one before; nor if no frames can be fetched."""
    page = open_player()
    expected: list[tuple[str, int, str]] = []
    for before in (3, 8):
        do(page, *MIXED)
        wait_for(page, "at=1")
        wait_idle(page)
        operations = [press[1:] for press in MIXED if press.startswith("!")]
        expected += [(name, before + i, str(before + i)) for i, name in enumerate(operations)]
        assert (said(page, "presses"), shown(page)) == (str(expected), "1 true")
        do(page, "End")
        wait_for(page, f"at={before + 5}")
        wait_idle(page)
        page.route("**/ahead/**", lambda route: route.fulfill(status=204))


@pytest.mark.thorough
def test_a_refused_press_is_taken_back(open_player: Any, wait_idle: WaitIdle) -> None:
    """The log stays as it was, and so does the place."""
    page = open_player("?refuse=1")
    assert do(page, "!refuse") == "4 guess"
    page.get_by_text("3 true", exact=True).wait_for()
    wait_idle(page)
    assert page.locator(".pkl-forward").get_attribute("aria-disabled") == "true"
    assert said(page, "at") == "3"


@pytest.mark.thorough
def test_steps_during_a_press_are_not_undone_by_its_answer(open_player: Any, wait_idle: WaitIdle) -> None:
    """The answer says that the new end is in view; the learner has gone on meanwhile, and the server follows."""
    page = open_player()
    assert do(page, "!append", "ArrowLeft", "ArrowLeft") == "2 true"
    wait_for(page, "at=2")
    wait_idle(page)
    assert (shown(page), said(page, "seeks")) == ("2 true", "2")


@pytest.mark.thorough
def test_quick_steps_are_one_report(open_player: Any, wait_idle: WaitIdle) -> None:
    page = open_player()
    assert do(page, "ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowLeft") == "0 start"
    wait_for(page, "at=0")
    wait_idle(page)
    assert said(page, "seeks") == "0"
    do(page, "ArrowRight", "ArrowLeft")  # back before the rest: nothing to report
    wait_idle(page)
    assert said(page, "seeks") == "0"


@pytest.mark.thorough
def test_an_older_place_that_the_server_still_has_is_ignored(open_player: Any, wait_idle: WaitIdle) -> None:
    """Another control's answer comes while the place is not reported yet, or its report is under way."""
    page = open_player()
    assert do(page, "ArrowLeft", "another", "ArrowLeft") == "1 true"
    wait_for(page, "at=1")
    wait_idle(page)
    assert shown(page) == "1 true"
    assert said(page, "presses").startswith("[('another', 3, '")


def test_an_operation_is_meant_for_what_is_in_view(open_player: Any, wait_idle: WaitIdle) -> None:
    """The place goes with the press; where operations wait at the end, the buttons know it at once."""
    page = open_player("?free=1")
    do(page, "ArrowLeft", "!other")
    wait_for(page, "presses=[('other', 3, '2')]")
    wait_idle(page)
    assert said(page, "seeks") == "2"
    page = open_player()
    do(page, "ArrowLeft", "!append")
    assert page.locator('[data-operation="append"]').get_attribute("aria-disabled") == "true"
    wait_for(page, "at=2")
    assert said(page, "presses") == "[]"
    assert do(page, "ArrowRight", "!append") == "4 guess"
    page.get_by_text("4 true", exact=True).wait_for()
    assert said(page, "presses") == "[('append', 3, '3')]"


@pytest.mark.thorough
def test_frames_are_sent_once_and_again_if_they_are_lost(open_player: Any, wait_idle: WaitIdle) -> None:
    """After a report the server sends only what is new; a browser that has dropped its frames asks for them."""
    page = open_player()
    do(page, "ArrowLeft")
    wait_for(page, "at=2")
    wait_idle(page)
    do(page, "ArrowRight")
    page.evaluate("() => (document.querySelector('[data-operation=append]').click(), window.pagedKvLabChunks.clear())")
    page.get_by_text("4 true", exact=True).wait_for()
    page.wait_for_function("() => window.pagedKvLabChunks.size > 4")
    wait_idle(page)
    do(page, "ArrowLeft")
    page.get_by_text("3 true", exact=True).wait_for()
