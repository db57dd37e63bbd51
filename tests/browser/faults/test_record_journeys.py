"""The record on the way through the lessons: it outlives a change of page, and holds nothing that came with a link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import OpenPage, WaitIdle, commit, outcomes

if TYPE_CHECKING:
    from playwright.sync_api import Page

say = get_translations("en")


def stored(page: Page) -> dict[str, Any]:
    """What this browser keeps."""
    found: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('paged-kv-lab')") or "{}")
    return found


@pytest.mark.thorough
def test_the_record_outlives_the_way_from_page_to_page(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """A prediction is committed; then Start, its button to go on, and one more press: still there."""
    page = open_page("/code?code=check__aA")
    page.locator('.st-key-lesson_asking [data-testid="stTextInput"] input').fill("2")
    commit(page, say)
    page.locator('button[data-operation="kA"]').wait_for()
    wait_idle(page)
    kept = stored(page)["attempts"]
    page.get_by_role("link", name=say.text("site.nav_start")).click()
    page.get_by_role("button", name=say.text("start.begin", name=say.text("intuition.title"))).click()
    page.get_by_role("heading", name=say.text("intuition.title")).wait_for()
    wait_idle(page)
    page.get_by_text(say.text("site.lang_zh"), exact=True).click()
    page.get_by_role("heading", name=get_translations("zh").text("intuition.title")).wait_for()
    wait_idle(page)
    page.locator('[data-testid="stRadio"] [role="radiogroup"] label').first.click()
    page.get_by_role("button", name=get_translations("zh").text("task.commit")).click()
    wait_idle(page)
    assert kept.items() <= stored(page)["attempts"].items()


@pytest.mark.thorough
def test_a_prediction_that_came_with_a_link_stays_the_sender_s(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Going on with it changes neither whose it is nor what this browser keeps as its own."""
    page = open_page("/share?share=release_0-1-5-000_aA.aB")
    page.locator('button[data-operation="rA"]').click()
    page.wait_for_function("() => new URL(location).searchParams.get('share').endsWith('aA.aB.rA')")
    wait_idle(page)
    assert outcomes(page).first.text_content()
    page.locator(".kv-verdicts summary").first.click()
    assert page.get_by_text(say.text("task.card.in_link", answer="")).first.is_visible()
    kept = stored(page)
    assert ("attempts" in kept, "done" in kept) == (False, False)
