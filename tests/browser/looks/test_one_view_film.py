"""One view, in the film, the code lesson and on Start: what one presses, what it changes, queue and verdict together.

No test here scrolls, but for the way down to Start's picture. By default a sample of the walks runs
(tests/sample.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lab.activities.attempt import Answer, Attempt, encode
from lab.activities.cases import LESSONS
from lab.activities.intuition.outcomes import observe_outcome
from lab.activities.intuition.progress import (
    KIND,
    LAST_SCENE,
    QUESTIONS,
    IntuitionView,
)
from lab.activities.intuition.storyboard import build_scenes
from lab.activities.run import Run
from lessons.intuition.questions import format_option
from lessons.start.picture import load
from lessons.text.translations import Translations, get_translations
from tests.browser.journeys.test_intuition_journey import wait_for_picture, wait_for_place
from tests.browser.looks.test_one_view import SIZES, SMALLEST_TEXT, Walk, assert_one_view, committed, in_turn, press
from tests.browser.steps import OpenPage, WaitIdle, commit, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def words_for(locale: str) -> Translations:
    return get_translations("zh" if locale == "zh-CN" else "en")


def visit_after(answers: int) -> IntuitionView:
    """The first so many questions answered, the last of them wrongly; the first picture of the scene it opened."""
    given = [Answer((each.place(observe_outcome(each)),), "think") for each in QUESTIONS[:answers]]
    question = QUESTIONS[answers - 1]
    given[-1] = Answer(((given[-1].number + 1) % len(question.options),), "think")
    return IntuitionView.read(Attempt(KIND, tuple(given)))


@pytest.mark.parametrize(("answers", "size", "locale"), in_turn(range(1, len(QUESTIONS) + 1), set()))
def test_every_picture_of_the_film(
    open_page: OpenPage, wait_idle: WaitIdle, answers: int, size: str, locale: str
) -> None:
    """Forwards through what the last answer opened; then the question at the gate, its answer, and where one lands."""
    visit, say = visit_after(answers), words_for(locale)
    page = open_page(
        f"/intuition?intuition={encode(visit.attempt)}&at_intuition={visit.place}", viewport=SIZES[size], locale=locale
    )
    places = [
        (s, f) for s in range(visit.scene, LAST_SCENE[answers] + 1) for f in range(1, len(build_scenes()[s - 1]) + 1)
    ]
    for place in places:
        if place != places[0]:
            page.locator(".pkl-forward").click()
        wait_for_picture(page, *place, say.language)
        if place == places[0]:
            wait_idle(page)
        assert_one_view(page, {"film", "caption", "picture", "verdict"})
        assert page.evaluate(SMALLEST_TEXT) >= 11, place
    wait_for_place(page, f"{places[-1][0]}.{places[-1][1]}")
    wait_idle(page)
    assert_one_view(page, {"film", "caption", "picture", "verdict"})
    if visit.pending is None:
        assert page.locator(".kv-verdicts .new.other").count() == 1
        return
    page.locator(".pkl-back").click()
    page.get_by_role("button", name=say.text("intuition.to_question")).click()
    heading = page.get_by_role("heading", name=say.text("intuition.before_scene", scene=places[-1][0] + 1))
    heading.wait_for()
    wait_idle(page)
    assert_in_window(page, ".st-key-film_question [data-testid=stForm]")
    page.get_by_text(format_option(visit.pending, visit.pending.options[0].id, say), exact=True).click()
    commit(page, say)
    wait_for_picture(page, places[-1][0] + 1, 1, say.language)
    wait_idle(page)
    assert_one_view(page, {"film", "caption", "picture", "verdict"})


def code_walks() -> dict[str, Walk]:
    found = {}
    for case in LESSONS["code"]:
        presses = case.plan[case.prepared :]
        found[f"code-{case.id}"] = Walk("/code", "code", committed(Run.of(case), presses), presses)
    return found


CODE = code_walks()


@pytest.mark.parametrize(("name", "size", "locale"), in_turn(CODE, set()))
def test_every_case_of_the_code_lesson(
    open_page: OpenPage, wait_idle: WaitIdle, name: str, size: str, locale: str
) -> None:
    """The source beside the question about it; then the buttons with all that they change."""
    walk = CODE[name]
    unanswered = encode(replace(walk.run.attempt, answers=()))
    page = open_page(f"/code?code={unanswered}", viewport=SIZES[size], locale=locale)
    page.locator(".st-key-lesson_asking .st-key-source li").first.wait_for(state="attached")
    assert_in_window(page, ".st-key-source")
    assert_in_window(page, ".st-key-lesson_asking [data-testid=stForm] label")
    page.evaluate("address => { location.search = address }", walk.address.partition("?")[2])
    page.locator('.st-key-memory [role="img"] .main-svg').first.wait_for()
    wait_idle(page)
    for number, operation in enumerate(walk.presses, 1):
        press(page, wait_idle, operation, walk, len(walk.run.operations) + number)
        settled = {"verdict"} if number == len(walk.presses) else set()
        assert_one_view(page, {"picture", "time travel"} | settled)
        assert page.evaluate(SMALLEST_TEXT) >= 11


def top_left(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def assert_in_window(page: Page, selector: str) -> None:
    box, window = page.locator(selector).first.bounding_box(), page.viewport_size
    assert box is not None
    assert window is not None
    assert (box["y"] >= -1, box["y"] + box["height"] <= window["height"] + 1) == (True, True), box
    assert too_wide(page) == []


@pytest.mark.parametrize(("name", "size", "locale"), in_turn(["start"], {("start", "phone")}))
def test_start(open_page: OpenPage, wait_idle: WaitIdle, name: str, size: str, locale: str) -> None:
    """The picture, the button under it and what happened."""
    say = words_for(locale)
    page = open_page("/", viewport=SIZES[size], locale=locale)
    page.locator(".st-key-start_picture .main-svg").first.wait_for()
    button = page.locator(".st-key-picture_next button")
    # Once, on a phone; from then on the button stays under the finger.
    page.locator(".st-key-start_picture").evaluate("box => box.scrollIntoView({ block: 'start' })")
    for step in load(say.language, 8)[1:]:
        before = top_left(button)
        button.click()
        page.get_by_text(step.caption).wait_for()
        wait_idle(page)
        assert top_left(button) == before
        for selector in ('.st-key-start_picture [role="img"]', ".st-key-start_steps", ".kv-headline"):
            assert_in_window(page, selector)
