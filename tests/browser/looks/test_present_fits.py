"""Presented at three sizes of a projector: the picture, its question and the buttons are in the window, and legible.

Every state of every library scenario, of the task, of the lessons' cases and of the film, stepped with the player's
keys. By default a sample runs (tests/sample.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from lab.activities.cases import LESSONS
from lab.activities.intuition.storyboard import build_scenes
from lab.activities.run import Run, encode_run
from lab.sandbox.library import LIBRARY, get_prompt_after, get_prompt_before
from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.operations import Allocate, Append, Operation
from lab.trace.presets import PLAN, build_task_config
from tests.browser.steps import OpenPage, WaitIdle, too_wide
from tests.sample import sampled

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet
    from playwright.sync_api import Page

SIZES = {"projector": (1920, 1080), "laptop": (1440, 900), "small-laptop": (1280, 720)}
SMALLEST = 18 / 1080  # of the window's height
AT = """at => {
  const { root } = window.pagedKvLabPlayer ?? {};
  return root?.state.shown === at && !root.hasAttribute("aria-busy") && root.querySelector(".main-svg") !== null;
}"""
# The lower edges of everything that must be in the window, the size of the smallest text, and where the picture begins.
PARTS = """() => {
  const bottom = (selector) => [...document.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect()).filter(({ height }) => height > 0).map((box) => box.bottom);
  const beyond = (row) => Math.max(0, ...[...document.querySelectorAll(row)].map((e) => e.scrollWidth - e.clientWidth));
  const stage = document.querySelector(".pkl-stage").getBoundingClientRect();
  const texts = [...document.querySelectorAll(".pkl-stage text")].filter((text) => text.textContent.trim());
  return {
    lowest: Math.max(...bottom(".pkl-stage [role=img], .pkl-stage text, .pkl-stage .shapelayer path")),
    buttons: Math.max(...bottom(".st-key-present_bar button, .pkl-player .pkl-controls > *")),
    question: Math.max(0, ...bottom(
      ".st-key-sandbox_notes :is(h2, .kv-note, .kv-placeholder), .st-key-lesson_asking [data-testid=stMarkdown] ol li",
    )),
    smallest: Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize))),
    stage: [stage.top, stage.height].map(Math.round),
    bar: document.querySelector(".st-key-present_bar").getBoundingClientRect().height,
    bar_beyond: beyond(".st-key-present_bar"),
    title_beyond: beyond(".st-key-title_row"),
    place_beyond: beyond(".pkl-position"),
  };
}"""


def presented(scenario: Scenario, language: str) -> str:
    return f"/sandbox?sandbox={encode_scenario(scenario)}&at_sandbox=0&present=on&lang={language}"


def walk(page: Page, wait_idle: WaitIdle, scenario: Scenario) -> list[dict[str, Any]]:
    """What is measured at every state. The question comes from the server, so only where there is one it is awaited."""
    found = []
    for step in range(len(scenario.operations) + 1):
        if step:
            page.keyboard.press("ArrowRight")
        page.wait_for_function(AT, arg=str(step))
        if get_prompt_before(scenario, step) or get_prompt_after(scenario, step):
            page.wait_for_function(
                "at => document.querySelector('.pkl-controls:not(.pkl-pending)') && "
                "(new URL(location).searchParams.get('at_sandbox') ?? at) === at",
                arg=str(step),
            )
            wait_idle(page)
        found.append({"step": step, **page.evaluate(PARTS)})
    return found


def assert_fits(page: Page, found: list[dict[str, Any]], *, beside_code: bool = False) -> None:
    """With code beside it a picture is as large as on a projector of the window's width, which is less high."""
    window = page.viewport_size
    assert window is not None
    least = SMALLEST * (min(window["height"], window["width"] * 9 / 16) if beside_code else window["height"])
    for each in found:
        assert max(each["lowest"], each["buttons"], each["question"]) <= window["height"], each
        assert each["smallest"] >= least - 0.05, each
        assert each["bar"] < 0.06 * window["height"], each  # one row
        assert max(each["bar_beyond"], each["title_beyond"], each["place_beyond"]) == 0, each
    assert len({tuple(each["stage"]) for each in found}) == 1, found  # nothing jumps
    assert too_wide(page) == []


