"""The whole task in a real browser by keyboard only: Tab, Shift+Tab, Enter, Space and arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.text.translations import Translations, get_translations
from tests.browser.journeys.test_explain import AGAIN, RUN, SENTENCES, button, heading, pictures_of, wait_for_operations
from tests.browser.steps import OPERATIONS, WIDE, OpenPage, WaitIdle, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MAX_STOPS = 120  # on the way from one element to another


def tab_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """Press Tab until the target has the focus; a stop that cannot be reached in MAX_STOPS fails."""
    target.first.wait_for(state="attached")
    for _ in range(MAX_STOPS):
        if target.first.evaluate("e => e === document.activeElement"):
            return
        page.keyboard.press(key)
    pytest.fail(f"no way to {target} with {key}")


def enter(page: Page, target: Locator, key: str = "Tab") -> None:
    """Go there and press Enter."""
    tab_to(page, target, key)
    page.keyboard.press("Enter")


def type_into(page: Page, label: str, text: str) -> None:
    tab_to(page, page.get_by_label(label))
    page.keyboard.type(text)


def choose(page: Page, question: str, steps: int) -> None:
    """In a group of radio buttons without a choice: the first with Space, a later one with arrows."""
    group = page.get_by_role("radiogroup", name=question)
    tab_to(page, group.get_by_role("radio"))
    page.keyboard.press("Space")
    for _ in range(steps):
        page.keyboard.press("ArrowDown")


def predict_and_run(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    enter(page, button(page, say.text("start.go")))
    button(page, say.text("task.commit")).wait_for()
    wait_idle(page)
    type_into(page, say.text("task.question.blocks"), "2")
    tab_to(page, page.get_by_role("checkbox", name=say.text("task.sure")).first)
    page.keyboard.press("Space")
    type_into(page, say.text("task.question.empty_slots"), "1")
    choose(page, say.text("task.question.new_page"), 0)
    choose(page, say.text("task.question.consecutive"), 1)
    type_into(page, say.text("task.question.table_after_check"), "1")
    type_into(page, say.text("task.question.last_to_join"), "7")
    enter(page, button(page, say.text("task.commit")))
    page.wait_for_url(f"**run={RUN}_*")
    for count, operation_id in enumerate(OPERATIONS, 1):
        wait_idle(page)
        enter(page, page.locator(f'button[data-operation="{operation_id}"]'), "Tab" if count < 5 else "Shift+Tab")
        wait_for_operations(page, "run", count)
    wait_idle(page)
    assert too_wide(page) == []
    enter(page, button(page, say.text("task.to_explain")))


def explain(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    heading(page, say.text("explain.check_title")).wait_for()
    wait_idle(page)
    type_into(page, say.text("explain.sentence_ask", b_tokens=5), SENTENCES["en"])
    enter(page, button(page, say.text("explain.sentence_submit")))
    page.get_by_text(say.text("explain.model_title"), exact=True).wait_for()
    wait_idle(page)
    choose(page, "block_size=4", 0)
    page.get_by_text(say.text("explain.quiz_again")).wait_for()
    wait_idle(page)
    for why in ("9, 5", "needs 1, free 12"):
        page.keyboard.press("ArrowDown")
        page.get_by_test_id("stAlert").filter(has_text=why).wait_for()
        wait_idle(page)
    type_into(page, say.text("explain.again_question.blocks"), str(AGAIN))
    enter(page, button(page, say.text("explain.again_submit")))
    button(page, say.text("explain.again_next")).wait_for()
    wait_idle(page)
    assert too_wide(page) == []
    enter(page, button(page, say.text("explain.to_eight")))


def eight(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    heading(page, say.text("eight.title")).wait_for()
    wait_idle(page)
    type_into(page, say.text("task.question.blocks"), "2")
    type_into(page, say.text("task.question.empty_slots"), "5")
    choose(page, say.text("task.question.new_page"), 1)
    type_into(page, say.text("task.question.b_empty_slots"), "3")
    enter(page, button(page, say.text("task.commit")))
    page.wait_for_url("**run8=2.resized.8.used_2t.5t.0t.3t_*")
    for count, operation_id in enumerate(OPERATIONS[:3], 1):
        wait_idle(page)
        enter(page, page.locator(f'button[data-operation="{operation_id}"]'))
        wait_for_operations(page, "run8", count)
    wait_idle(page)
    tab_to(page, page.get_by_role("slider", name=say.text("eight.slider"), exact=True))
    page.keyboard.press("ArrowLeft")
    pictures_of(page, 7, say)
    assert too_wide(page) == []


@pytest.mark.thorough
def test_the_whole_journey_by_keyboard(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """From Start to the slider; the mouse is never touched."""
    say = get_translations("en")
    page = open_page("/", viewport=WIDE)
    predict_and_run(page, say, wait_idle)
    explain(page, say, wait_idle)
    eight(page, say, wait_idle)
