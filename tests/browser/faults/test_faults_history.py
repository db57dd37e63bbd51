"""Back, Forward and links while an answer is on its way, or the line is cut: the page is that of the address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from lessons.text.translations import get_translations
from tests.browser.idle import wait_until_idle
from tests.browser.room import LOST, P, Room, stored
from tests.browser.served import Server
from tests.browser.steps import COMMITTED, operations, outcomes, parameter, press, sentence
from tests.links import saved

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.once, pytest.mark.thorough]
say, zh = get_translations("en"), get_translations("zh")
# The entries that `three_changes` makes in the browser's history, and the page's language in each.
ENTRIES = (("", "en"), ("aA", "en"), ("aA", "zh"), ("aA.aB", "zh"))


def language(page: Page, code: str) -> None:
    page.get_by_text(get_translations("en").text(f"site.lang_{code}"), exact=True).click()
    page.wait_for_function("code => document.documentElement.lang === code", arg=code)
    wait_until_idle(page)


def three_changes(page: Page) -> str:
    """The picture before the last of them, in words."""
    press(page, "aA")
    wait_until_idle(page)
    language(page, "zh")
    before = sentence(page)
    press(page, "aB")
    wait_until_idle(page)
    assert sentence(page) != before
    return before


def wait_for_entry(page: Page, number: int) -> None:
    """Wait until the page is drawn as this entry is, and all has come to rest; it is still so."""
    log, code = ENTRIES[number]
    page.wait_for_function(
        "([log, code]) => new URL(location).searchParams.get('run').split('_')[2] === log"
        " && document.documentElement.lang === code",
        arg=[log, code],
    )
    page.wait_for_function("() => !document.documentElement.classList.contains('pkl-ignores-presses')")
    wait_until_idle(page)
    assert operations(page) == log.split(".") * bool(log)
    assert (parameter(page, "lang") or "en") == code == page.evaluate("document.documentElement.lang")
    heading = page.get_by_role("heading", name=get_translations(code).text("task.run_title"), exact=True)  # type: ignore[arg-type]
    assert heading.count() == 1
    waiting = outcomes(page).get_by_text(get_translations(code).text("task.card.waiting"), exact=True)  # type: ignore[arg-type]
    assert (waiting.count() == len(outcomes(page).all())) is (not log)


def test_back_and_forward_in_a_burst(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """Faster than the server answers, on a fast line and on one that holds the answers; the page stays alive."""
    room = behind_wire(server)
    page = room.come(COMMITTED)
    three_changes(page)
    last = len(ENTRIES) - 1
    for _ in range(3):
        for way, number in (("back", 0), ("forward", last)):
            page.evaluate(
                """async (way) => {
                  for (let i = 0; i < 3; i += 1) {
                    const gone = new Promise((done) => addEventListener("popstate", done, { once: true }));
                    history[way]();
                    await gone;
                  }
                }""",
                way,
            )
            wait_for_entry(page, number)
    press(page, "tB")
    assert operations(page) == ["aA", "aB", "tB"]


def test_a_press_between_back_and_its_answer(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """It is not taken: it would be sent with what the page's controls held before Back."""
    room = behind_wire(server)
    page = room.come(COMMITTED)
    three_changes(page)
    page.go_back()
    wait_for_entry(page, 2)
    stream = room.line.streams[-1]
    room.line.hold(stream)
    page.evaluate("history.back()")
    room.line.wait_for_answer(stream)
    page.get_by_role("tab", name=zh.text("task.tab_code")).click()
    room.line.hold(stream, held=False)
    wait_for_entry(page, 1)
    page.go_forward()
    wait_for_entry(page, 2)


def test_back_while_the_line_is_cut(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """The server cannot be told; when the line is there again it is."""
    room = behind_wire(server)
    page = room.come(COMMITTED)
    there = three_changes(page)
    room.line.cut()
    page.wait_for_function(LOST)
    page.evaluate("history.back()")
    room.line.wait_for_refused()
    room.line.mend()
    page.locator(f'[role="img"][aria-label="{there}"]').wait_for()
    wait_for_entry(page, 2)


def test_a_link_right_after_a_press(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """Drawn with the address from before the press; what was pressed is there on the other page, and back again."""
    room = behind_wire(server)
    page = room.come(COMMITTED + "aA")
    page.evaluate(
        """() => {
          document.querySelector('button[data-operation="aB"]').click();
          document.querySelector('.st-key-top_bar [data-testid="stPageLink-NavLink"]').click();
        }"""
    )
    page.get_by_role("heading", name=say.text("start.title")).wait_for()
    wait_until_idle(page)
    assert operations(page) == ["aA", "aB"]
    page.get_by_role("link", name=say.text("site.nav_task"), exact=True).first.click()
    page.locator(".pkl-operations").wait_for()
    wait_until_idle(page)
    assert operations(page) == ["aA", "aB"]
    assert stored(page) == saved(P + "aA.aB")
