"""Journeys through Start and the task in a real browser: predict, run, answer, walk through what happened."""

from __future__ import annotations

import re

import pytest

from lab.trace.operations import parse_operation
from lab.trace.presets import build_task_config
from lab.trace.timeline import Timeline
from lessons.text.sentences import format_event
from lessons.text.translations import get_translations
from tests.browser.steps import (
    COMMITTED,
    OPERATIONS,
    PHONE,
    WIDE,
    ZH_WIDE_EN_PHONE,
    Axe,
    OpenPage,
    WaitIdle,
    answer,
    choose,
    commit,
    events,
    look,
    outcomes,
    press,
    sentence,
    too_wide_at,
)

END = "11 3 0 12 6 1 15 8 4 10 13 14 2 7 5 9"
MEMORY = '.st-key-memory [role="img"]'


@pytest.mark.thorough
@pytest.mark.parametrize(("locale", "viewport"), ZH_WIDE_EN_PHONE)
def test_the_journey(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, viewport: tuple[int, int]
) -> None:
    """All of it; axe wherever something new has come onto the page, and the picture keeps its node."""
    say = get_translations("zh" if locale == "zh-CN" else "en")
    page = open_page("/", locale=locale, viewport=viewport)
    assert page.evaluate("document.documentElement.lang") == say.language
    axe(page)
    page.get_by_role("button", name=say.text("start.go")).click()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()
    wait_idle(page)
    axe(page)

    commit(page, say)
    page.get_by_text(say.text("task.format_note", count=6)).wait_for()
    assert "run=" not in page.url
    answer(page, say, blocks="2")
    commit(page, say)
    page.wait_for_url("**run=2.task.4.used_2t.1t.1t.0t.1t.7t_*")
    wait_idle(page)
    assert page.get_by_role("button", name=say.text("task.commit")).count() == 0
    assert outcomes(page).all_text_contents() == [say.text("task.card.waiting")] * 6
    assert page.locator(".kv-card .a").first.text_content() == say.text("task.card.you", answer=2)
    page.locator(f"{MEMORY} .main-svg").first.wait_for()
    page.locator(MEMORY).evaluate("node => { node.marked = true }")

    reference = Timeline(build_task_config())
    for operation_id in OPERATIONS:
        press(page, operation_id)
        wait_idle(page)
        step = reference.apply(parse_operation(operation_id))
        for view in step.after.sequences:
            for block_id in view.block_table:
                assert re.search(rf"(?<!\d){block_id}(?!\d)", sentence(page)), (operation_id, block_id)
        assert not events(page).first.is_visible(), "the events hold the answer to the question"
        assert page.locator(MEMORY).evaluate("node => node.marked === true")
        if operation_id == OPERATIONS[0]:
            axe(page)  # the first question, with its choices
        choose(page, say)
        wait_idle(page)
        assert page.get_by_text(say.text("task.check_right")).count() == 1
        assert events(page).last.is_visible()
        assert events(page).all_inner_texts() == [format_event(event, say) for event in step.events]
    axe(page)
    told = outcomes(page).all_text_contents()
    assert told[0] == say.text("task.card.other", value=3)
    assert told[5] == say.text("task.card.same", value=7)
    assert all(text.startswith("✓") for text in told[1:])
    assert page.get_by_text(END).count() == 1
    assert too_wide_at(page, wait_idle, PHONE[0], WIDE[0]) == {}


@pytest.mark.thorough
def test_stand_between_the_check_and_the_action(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = get_translations("en")
    page = open_page(COMMITTED + "aA.aB.tB")
    current = page.locator(".kv-events li[aria-current]")
    while "can_append" not in current.inner_text():
        look(page, "event_back")
        wait_idle(page)
    assert "at=3.2" in page.url
    assert current.is_visible()
    told = outcomes(page).all_text_contents()
    assert told[4] == say.text("task.card.same", value=1), "right after can_append the table still has one id"
    assert told[2] == say.text("task.card.waiting"), "whether a page is taken is not known yet"
    assert page.locator('button[data-operation="rA"]').get_attribute("aria-disabled") == "true", (
        "while looking back one only looks"
    )
    page.get_by_role("button", name=say.text("task.return_to_end")).click()
    page.wait_for_function("() => !location.search.includes('at=')")
    wait_idle(page)
    press(page, "rA")
