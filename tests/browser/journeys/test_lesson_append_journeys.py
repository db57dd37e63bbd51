"""One more token in a browser: three calls on a full page, and a phone on which no block is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.trace.operations import encode_operation
from lessons.text.translations import get_translations
from tests.browser.steps import COUNT, PHONE, Axe, OpenPage, WaitIdle, commit, parameter, too_wide
from tests.links import parse_run

if TYPE_CHECKING:
    from playwright.sync_api import Page


def ruler(page: Page) -> str:
    """What the ruler tells those who cannot see it."""
    return str(page.locator('.pkl-figure[data-name="under"] [role="img"]').first.get_attribute("aria-label"))


def done(page: Page) -> list[str]:
    """The operations in the address."""
    return [encode_operation(each) for each in parse_run(parameter(page, "append")).operations]


def press(page: Page, operation: str, wait_idle: WaitIdle, *, by_keyboard: bool = False) -> None:
    """Press an operation, wait until the address holds it and the page is drawn."""
    count, button = len(done(page)), page.locator(f'button[data-operation="{operation}"]')
    if by_keyboard:
        button.focus()
        page.keyboard.press("Enter")
    else:
        button.click()
    page.wait_for_function(
        f"n => new URL(location).searchParams.get('append').split('_')[2].split('.'){COUNT} === n", arg=count + 1
    )
    wait_idle(page)


@pytest.mark.thorough
def test_no_free_block_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Narrow, in Chinese, dark: refused and the token stays; B is released and the same call goes through."""
    say = get_translations("zh")
    page = open_page("/append?append=empty__aA.aB", viewport=PHONE, locale="zh-CN", color_scheme="dark")
    page.get_by_text(say.text("append.yes_no.1_full_answer"), exact=True).click()
    page.get_by_text(say.text("append.option.full_next_overwrite"), exact=True).click()
    assert (too_wide(page), axe(page)) == ([], [])
    commit(page, say)
    page.locator('button[data-operation="kA"]').wait_for()
    for operation in ("kA", "cA", "mA"):
        press(page, operation, wait_idle)
    refused = say.text("events.refused", reason=say.text("errors.no_free_blocks", needed=1, free=0))
    assert page.locator(".kv-headline").filter(has_text=refused).is_visible()
    assert say.text("figures_ruler.len", n=5) in ruler(page)
    assert (too_wide(page), axe(page)) == ([], [])
    for operation in ("rB", "mA"):
        press(page, operation, wait_idle)
    assert say.text("figures_ruler.written", position=4, page=1, offset=0, slot=0) in ruler(page)
    assert page.get_by_text(say.text("append.idea.full_next_slip_overwrites", ids=0)).is_visible()
    page.locator(".st-key-under_table summary").click()
    page.get_by_role("columnheader", name=say.text("figures_ruler.column_slot")).wait_for()
    wait_idle(page)
    assert (too_wide(page), axe(page)) == ([], [])
    assert page.get_by_text(say.text("site.able_title")).is_visible()
