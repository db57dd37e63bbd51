"""A scenario written and played by keyboard alone: a decode step, a title, a question that the engine answers."""

from __future__ import annotations

import pytest

from lab.sandbox.scenario import Scenario
from lessons.text.translations import Language, get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, parameter, too_wide
from tests.links import parse_scenario

START = "2.sandbox.16.4.used_A.n11_B.n4__aA.aB"


@pytest.mark.thorough
@pytest.mark.parametrize(("language", "viewport"), [("en", WIDE), ("zh", PHONE)])
def test_written_and_played_by_keyboard(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, language: Language, viewport: dict[str, int]
) -> None:
    """The step is one press of the arrow key; its question is asked before it, with the answer after it."""
    say = get_translations(language)
    page = open_page(f"/sandbox?lang={language}&sandbox={START}", viewport=viewport)
    wait_idle(page)

    def press(selector: str) -> None:
        page.locator(selector).first.press("Enter")
        wait_idle(page)

    def read() -> Scenario:
        return parse_scenario(parameter(page, "sandbox"))

    press(".st-key-sandbox_longer summary")
    page.locator(".st-key-sandbox_times input").fill("2")
    press('[data-operation="decode_several"]')
    page.wait_for_function("() => new URL(location).searchParams.get('sandbox').includes('_g.d3-4-2_')")
    press('[data-operation="repeat"]')
    page.wait_for_function("() => new URL(location).searchParams.get('sandbox').includes('.d7-4-2_')")
    press(".st-key-sandbox_authoring summary")
    page.get_by_label(say.text("authoring.title"), exact=True).fill("Mine")
    hint = page.get_by_test_id("InputInstructions")  # Streamlit's, in English
    hint.first.wait_for(state="attached")
    assert not hint.first.is_visible()
    page.get_by_label(say.text("authoring.remark"), exact=True).fill("Slowly.")
    kind = page.locator(".st-key-sandbox_authoring").get_by_role("combobox")
    kind.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    press(".st-key-sandbox_author_save button")
    page.get_by_role("heading", name="Mine").wait_for()
    wait_idle(page)
    (prompt,) = read().script.prompts
    assert (prompt.step, prompt.about, prompt.remark.get(language)) == (10, "needed", "Slowly.")
    assert too_wide(page) == []
    axe(page)

    page.locator("body").press("Home")
    page.wait_for_function("() => new URL(location).searchParams.get('at_sandbox') === '0'")
    for at in (1, 2, 6):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("at => new URL(location).searchParams.get('at_sandbox') === at", arg=str(at))
    wait_idle(page)
    name = say.text("sandbox.times", operation=say.text("authoring.decode"), count=2)
    asked = say.text("classroom.key_ask.needed", operation=name)
    page.get_by_text(asked).first.wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text(say.text("present.note.point", number=1, total=1)).first.wait_for()
