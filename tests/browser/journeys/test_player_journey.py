"""Time travel in the sandbox in a real browser: by keyboard alone, and on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.trace.timeline import Timeline
from lessons.text.event_phrases import describe_change
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_operation
from lessons.text.translations import Language, Translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, parameter, sentence, too_wide
from tests.links import parse_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.thorough

LOG = "1.16.4.used_A.n11_B.sA-8.n3_aA.aB-2.tB.cB.rA"  # its third operation is refused
SCENARIO = parse_scenario(LOG)
STEPS = Timeline.replay(SCENARIO.config, SCENARIO.operations).steps
TOTAL = len(STEPS)
ROW, CURRENT, POSITION, PLAY = (
    ".pkl-steps button",
    ".pkl-steps [aria-current]",
    ".pkl-position",
    ".pkl-player .pkl-play",
)


def said(step: int, say: Translations, event: int = 0) -> str:
    """A place in words."""
    if not step:
        return say.text("task.position_start", total=TOTAL)
    taken = STEPS[step - 1]
    values = {"step": step, "total": TOTAL, "operation": format_operation(taken.operation, say)}
    if event:
        return say.text("task.position_event", event=event, events=len(taken.events), **values)
    return say.text("task.position", **values)


def arrive(page: Page, say: Translations, step: int, event: int = 0) -> None:
    """Wait until the address, the words, the list and the picture are all at this place."""
    at = "" if step == TOTAL else f"{step}.{event}" if event else f"{step}"
    page.wait_for_function("at => (new URL(location).searchParams.get('at_sandbox') ?? '') === at", arg=at)
    page.locator(POSITION).get_by_text(said(step, say, event), exact=True).wait_for()
    assert page.locator(CURRENT).get_attribute("data-step") == str(step)


def stopped(page: Page, say: Translations) -> None:
    """Wait until nothing plays."""
    page.locator(PLAY).get_by_text(say.text("player.play"), exact=True).wait_for(state="attached")


def listed(page: Page) -> list[tuple[str, str, str]]:
    """Every row: its mark, its operation, and what that changed."""
    rows = page.locator(ROW).evaluate_all("rows => rows.map(row => [...row.children].map(each => each.textContent))")
    return [(mark, name, what) for mark, _, name, _, what in rows]


def plays(page: Page, say: Translations, first: str) -> None:
    """From the beginning to the end, past what is refused; the page is not scrolled and nothing is said."""
    page.locator(".pkl-player select").select_option("4")
    scrolled = page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop")
    page.keyboard.press("Space")
    page.wait_for_function(
        f"""total => {{
        const step = Number(document.querySelector('{CURRENT}').dataset.step);
        return 0 < step && step < total && document.querySelector('{POSITION}').ariaLive === 'off';
    }}""",
        arg=TOTAL,
    )
    arrive(page, say, TOTAL)
    stopped(page, say)
    page.locator(f'.st-key-memory [role="img"][aria-label="{first}"]').first.wait_for()
    assert page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop") == scrolled


def leaves_alone(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    """Keys in a field, in the list of speeds, on a button, and with Control or Alt are not ours."""
    page.evaluate("() => document.body.append(document.createElement('input'))")
    for field in ("body > input", ".pkl-player select"):
        page.locator(field).focus()
        for key in (" ", "ArrowLeft", "Home", "Escape"):
            page.keyboard.press(key)
    page.evaluate("() => (document.activeElement.blur(), document.querySelector('body > input').remove())")
    for chord in ("Control+ArrowLeft", "Alt+Home", "Shift+Home", "ArrowUp"):
        page.keyboard.press(chord)
    wait_idle(page)
    stopped(page, say)
    arrive(page, say, TOTAL)
    page.locator(".pkl-player select").select_option("0.5")
    page.keyboard.press("Space")  # at the end: once more from the beginning
    page.locator(PLAY).get_by_text(say.text("player.pause"), exact=True).wait_for()
    page.get_by_role("button", name=say.text("site.copy_link")).focus()
    page.keyboard.press("Space")  # the button's own key; and an action, which ends the playing
    stopped(page, say)
    wait_idle(page)
    step = int(page.locator(CURRENT).get_attribute("data-step") or TOTAL)
    assert step < TOTAL
    arrive(page, say, step)


def test_by_keyboard_alone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Steps, events, both ends, playing; nothing where a key is somebody else's; the list, Back, reload."""
    say, page = ScenarioWords("en", SCENARIO), open_page(f"/sandbox?sandbox={LOG}", viewport=WIDE)
    arrive(page, say, TOTAL)
    first = sentence(page)
    axe(page)
    for _ in range(TOTAL - 1):  # quicker than the server: none is lost
        page.keyboard.press("ArrowLeft")
    arrive(page, say, 1)
    assert page.locator(POSITION).get_attribute("aria-live") == "polite"
    page.keyboard.press("Shift+ArrowRight")
    arrive(page, say, 2, 1)
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(f"Shift+{key}")
    arrive(page, say, 1)
    page.keyboard.press("End")
    arrive(page, say, TOTAL)
    page.keyboard.press("Home")
    arrive(page, say, 0)
    plays(page, say, first)
    leaves_alone(page, say, wait_idle)
    page.locator(CURRENT).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    arrive(page, say, 2)
    page.keyboard.press("ArrowRight")
    arrive(page, say, 3)
    assert page.evaluate("document.activeElement.dataset.step") == "3"  # the focus goes along
    page.go_back()
    arrive(page, say, 2)
    page.reload()
    arrive(page, say, 2)
    assert parameter(page, "sandbox") == LOG


def test_on_a_phone_in_the_dark(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """The same list, what lies ahead told apart without colour; nothing is wider than the window."""
    language: Language = "zh"
    say = ScenarioWords(language, SCENARIO)
    at = f"/sandbox?sandbox={LOG}&at_sandbox=2"
    page = open_page(at, viewport=PHONE, locale="zh-CN", color_scheme="dark")
    arrive(page, say, 2)
    marks = ["●", "●", "▶", "○", "○", "○", "○"]
    told = [(say.text("player.start"), "")]
    told += [(format_operation(step.operation, say), describe_change(step, say)) for step in STEPS]
    assert listed(page) == [(mark, *row) for mark, row in zip(marks, told, strict=True)]
    ahead = page.locator(ROW).filter(has_text=say.text("player.ahead"))
    assert ahead.count() == TOTAL - 2
    assert page.locator(ROW).nth(3).evaluate("row => row.className") == "pkl-refused"
    assert too_wide(page) == []
    wait_idle(page)
    axe(page)
    page.locator(".pkl-player .pkl-event_forward").click()
    page.locator(".pkl-player .pkl-event_forward").click()
    page.locator(".pkl-player .pkl-event_back").click()
    page.locator(".pkl-player .pkl-event_back").click()
    arrive(page, say, 2)
    page.locator(ROW).nth(TOTAL).click()
    arrive(page, say, TOTAL)
    assert page.locator(CURRENT).evaluate("""row => {
        const [box, at] = [row.closest('ol').getBoundingClientRect(), row.getBoundingClientRect()];
        return at.top >= box.top && at.bottom <= box.bottom;
    }""")
    assert page.locator(".pkl-player .pkl-forward").get_attribute("aria-disabled") == "true"
    page.locator(".pkl-player .pkl-back").click()
    arrive(page, say, TOTAL - 1)
    assert page.locator(ROW).nth(TOTAL).get_attribute("data-state") == "ahead"
    wait_idle(page)
    assert too_wide(page) == []