def in_turn(names: Iterable[str], sample: set[tuple[str, str, str]]) -> list[ParameterSet]:
    """Each of these in one window, sizes and languages by turns, and the sample; by default the sample alone.

    All of them in all windows would take half an hour.
    """
    looks = {(name, list(SIZES)[i % 3], ("en", "zh")[i // 3 % 2]) for i, name in enumerate(names)}
    return sampled(sorted(looks | sample), sample)


@pytest.mark.parametrize(
    ("key", "size", "language"),
    in_turn(LIBRARY, {("sizes", "small-laptop", "en")}),
)
def test_every_state_fits(open_page: OpenPage, wait_idle: WaitIdle, key: str, size: str, language: str) -> None:
    """The highest picture is the sample."""
    scenario = LIBRARY[key].scenario
    page = open_page(presented(scenario, language), viewport=SIZES[size])
    assert_fits(page, walk(page, wait_idle, scenario))


def list_pages() -> dict[str, tuple[str, list[str]]]:
    """The address of each page that is stepped, and its places."""

    def count(run: Run, plan: Sequence[Operation]) -> list[str]:
        return [str(step) for step in range(len(run.operations), len(plan) + 1)]

    task = Run.of_task(build_task_config(4))
    pages = {"task": ("/task?", count(task, PLAN)), "eight": ("/task?part=eight&", count(task, PLAN))}
    for lesson, cases in LESSONS.items():
        for case in cases:
            run = Run.of(case)
            pages[f"{lesson}-{case.id}"] = f"/{lesson}?{lesson}={encode_run(run)}&", count(run, case.plan)
    film = [f"{number}.{frame}" for number, scene in enumerate(build_scenes(), 1) for frame in range(1, len(scene) + 1)]
    return {**pages, "film": ("/intuition?", film)}


PAGES = list_pages()


@pytest.mark.parametrize(
    ("name", "size", "language"),
    in_turn(PAGES, {("eight", "small-laptop", "en")}),
)
def test_every_state_of_a_page_fits(
    open_page: OpenPage, wait_idle: WaitIdle, name: str, size: str, language: str
) -> None:
    """Stepped without a prediction; the sample has the most slots."""
    address, places = PAGES[name]
    page = open_page(f"{address}present=on&lang={language}", viewport=SIZES[size])
    found: list[dict[str, Any]] = []
    for place in places:
        if found:
            page.keyboard.press("ArrowRight")
        page.wait_for_function(AT, arg=place)  # its words are the same everywhere, so the server need not be awaited
        found.append(page.evaluate(PARTS))
    wait_idle(page)  # the address has followed, and nothing is drawn otherwise
    page.wait_for_function(AT, arg=places[-1])
    found.append(page.evaluate(PARTS))
    assert_fits(page, found, beside_code=name.startswith("code-"))
    page.keyboard.press("?")
    keys = page.get_by_test_id("stPopoverBody")
    keys.get_by_role("listitem").last.wait_for()
    assert keys.evaluate("list => list.scrollHeight - list.clientHeight") == 0


def test_only_the_page_is_enlarged(open_page: OpenPage) -> None:
    """At the largest size the bar is as it was."""
    page = open_page("/task?present=on.x200&lang=en", viewport=SIZES["small-laptop"])
    found = page.evaluate(PARTS)
    assert found["bar"] < 0.06 * 720
    assert found["bar_beyond"] == 0


def crowd(blocks: int, size: int, requests: int, tokens: int) -> Scenario:
    """So many requests of so many tokens each, allocated one after another, and then one token more."""
    names = [chr(ord("A") + number) for number in range(requests)]
    log: list[Operation] = [*map(Allocate, names), Append(names[0])]
    return Scenario(blocks, size, "fresh", tuple(RequestSpec(name, tokens, then="a") for name in names)).then(*log)


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(each, marks=pytest.mark.thorough)
        for each in (
            (64, 16, 3, 100),
            (64, 16, 2, 20),
            (17, 16, 4, 60),
            (32, 8, 12, 15),
            (64, 16, 12, 80),
            (64, 16, 1, 127),
        )
    ],
    ids=str,
)
def test_a_large_pool_fits(open_page: OpenPage, wait_idle: WaitIdle, numbers: tuple[int, int, int, int]) -> None:
    """With fewer details; the free queue of 64 blocks too."""
    scenario = crowd(*numbers)
    page = open_page(presented(scenario, "en"), viewport=SIZES["small-laptop"])
    assert_fits(page, walk(page, wait_idle, scenario))
