"""The presented window and the presenter's own: in step by keyboard alone, and what is for one is not in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.sandbox.library import LIBRARY, list_prompts
from lab.sandbox.link import encode_scenario
from lessons.text.scenario_texts import format_library_title
from lessons.text.scenario_words import ScenarioWords
from lessons.text.translations import Language, get_translations
from lessons.votable.find import find_votable
from lessons.votable.key_step import name_prompt
from tests.browser.steps import PHONE, Axe, OpenPage, WaitIdle, parameter, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Page

SIDE = ".kv-follow"


def wait_for_place(page: Page, at: str) -> None:
    page.wait_for_function("at => new URL(location).searchParams.get('at_sandbox') === at", arg=at)


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_second_window_follows_and_steers(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, language: Language
) -> None:
    """Answers and likely wrong answers stand in the second window; it steps, reveals and blanks the first."""
    scenario = LIBRARY["preempted"].scenario
    words, prompt = ScenarioWords(language, scenario), list_prompts(LIBRARY["preempted"])[2]
    votable = find_votable(name_prompt(prompt))
    answer = f"✓ {votable.format_value(votable.get_answer(), words)}"
    point = votable.explain(votable.get_answer(), words)
    before = str(prompt.step - 1)
    link = f"/sandbox?sandbox={encode_scenario(scenario)}&at_sandbox={before}&present=on&lang={language}"
    first = open_page(link, viewport=(1280, 720))
    with first.expect_popup() as opened:
        first.keyboard.press("n")
    side = opened.value
    side.locator(SIDE).get_by_text(answer).first.wait_for()
    wait_idle(side)
    axe(side)
    assert side.locator(SIDE).get_by_text("✗").count() == len(votable.list_wrong()) > 0
    assert point in side.locator(SIDE).inner_text()
    for text in (answer, "✗", point):
        assert text not in first.locator("body").inner_text()

    side.keyboard.press("PageDown")  # as a remote control does, in the window that has the keyboard
    wait_for_place(first, str(prompt.step))
    first.locator(".kv-placeholder").wait_for()
    side.locator(".kv-follow-covered").wait_for()
    side.keyboard.press("b")
    first.locator(".pkl-blank").wait_for()
    first.keyboard.press("x")  # any key
    first.locator(".pkl-blank").wait_for(state="detached")
    first.keyboard.press("PageDown")
    first.locator(".kv-placeholder").wait_for(state="detached")
    assert point in first.locator(".st-key-sandbox_notes").inner_text()
    side.locator(".kv-follow-covered").wait_for(state="detached")
    first.keyboard.press("PageUp")
    wait_for_place(first, before)
    side.locator(f"{SIDE} [data-press=larger]").press("Enter")
    first.wait_for_function("() => new URL(location).searchParams.get('present') === 'on.x115'")
    first.keyboard.press("g")
    first.locator("[role=dialog] .kv-qr img").wait_for()
    side.close()
    assert parameter(first, "at_sandbox") == before


@pytest.mark.thorough
def test_a_phone_is_the_second_window(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Without a class there is none to find: one press opens it. Then the phone has the notes, follows and steers."""
    say = get_translations("en")
    prompt = list_prompts(LIBRARY["task"])[0]
    link = f"/sandbox?sandbox={encode_scenario(LIBRARY['task'].scenario)}&at_sandbox=0&present=on&lang=en"
    first = open_page(link, viewport=(1280, 720))
    wait_idle(first)
    with first.expect_popup() as opened:
        first.keyboard.press("n")
    side = opened.value
    side.get_by_role("button", name=say.text("classroom.on_phone")).click()
    side.get_by_role("button", name=say.text("classroom.on_phone_open")).click()
    side.get_by_role("button", name=say.text("classroom.second_window")).click()
    link = side.get_by_role("link", name=say.text("classroom.second_here")).get_attribute("href") or ""
    side.close()
    phone = open_page(f"/class{link}", viewport=PHONE)
    phone.locator(SIDE).get_by_text("✓").first.wait_for()
    assert too_wide(phone) == []
    long = "() => { pagedKvLabRemarks.push(['', 'x'.repeat(30_000)]); dispatchEvent(new Event('pkl-remarks')); }"
    first.evaluate(long)
    phone.locator(SIDE).get_by_text(say.text("present.side.cut")).wait_for()
    phone.locator(SIDE).get_by_text("✓").first.wait_for()  # what there is room for is still there
    phone.locator(f"{SIDE} [data-press=forward]").click()
    wait_for_place(first, str(prompt.step))
    phone.locator(".kv-follow-covered").wait_for()
    phone.locator(f"{SIDE} [data-press=reveal]").click()
    first.locator(".kv-placeholder").wait_for(state="detached")
    first.reload()
    first.locator(".pkl-stage .main-svg").first.wait_for()
    wait_idle(first)
    assert parameter(first, "at_sandbox") == str(prompt.step)  # what was pressed before is over
    phone.locator(f"{SIDE} [data-press=back]").click()
    wait_for_place(first, "0")


@pytest.mark.thorough
def test_a_lecture_goes_on_by_a_key_of_either_window(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Also after a press of a remote control, which the presented window hands on to the player."""
    say, keys = get_translations("en"), ("task", "twins")
    page = open_page("/library?lang=en", viewport=(1280, 720))
    for key in keys:
        page.locator(f".st-key-add_{key} button").press("Enter")
        wait_idle(page)
    page.locator("[class*=st-key-own_] [class*=st-key-present_] button").first.press("Enter")
    title = page.locator(".st-key-sandbox_notes h2")
    titles = [format_library_title(key, say) for key in keys]
    title.get_by_text(titles[0]).wait_for()
    wait_idle(page)
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    side = opened.value
    side.locator(SIDE).get_by_text("✓").first.wait_for()
    page.keyboard.press("PageDown")
    wait_for_place(page, "1")
    wait_idle(page)
    page.keyboard.press("j")
    title.get_by_text(titles[1]).wait_for()
    side.locator(SIDE).get_by_text(titles[1]).wait_for()
    wait_idle(page)
    side.keyboard.press("k")
    title.get_by_text(titles[0]).wait_for()
    wait_for_place(page, "0")
