"""Every label of every picture: redrawn after an operation, a page's pictures say what a fresh load of it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from lab.activities.cases import LESSONS
from lab.activities.cases.case import Case
from lab.activities.intuition.storyboard import build_scenes
from lab.activities.run import encode_run
from lab.trace.operations import encode_operation
from lessons.start.picture import load
from lessons.text.translations import get_translations
from tests.browser.journeys.test_intuition_journey import wait_for_place
from tests.browser.journeys.test_memory import RAN, drawn
from tests.browser.journeys.test_quiz import CELLS, button
from tests.browser.journeys.test_sandbox_journey import wait_for_log
from tests.browser.served import Server
from tests.browser.steps import (
    COMMITTED,
    COUNT,
    OPERATIONS,
    PHONE,
    WIDE,
    ZH_PHONE_EN_WIDE,
    OpenPage,
    WaitIdle,
    press,
)
from tests.lesson.test_lesson_flow import predicted
from tests.links import encode_round

if TYPE_CHECKING:
    from playwright.sync_api import Page

Labels = dict[str, list[str]]  # of each picture, by the key of its component

_LABELS = """() => Object.fromEntries([...document.querySelectorAll('.js-plotly-plot')].map((node) => [
  node.closest('[class*="st-key-"]').className.match(/st-key-(\\S+)/)[1],
  [...node.querySelectorAll('.main-svg text')].map((text) => text.textContent.trim()).filter(Boolean).sort(),
]))"""
_DRAWN = """() => [...document.querySelectorAll('.pkl-plot > div, .pkl-stage > div')].every(
  (node) => node.querySelector('.main-svg'))"""
_SAME = f"(expected) => JSON.stringify(({_LABELS})()) === JSON.stringify(expected)"


ROUNDS = 4


class Beside:
    """A second tab beside a page's own, in which the page's address is opened afresh."""

    def __init__(self, page: Page, wait_idle: WaitIdle) -> None:
        self._page, self._fresh, self._wait_idle = page, page.context.new_page(), wait_idle
        assert page.viewport_size is not None
        self._fresh.set_viewport_size(page.viewport_size)

    def compare(self, after: str) -> None:
        """Fails where a picture of the page does not come to say what it says in a fresh load."""
        from playwright.sync_api import TimeoutError as TooLate  # noqa: PLC0415  (only where there is a browser)

        self._wait_idle(self._page)
        self._fresh.goto("about:blank")  # the same address again would be no load
        self._fresh.goto(self._page.url)
        self._wait_idle(self._fresh)
        self._fresh.wait_for_function(_DRAWN)
        for _ in range(ROUNDS):  # the fresh load may come to rest later than it seems: with its columns counted
            expected: Labels = self._fresh.evaluate(_LABELS)
            with suppress(TooLate):
                self._page.wait_for_function(_SAME, arg=expected, timeout=1500)
                assert any(expected.values()), after
                return
        shown: Labels = self._page.evaluate(_LABELS)
        assert list(shown) == list(expected), after
        for name, labels in shown.items():
            lost, more = Counter(expected[name]) - Counter(labels), Counter(labels) - Counter(expected[name])
            assert (lost, more) == ({}, {}), f"{after}, {name}"


pytestmark = pytest.mark.thorough

Open = Callable[["Page"], Beside]


@pytest.fixture
def beside(wait_idle: WaitIdle) -> Open:
    """Open the second tab."""
    return lambda page: Beside(page, wait_idle)


EACH_CASE = [pytest.param(lesson, case, id=case.id) for lesson, cases in LESSONS.items() for case in cases]


@pytest.mark.parametrize(("lesson", "case"), EACH_CASE)
def test_a_lesson(open_page: OpenPage, beside: Open, lesson: str, case: Case) -> None:
    """A case, from where it opens through its whole plan; every other one on a phone."""
    narrow = LESSONS[lesson].index(case) % 2 == 0
    page = open_page(f"/{lesson}?{lesson}={encode_run(predicted(case).beginning)}", viewport=PHONE if narrow else WIDE)
    fresh = beside(page)
    for count, operation in enumerate(case.plan[case.prepared :], case.prepared + 1):
        page.locator(f'button[data-operation="{encode_operation(operation)}"]').click()
        page.wait_for_function(
            f"([name, n]) => new URL(location).searchParams.get(name).split('_')[2].split('.'){COUNT} === n",
            arg=[lesson, count],
        )
        fresh.compare(f"{case.id}, {encode_operation(operation)}")


def test_start(open_page: OpenPage, beside: Open) -> None:
    """The picture on Start, through its steps and back to the first."""
    page = open_page("/", viewport=PHONE)
    page.wait_for_function(_DRAWN)
    fresh = beside(page)
    steps = len(load("en", 4))
    for step in (*map(str, range(2, steps + 1)), ""):
        page.locator(".st-key-picture_next button").click()
        page.wait_for_function("(step) => (new URL(location).searchParams.get('start') ?? '') === step", arg=step)
        fresh.compare(f"step {step}")


@pytest.mark.parametrize(("locale", "viewport"), ZH_PHONE_EN_WIDE)
def test_task(open_page: OpenPage, beside: Open, locale: str, viewport: tuple[int, int]) -> None:
    """The chapter's own operations."""
    page = open_page(COMMITTED, locale=locale, viewport=viewport)
    fresh = beside(page)
    for operation in OPERATIONS:
        press(page, operation)
        fresh.compare(operation)


