"""What is filled in in a form stays when the language changes and when the page is loaded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lessons.text.translations import get_translations
from tests.browser.steps import WIDE, OpenPage, WaitIdle, answer, commit

if TYPE_CHECKING:
    from playwright.sync_api import Page

FIELDS = "[data-testid=stForm] :is(input, textarea)"
FILLED = f"""() => [...document.querySelectorAll('{FIELDS}')].map(
  (field) => ["radio", "checkbox"].includes(field.type) ? field.checked : field.value
)"""


def filled_as(page: Page, before: list[str | bool]) -> None:
    page.wait_for_function(f"before => JSON.stringify(({FILLED})()) === JSON.stringify(before)", arg=before)


def test_a_prediction_filled_in_before_a_change_of_language_or_a_reload(
    open_page: OpenPage, wait_idle: WaitIdle
) -> None:
    """There and back; it can be committed in the other language."""
    page = open_page("/task?lang=en", viewport=WIDE)
    answer(page, get_translations("en"))
    before = page.evaluate(FILLED)
    for language in ("zh", "en", "zh"):
        say = get_translations(language)
        page.get_by_role("radio", name=say.text(f"site.lang_{language}"), exact=True).click()
        page.get_by_text(say.text("task.run_locked")).wait_for()
        wait_idle(page)
        filled_as(page, before)
    page.reload()
    filled_as(page, before)
    wait_idle(page)
    commit(page, say)
    page.wait_for_url("**run=2.task.4.used_3t.1t.1t.0t.1t.7t_*")
    assert page.evaluate("sessionStorage.length") == 0
