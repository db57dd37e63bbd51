"""What is chosen in a form stays when the language changes."""

from __future__ import annotations

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import WIDE, OpenPage, WaitIdle, answer, commit

GROUPS = "[data-testid=stForm] [role=radiogroup]"
CHOSEN = "groups => groups.map(g => [...g.querySelectorAll('input')].findIndex(option => option.checked))"


@pytest.mark.thorough
def test_a_prediction_filled_in_before_a_change_of_language(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """There and back; it can be committed in the other language."""
    page = open_page("/task?lang=en", viewport=WIDE)
    answer(page, get_translations("en"))
    before = page.locator(GROUPS).evaluate_all(CHOSEN)
    for language in ("zh", "en", "zh"):
        say = get_translations(language)
        page.get_by_role("radio", name=say.text(f"site.lang_{language}"), exact=True).click()
        page.get_by_text(say.text("task.run_locked")).wait_for()
        wait_idle(page)
        page.wait_for_function(f"() => document.querySelectorAll('{GROUPS} input:checked').length === {len(before)}")
        assert page.locator(GROUPS).evaluate_all(CHOSEN) == before
    commit(page, say)
    page.wait_for_url("**run=2.task.4.used_3t.1t.1t.0t.1t.7t_*")
