"""The sandbox in a browser: operated and changed by keyboard; requests of one's own on a phone at night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, parameter, too_wide
from tests.links import parse_scenario
from tests.sandbox.resize_cases import resize

if TYPE_CHECKING:
    from playwright.sync_api import Page


def wait_for_log(page: Page, ending: str) -> None:
    """Wait until the operations in the address end like this."""
    page.wait_for_function(
        "ending => new URL(location).searchParams.get('sandbox')?.endsWith(ending)", arg=ending, timeout=30_000
    )


def await_focus(page: Page, inside: str) -> None:
    """Wait until the keyboard is in the container of this key."""
    page.wait_for_function("key => document.activeElement?.closest(`.st-key-${key}`) != null", arg=inside)


def test_operated_cut_off_and_compared_by_keyboard(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Focus stays on what is pressed again, and goes to a question and back."""
    say = get_translations("en")
    page = open_page("/sandbox?lang=en", viewport=WIDE)

    def press(selector: str, key: str = "Enter") -> None:
        page.locator(selector).first.press(key)
        wait_idle(page)

    press('[data-operation="aA"]')
    wait_for_log(page, "_aA")
    page.get_by_role("radio", name="B · not yet").focus()
    page.keyboard.press("Space")
    wait_idle(page)
    press('[data-operation="aB"]')
    page.locator(".st-key-sandbox_times input").fill("2")
    wait_for_log(page, "_aA.aB")
    press('[data-operation="several"]')
    wait_for_log(page, "_aA.aB.tB-2")
    assert page.evaluate("document.activeElement.dataset.operation") == "several"

    press(".st-key-sandbox_pool_True summary")
    page.get_by_role("slider", name=say.text("sandbox.block_size")).focus()
    page.keyboard.press("ArrowRight")  # to 5, where every step ends as before
    page.locator(".st-key-sandbox_compared").wait_for()
    wait_idle(page)
    made = parse_scenario(parameter(page, "sandbox"))
    page.keyboard.press("ArrowRight")
    page.locator('[class*="st-key-sandbox_to_"]').first.wait_for()
    wait_idle(page)
    changed = resize(made, 6).changed
    assert page.locator('[class*="st-key-sandbox_to_"]').count() == len(changed) > 0
    press(f".st-key-sandbox_to_{changed[0].step + 1} button")
    assert parameter(page, "at_sandbox") == str(changed[0].step + 1)

    press('[data-operation="rB"]')
    page.locator(".st-key-sandbox_question").wait_for()
    wait_idle(page)
    await_focus(page, "sandbox_question")
    axe(page)
    page.locator(".st-key-sandbox_cut button").press("Enter")
    page.locator(".st-key-sandbox_question").wait_for(state="detached")
    wait_for_log(page, "rB")
    wait_idle(page)
    await_focus(page, "sandbox_operating")
    press('[data-operation="undo"]')
    wait_for_log(page, "_aA.aB.tB-2")
    page.reload()
    wait_idle(page)
    assert parameter(page, "at_sandbox") == str(changed[0].step + 1)


@pytest.mark.thorough
def test_requests_of_one_s_own_on_a_phone_at_night(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Typed, begun like another, refused with a sentence, removed; nothing is wider than the window."""
    say = get_translations("zh")
    start = "1.4.4.0-1-2-3_A.n11_B.n4_aA"
    page = open_page(f"/sandbox?lang=zh&sandbox={start}", viewport=PHONE, locale="zh-CN", color_scheme="dark")
    page.locator(".st-key-sandbox_requests_True summary").first.click()
    form = page.locator(".st-key-sandbox_request_form")
    form.get_by_label(say.text("sandbox.text"), exact=True).fill("你好，שלום 🙂 <b>")
    form.get_by_label(say.text("sandbox.text"), exact=True).press("Enter")
    page.locator(".st-key-sandbox_row_C").wait_for()
    wait_idle(page)
    tokens = page.locator(".st-key-sandbox_row_C bdi").all_inner_texts()
    assert tokens == ["你", "好", "，", "שלום", "🙂", "<", "b", ">"]
    page.locator(".st-key-sandbox_pool_True summary").first.click()
    queue = page.locator(".st-key-sandbox_queue_ids input")
    queue.fill("3 0 0")
    queue.press("Enter")
    page.get_by_text(say.text("sandbox.queue_twice", ids="0")).wait_for()
    wait_idle(page)
    assert too_wide(page) == []
    page.locator(".st-key-sandbox_remove_A button").click()
    page.locator(".st-key-sandbox_remove_question").wait_for()
    wait_idle(page)
    await_focus(page, "sandbox_remove_question")
    assert too_wide(page) == []
    axe(page)
    page.locator(".st-key-sandbox_remove_both button").click()
    page.locator(".st-key-sandbox_row_A").wait_for(state="detached")
    wait_idle(page)
    wait_for_log(page, "_")
    page.locator('[data-operation="aC"]').click()
    page.wait_for_url("**_aC*")
    wait_idle(page)
    assert too_wide(page) == []
