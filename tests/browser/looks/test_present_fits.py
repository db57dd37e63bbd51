"""Presented at three sizes of a projector: the picture, its question and the buttons are in the window, and legible.

Every state of every library scenario, stepped with the player's keys. By default a sample runs (tests/sample.py).
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from lab.sandbox.library import LIBRARY, get_prompt_after, get_prompt_before
from lab.sandbox.link import encode_scenario
from lab.sandbox.scenario import RequestSpec, Scenario
from lab.trace.operations import Allocate, Append, Operation
from tests.browser.steps import OpenPage, WaitIdle, too_wide
from tests.sample import sampled

if TYPE_CHECKING:
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
  const stage = document.querySelector(".pkl-stage").getBoundingClientRect();
  const texts = [...document.querySelectorAll(".pkl-stage text")].filter((text) => text.textContent.trim());
  return {
    lowest: Math.max(...bottom(".pkl-stage [role=img], .pkl-stage text, .pkl-stage .shapelayer path")),
    buttons: Math.max(...bottom(".st-key-present_bar button, .st-key-memory .pkl-controls > *")),
    question: Math.max(0, ...bottom(".st-key-sandbox_notes :is(h2, .kv-note, .kv-placeholder)")),
    smallest: Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize))),
    stage: [stage.top, stage.height].map(Math.round),
    bar: document.querySelector(".st-key-present_bar").getBoundingClientRect().height,
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


def assert_fits(page: Page, found: list[dict[str, Any]]) -> None:
    window = page.viewport_size
    assert window is not None
    for each in found:
        assert max(each["lowest"], each["buttons"], each["question"]) <= window["height"], each
        assert each["smallest"] >= SMALLEST * window["height"] - 0.05, each
        assert each["bar"] < 0.06 * window["height"], each  # one row
    assert len({tuple(each["stage"]) for each in found}) == 1, found  # nothing jumps
    assert too_wide(page) == []


@pytest.mark.parametrize(
    ("key", "size", "language"),
    sampled(
        product(LIBRARY, SIZES, ("en", "zh")),
        {("sizes", "small-laptop", "en"), ("uncached", "laptop", "zh")},
    ),
)
def test_every_state_fits(open_page: OpenPage, wait_idle: WaitIdle, key: str, size: str, language: str) -> None:
    """The highest picture and two engines side by side are the sample."""
    scenario = LIBRARY[key].scenario
    page = open_page(presented(scenario, language), viewport=SIZES[size])
    assert_fits(page, walk(page, wait_idle, scenario))


def crowd(blocks: int, size: int, requests: int, tokens: int) -> Scenario:
    """So many requests of so many tokens each, allocated one after another, and then one token more."""
    names = [chr(ord("A") + number) for number in range(requests)]
    log: list[Operation] = [*map(Allocate, names), Append(names[0])]
    return Scenario(blocks, size, "fresh", tuple(RequestSpec(name, tokens, then="a") for name in names)).then(*log)


@pytest.mark.parametrize(
    "numbers",
    [
        (64, 16, 3, 100),
        *(
            pytest.param(each, marks=pytest.mark.thorough)
            for each in ((64, 16, 2, 20), (17, 16, 4, 60), (32, 8, 12, 15))
        ),
    ],
    ids=str,
)
def test_a_large_pool_fits(open_page: OpenPage, wait_idle: WaitIdle, numbers: tuple[int, int, int, int]) -> None:
    """With fewer details; the free queue of 64 blocks too."""
    scenario = crowd(*numbers)
    page = open_page(presented(scenario, "en"), viewport=SIZES["small-laptop"])
    assert_fits(page, walk(page, wait_idle, scenario))
