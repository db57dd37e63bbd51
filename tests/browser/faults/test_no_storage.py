"""A browser whose storage is blocked or full: it says so once, where the learner is, and the page works on."""

from __future__ import annotations

import json
import re

import pytest

from lessons.text.translations import Language, get_translations
from tests.browser.steps import OpenPage, WaitIdle, answer, commit

BLOCKED = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("Access is denied for this document.", "SecurityError"); },
});"""
# Reading and small things work; the record does not fit.
FULL = """const real = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, value) {
    if (value.length > 20) throw new DOMException("exceeded the quota", "QuotaExceededError");
    return real.call(this, key, value);
};"""


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_blocked_storage_is_told_at_once_and_once(
    open_page: OpenPage, wait_idle: WaitIdle, language: Language
) -> None:
    say = get_translations(language)
    page = open_page("/task", locale={"en": "en-US", "zh": "zh-CN"}[language], init_script=BLOCKED)
    told = page.get_by_text(say.text("site.loss"))
    told.wait_for()
    page.get_by_role("button", name=say.text("site.loss_read")).click()
    told.wait_for(state="detached")
    answer(page, say)
    commit(page, say)
    page.wait_for_url("**used_3*")
    wait_idle(page)
    page.get_by_role("link", name=say.text("site.nav_start"), exact=True).click()
    page.wait_for_url(re.compile(r"/\?"))
    wait_idle(page)
    assert told.count() == 0, "once in a visit"
    page.reload()
    told.wait_for()  # what was predicted is gone


@pytest.mark.thorough
def test_a_full_storage_is_told_when_something_is_lost(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say, page = get_translations("en"), open_page("/task", init_script=FULL)
    told = page.get_by_text(say.text("site.loss"))
    assert told.count() == 0
    answer(page, say)
    commit(page, say)
    told.wait_for()
    wait_idle(page)
    assert json.loads(page.evaluate("localStorage.getItem('paged-kv-lab')") or "{}") == {}


@pytest.mark.thorough
def test_a_browser_that_keeps_says_nothing(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say, page = get_translations("en"), open_page("/task")
    answer(page, say)
    commit(page, say)
    page.wait_for_url("**used_3*")
    wait_idle(page)
    assert page.get_by_text(say.text("site.loss")).count() == 0
    assert "attempts" in page.evaluate("localStorage.getItem('paged-kv-lab')")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('paged-kv-lab'))") == ["paged-kv-lab"]
