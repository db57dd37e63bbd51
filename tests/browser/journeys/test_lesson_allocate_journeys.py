"""Allocate in a real browser: a slot is predicted by typing or by clicking it, the tensor answers, others are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import (
    PHONE,
    WIDE,
    Axe,
    OpenPage,
    WaitIdle,
    click_cell,
    commit,
    outcomes,
    parameter,
    sentence,
    too_wide,
)
from tests.links import new

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FILLED = "slot => document.querySelectorAll('input[type=text]')[1].value === slot"


def allocate_a(page: Page) -> None:
    page.locator('button[data-operation="aA"]').click()
    page.wait_for_url("**_aA*")


@pytest.mark.thorough
def test_predict_a_slot_with_the_keyboard(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Typed, not clicked; what lies there is told; another token is tried; a reload keeps all but what was tried."""
    say, page = get_translations("en"), open_page("/allocate?allocate=ten__", viewport=WIDE)
    page.get_by_label(say.text("allocate.question.pages")).fill("2")
    slot = page.get_by_label(say.text("allocate.question.slot", token="bring", pos=9))
    slot.fill("9")
    page.get_by_role("button", name=say.text("task.commit")).press("Enter")
    page.wait_for_url("**2.ten_9.2t.9t_*")
    wait_idle(page)
    assert say.text("slots.said_predicted", slot=9, block=2) in sentence(page)
    allocate_a(page)
    wait_idle(page)
    assert outcomes(page).all_text_contents() == [say.text("task.card.other", value=value) for value in (3, 41)]
    answer = say.text("slots.in_actual", slot=41, token="bring", pos=9, seq="A")
    assert page.locator(".st-key-tensor").get_by_text(answer).count() == 1
    assert "10 × 4 + 1 = 41" in str(page.locator('.st-key-slot_steps [role="img"]').get_attribute("aria-label"))
    page.locator(".st-key-try-ten button").nth(3).press("Enter")
    field = page.get_by_label(say.text("slots.ask", token=",", pos=3))
    field.fill("27")
    field.press("Enter")
    right = say.text("slots.in_actual", slot=27, token=",", pos=3, seq="A")
    page.get_by_text(f"✓ {right}").wait_for()
    wait_idle(page)
    axe(page)
    page.reload()
    wait_idle(page)
    assert parameter(page, "allocate") == new("ten_9@2-9-00_aA")
    assert page.locator(".st-key-tensor").count() == 1
    assert too_wide(page) == []


@pytest.mark.thorough
def test_predict_a_slot_by_clicking_it_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """The click fills the field, also after other reruns; the tokens to pick wrap; practice takes clicks as well."""
    say = get_translations("zh")
    page = open_page("/allocate?allocate=ten__", viewport=PHONE, locale="zh-CN", color_scheme="dark")
    pills = page.locator(".st-key-pick-ten button")
    assert len({round((pill.bounding_box() or {"y": 0})["y"]) for pill in pills.all()}) > 1
    page.get_by_label(say.text("allocate.question.pages")).fill("3")
    slot = page.get_by_label(say.text("allocate.question.slot", token=say.token(10), pos=9))
    for clicked in (9, 40):  # a click may correct a click
        click_cell(page, "memory", f"slot:{clicked}")
        page.wait_for_function(_FILLED, arg=str(clicked))
        wait_idle(page)
    assert slot.input_value() == "40"
    assert page.get_by_label(say.text("allocate.question.pages")).input_value() == "3"
    assert say.text("slots.said_predicted", slot=40, block=10) in sentence(page)
    axe(page)
    commit(page, say)
    page.wait_for_url("**2.ten_9.3t.40t_*")
    wait_idle(page)
    allocate_a(page)
    wait_idle(page)
    line = say.text("slots.in_predicted", slot=40, token=say.token(9), pos=8, seq="A")
    assert line in page.locator(".st-key-tensor").inner_text()
    page.locator(".st-key-try-ten button").nth(5).click()
    page.get_by_label(say.text("slots.ask", token=say.token(6), pos=5)).wait_for()
    wait_idle(page)
    click_cell(page, "memory", "slot:5")
    page.get_by_text(say.text("slots.in_actual", slot=13, token=say.token(6), pos=5, seq="A")).wait_for()
    wait_idle(page)
    assert say.text("slots.said_actual", slot=13, block=3) in sentence(page)
    axe(page)
    assert parameter(page, "allocate") == new("ten_9@3-40-00_aA")
    assert too_wide(page) == []