def test_sandbox(open_page: OpenPage, beside: Open, wait_idle: WaitIdle) -> None:
    """A shared beginning, a refusal, several tokens at once, a release."""
    page = open_page("/sandbox?sandbox=1.4.4.3-0-2-1_A.n10_B.sA-8.n1_", viewport=WIDE)
    fresh, done = beside(page), ""
    for request, button_id, text in ((0, "aA", "aA"), (1, "aB", "aB"), (0, "several", "tA-3"), (1, "rB", "rB")):
        page.locator(".st-key-sandbox_request [role=radio]").nth(request).click()
        wait_idle(page)
        page.locator(f'[data-operation="{button_id}"]').click()
        done += f".{text}" if done else text
        wait_for_log(page, f"_{done}")
        fresh.compare(text)


def test_intuition(open_page: OpenPage, beside: Open) -> None:
    """The film, through the scene of sharing, from picture to picture and once over several."""
    page = open_page("/intuition?intuition=01-20-10_5.1", viewport=PHONE)
    fresh, at = beside(page), 1
    for picture in (2, 3, 4, len(build_scenes()[4])):
        for _ in range(picture - at):
            page.locator(".pkl-forward").click()
        at = picture
        wait_for_place(page, f"5.{picture}")
        fresh.compare(f"5.{picture}")


def test_quiz(open_page: OpenPage, beside: Open) -> None:
    """The pool before a question, and after its answer."""
    page = open_page(f"/quiz?quiz={encode_round(CELLS)}", viewport=WIDE, locale="zh-CN")
    say, fresh = get_translations("zh"), beside(page)
    page.get_by_label(say.text("quiz_page.field.set_slot")).fill("1-3")
    page.get_by_text(say.text("quiz_page.sure.guess"), exact=True).click()
    button(page, say, "submit").click()
    page.get_by_role("heading", name=say.text("quiz_page.right")).wait_for()
    fresh.compare("answered")


def test_memory(open_page: OpenPage, serve: Callable[[str], Server], beside: Open) -> None:
    """Another block_size, another policy and moment."""
    server = serve("tests/browser/memory_app.py")
    page = open_page(f"/memory?memory={RAN}&at_memory=block_size", app=server, viewport=WIDE)
    drawn(page, "block-size")
    page.locator(".st-key-memory_progress").wait_for(state="detached", timeout=60_000)
    fresh, slider = beside(page), page.get_by_role("slider")
    for key, size in (("ArrowRight", 32), ("ArrowLeft", 16), ("ArrowLeft", 8)):
        slider.press(key)
        page.wait_for_url(f"**.run{size}*")
        fresh.compare(f"block_size {size}")
