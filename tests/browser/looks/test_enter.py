"""Enter in a field does what the button beside it would."""

from __future__ import annotations

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import WIDE, OpenPage, WaitIdle, answer


@pytest.mark.thorough
def test_enter_commits_a_prediction(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """From the last field, with nothing left to fill in."""
    say = get_translations("en")
    page = open_page("/task?lang=en", viewport=WIDE)
    answer(page, say)
    page.get_by_label(say.text("task.question.last_to_join")).press("Enter")
    page.wait_for_url("**run=2.task.4.used_*t_*")
    wait_idle(page)


@pytest.mark.thorough
def test_enter_appends_several_tokens_and_keeps_a_scenario(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Once for each press of the key, with what was just typed; a scenario is kept under the name just typed."""
    say = get_translations("en")
    page = open_page("/sandbox?lang=en&sandbox=1.4.4.0-1-2-3_A.n4_aA&at_sandbox=1", viewport=WIDE)
    field = page.locator(".st-key-sandbox_times input")
    for typed, log in (("2", "**_aA.tA-2*"), ("1", "**_aA.tA-3*")):
        field.fill(typed)
        field.press("Enter")
        page.wait_for_url(log)
        wait_idle(page)
    page.get_by_role("button", name=say.text("scenarios.share"), exact=True).click()
    name = page.get_by_label(say.text("scenarios.name"), exact=True)
    name.fill("three more")
    name.press("Enter")
    page.get_by_text(say.text("scenarios.kept_as")).wait_for()
    page.get_by_text("three more").first.wait_for()
