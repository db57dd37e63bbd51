"""One view: after each press the buttons, all that changed, the free queue and the new verdict are in the window.

No test here scrolls. By default a sample of the walks runs (tests/sample.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from lab.activities.cases import LESSONS
from lab.activities.cases.task import RESIZED
from lab.activities.question import observe_outcomes
from lab.activities.run import Run, encode_run
from lab.activities.trace_points import iterate_trace_points
from lab.trace.operations import Append, Operation, Release, encode_operation
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Timeline
from lessons.state.slots import EIGHT, MAIN
from tests.browser.steps import COUNT, OpenPage, WaitIdle, too_wide
from tests.links import predict
from tests.sample import sampled

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet
    from playwright.sync_api import Page

LAPTOP, SMALL_LAPTOP, PHONE = (1440, 900), (1280, 720), (390, 844)
LOCALES = ("zh-CN", "en-US")
SIZES = {"laptop": LAPTOP, "small-laptop": SMALL_LAPTOP, "phone": PHONE}
LESSONS_WALKED = ("allocate", "append", "share")
# Nobody can append or release what is not there: refused, with the reason beside the button.
REFUSED: tuple[Operation, ...] = (Append("B"), Release("A"))


@dataclass(frozen=True)
class Walk:
    """A committed prediction, right or wrong, and the operations to press."""

    path: str
    parameter: str
    run: Run
    presses: tuple[Operation, ...]

    @property
    def address(self) -> str:
        return f"{self.path}{'&' if '?' in self.path else '?'}{self.parameter}={encode_run(self.run)}"


def committed(run: Run, presses: tuple[Operation, ...], pick: int | None = None) -> Run:
    """The run with a prediction: every second answer as the run will have it."""
    steps = Timeline.replay(run.config, (*run.operations, *presses)).steps
    questions = run.case.questions(pick)
    found = observe_outcomes(list(iterate_trace_points(steps)), questions)
    answers = tuple(
        found[question.id].value if i % 2 else _wrong(found[question.id].value, question.form)
        for i, question in enumerate(questions)
    )
    return predict(run, answers, pick=pick)


def _wrong(value: int, kind: str) -> int:
    return 1 - min(value, 1) if kind in ("yes_no", "choice") else value + 1


def walks() -> dict[str, Walk]:
    task = Run.of_task(build_task_config(MAIN.block_size))
    eight = Run.of_task(build_task_config(EIGHT.block_size), RESIZED)
    found = {
        "task": Walk("/task", MAIN.key, committed(task, PLAN), PLAN),
        "refused": Walk("/task", MAIN.key, committed(task, PLAN), REFUSED),
        "eight": Walk("/task?part=eight", EIGHT.key, committed(eight, PLAN), PLAN),
    }
    for lesson in LESSONS_WALKED:
        for case in LESSONS[lesson]:
            presses = case.plan[case.prepared :]
            pick = case.last_pick
            run = committed(Run.of(case), presses, pick)
            found[f"{lesson}-{case.id}"] = Walk(f"/{lesson}", lesson, run, presses)
    return found


WALKS = walks()
SAMPLE = {("allocate-exact", "small-laptop")}


def in_turn(names: Iterable[Any], sample: Collection[tuple[Any, str]]) -> list[ParameterSet]:
    """Each of these in each window, the languages in turn; by default those of the sample."""
    looks = [(name, size, LOCALES[(i + j) % 2]) for i, name in enumerate(names) for j, size in enumerate(SIZES)]
    return sampled(looks, [look for look in looks if look[:2] in sample])


# What must be in the window, each part by itself: [name, box, is something else in front of it?, sideways too?].
PARTS = """() => {
  const parts = [];
  const covered = (element, box) => {
    const inset = 3, xs = [box.left + inset, (box.left + box.right) / 2, box.right - inset];
    const ys = [box.top + inset, (box.top + box.bottom) / 2, box.bottom - inset];
    return xs.some((x) => ys.some((y) => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && !element.contains(hit) && !hit.contains(element);
    }));
  };
  const add = (name, selector, whole = true) => document.querySelectorAll(selector).forEach((element) => {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) return;
    const rect = [box.left, box.top, box.right, box.bottom];
    parts.push([name, rect, whole && covered(element, box), whole]);
  });
  add("picture", ':is(.st-key-memory, .st-key-film) .pkl-figure:not([data-name="under"]) [role="img"]');
  add("film", ".st-key-film .pkl-controls :is(button, select, input)");
  add("caption", ".st-key-film .pkl-film > :is(.pkl-scene, .pkl-caption, .pkl-cue)");
  add("ruler", '.pkl-figure[data-name="under"] [role="img"]');
  add("suggested", ".pkl-operations .pkl-suggested");
  add("operation", ".pkl-operations button:not(.pkl-suggested)", false);
  add("time travel", ".st-key-memory .pkl-controls > :is(button, input)");
  add("verdict", ".kv-verdicts .new summary");
  add("other verdict", ".kv-verdicts details:not(.new) summary");
  add("answer", ".st-key-lesson :is(.kv-headline, .pkl-headline)");
  add("go on", ".st-key-to_explain button");
  return parts;
}"""
SMALLEST_TEXT = """() => {
  const { data } = document.querySelector(':is(.st-key-memory, .pkl-stage) [role="img"]');
  const sizes = data.filter((trace) => trace.mode === "text" && !trace.meta.signs).map((t) => t.textfont.size);
  return Math.min(...sizes.flat());
}"""


def assert_one_view(page: Page, needed: set[str]) -> None:
    """All parts are in the window, nothing lies over them or over each other, and nothing is cut off at the side."""
    window = page.viewport_size
    assert window is not None
    parts = page.evaluate(PARTS)
    assert needed <= {name for name, *_ in parts}
    for name, (left, top, right, bottom), covered, sideways in parts:
        assert top >= 0, (name, top)
        assert bottom <= window["height"], (name, bottom)
        if sideways:
            assert left >= 0, (name, left)
            assert right <= window["width"], (name, right)
        assert not covered, name
    boxes = [(name, box) for name, box, _, _ in parts]
    for i, (name, one) in enumerate(boxes):
        for other, two in boxes[i + 1 :]:
            apart = one[2] <= two[0] + 1 or two[2] <= one[0] + 1 or one[3] <= two[1] + 1 or two[3] <= one[1] + 1
            assert apart, (name, one, other, two)
    assert too_wide(page) == []


def press(page: Page, wait_idle: WaitIdle, operation: Operation, walk: Walk, count: int) -> None:
    """As a hand would: only what can be pressed where the window stands."""
    page.locator(".pkl-operations:not(.pkl-pending)").first.wait_for()
    button = page.locator(f'button[data-operation="{encode_operation(operation)}"]')
    button.evaluate("button => button.click()") if not on_screen(button) else button.click()
    page.wait_for_function(
        f"([name, n]) => (new URL(location).searchParams.get(name) ?? '').split('_')[2]?.split('.'){COUNT} === n",
        arg=[walk.parameter, count],
    )
    wait_idle(page)


def on_screen(button: Any) -> bool:
    box = button.bounding_box()
    width = button.page.viewport_size["width"]
    return bool(box and box["x"] >= 0 and box["x"] + box["width"] <= width)


@pytest.mark.parametrize(("name", "size", "locale"), in_turn(WALKS, SAMPLE))
def test_after_each_press_all_is_in_the_window(
    open_page: OpenPage, wait_idle: WaitIdle, name: str, size: str, locale: str
) -> None:
    walk = WALKS[name]
    page = open_page(walk.address, viewport=SIZES[size], locale=locale)
    page.locator('.st-key-memory [role="img"] .main-svg').first.wait_for()
    wait_idle(page)
    before = len(walk.run.operations)
    for number, operation in enumerate(walk.presses, 1):
        press(page, wait_idle, operation, walk, before + number)
        needed = {"picture", "time travel", "operation" if len(walk.presses) > 1 else "picture"}
        if name == "refused":
            needed |= {"answer"}
        if name == "task" and number == 1:
            needed |= {"verdict", "suggested"}
        try:
            assert_one_view(page, needed)
        except AssertionError as problem:
            raise AssertionError(f"after {encode_operation(operation)}: {problem}") from None
        assert page.evaluate(SMALLEST_TEXT) >= 11


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES)
def test_a_verdict_opens_to_its_card(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    """By a click, in the window; nothing else moves, and another click folds it again."""
    walk = WALKS["task"]
    page = open_page(replace(walk, run=walk.run.then(walk.presses[0])).address, viewport=SIZES[size])
    picture = page.locator('.st-key-memory [role="img"]')
    picture.locator(".main-svg").first.wait_for()
    wait_idle(page)
    before = picture.bounding_box()
    for chip in page.locator(".kv-verdicts details").all():
        card = chip.locator(".kv-card")
        assert not card.is_visible()
        chip.locator("summary").click()
        assert card.locator(".o").is_visible()
        box = card.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= SIZES[size][0]
        assert box["y"] + box["height"] <= SIZES[size][1]
        assert picture.bounding_box() == before
        chip.locator("summary").click()
        assert not card.is_visible()
