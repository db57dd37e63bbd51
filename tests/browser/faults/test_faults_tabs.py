"""Two tabs of one browser at once; clicks faster than a slow browser; another language, theme, page in the middle."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from lab.activities.attempt import decode, encode
from lab.activities.checkpoint import build_checkpoint
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.text.translations import get_translations
from tests.activities.test_attempt import CLOSE
from tests.browser.cut import wire
from tests.browser.room import OURS, P, stored
from tests.browser.served import Server
from tests.browser.steps import COMMITTED, OpenPage, WaitIdle, operations, outcomes, parameter, press
from tests.links import parse_run, saved

pytestmark = [pytest.mark.once, pytest.mark.thorough]
say, zh = get_translations("en"), get_translations("zh")
MERGE = (Path(__file__).parents[3] / "assets" / "components" / "browser_store" / "merge_record.js").read_text(
    encoding="utf-8"
)
ANSWERS = "JSON.parse(localStorage.getItem('paged-kv-lab')).answers"
KEEP = f"localStorage.getItem('paged-kv-lab') ?? localStorage.setItem('paged-kv-lab', {json.dumps(json.dumps(OURS))})"


def quiz(*rounds: str) -> dict[str, Any]:
    """A record with these rounds, each with its answers: `A_1s.2g`."""
    return {"attempts": {f"quiz.{text[0]}": f"2.quiz.{text}_" for text in rounds}}


def ran(prediction: str, operations: str) -> dict[str, Any]:
    """A record with this prediction for one scenario, and its run; without a prediction it is empty."""
    return {"attempts": {"task.4": f"2.task.4_{prediction}_{operations}"}} if prediction else {}


# What it was, mine, theirs, and what there is of the two.
MERGED: dict[str, tuple[Any, Any, Any, Any]] = {
    "nothing new": ({"a": 1}, {"a": 1}, {"a": 1}, {"a": 1}),
    "mine": ({"a": 1}, {"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}),
    "theirs": ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}),
    "of different names": ({}, {"a": 1}, {"b": 2}, {"b": 2, "a": 1}),
    "deeper": ({"c": {"x": 1}}, {"c": {"x": 1, "y": 2}}, {"c": {"x": 3}}, {"c": {"x": 3, "y": 2}}),
    "the same name": ({}, {"a": 1}, {"a": 2}, {"a": 1}),
    "taken out here": ({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 1, "c": 1}, {"b": 1, "c": 1}),
    "taken out there": ({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}, {"b": 1}, {"b": 1, "c": 1}),
    "forgotten there": ({"a": 1}, {"a": 1, "b": 2}, {}, {"b": 2}),
    "lists": ({"l": ["x"]}, {"l": ["x", "m"]}, {"l": ["x", "t"]}, {"l": ["x", "t", "m"]}),
    "a list, the same": ({"l": ["x"]}, {"l": ["x", "m"]}, {"l": ["x", "m"]}, {"l": ["x", "m"]}),
    "a list, twice": ({"l": ["x"]}, {"l": ["x", "x"]}, {"l": ["x", "t"]}, {"l": ["x", "t", "x"]}),
    "a list, taken out": ({"l": ["x", "y"]}, {"l": ["y"]}, {"l": ["x", "y", "t"]}, {"l": ["y", "t"]}),
    "another kind": ({"l": ["x"]}, {"l": {"m": 1}}, {"l": ["x", "t"]}, {"l": {"m": 1}}),
    # An attempt: the further one; of two different ones the one that was stored first.
    "a round, begun in both": ({}, quiz("A_1s"), quiz("A_0g"), quiz("A_0g")),
    "a round, told first": (quiz("A_1s"), quiz("A_1s.3g"), quiz("A_1s.2t"), quiz("A_1s.2t")),
    "a round, here further": (quiz("A_1s"), quiz("A_1s.2t.0t"), quiz("A_1s.2t"), quiz("A_1s.2t.0t")),
    "a round, there further": (quiz("A_1s"), quiz("A_1s.2t"), quiz("A_1s.2t.0g"), quiz("A_1s.2t.0g")),
    "a round, 1 and 12": ({}, quiz("A_12s"), quiz("A_1s"), quiz("A_1s")),
    "a round, how sure was not known": ({}, quiz("A_1s.0g"), quiz("A_1"), quiz("A_1s.0g")),
    "a round, on from what fell": (quiz("A_1s"), quiz("A_1s.2s"), quiz("A_0g"), quiz("A_0g")),
    "a round, and another": (
        quiz("A_1s"),
        quiz("A_1s.3s", "B_1s"),
        quiz("A_1s.2t", "C_5t"),
        quiz("A_1s.2t", "C_5t", "B_1s"),
    ),
    "a prediction, in both": ({}, ran("9t", "aA"), ran("3t", ""), ran("3t", "")),
    "a prediction, both ran": ({}, ran("9t", "aA"), ran("3t", "rA"), ran("3t", "rA")),
    "a prediction, on from what fell": (ran("9t", "aA"), ran("9t", "aA.aB"), ran("3t", "rA"), ran("3t", "rA")),
    "a prediction, begun again here": (ran("3t", "aA"), ran("9t", ""), ran("3t", "aA.aB"), ran("9t", "")),
    "a prediction, begun again there": (ran("3t", "aA"), ran("3t", "aA.aB"), ran("9t", ""), ran("9t", "")),
    "a prediction, gone there": (ran("3t", "aA"), ran("3t", "aA.aB"), ran("", ""), ran("", "")),
    "a prediction, gone here": (ran("3t", "aA"), ran("", ""), ran("3t", "aA.aB"), ran("", "")),
    "a prediction, run further": (
        ran("3t", "aA"),
        ran("3t", "aA.aB"),
        ran("3t", "aA.aB.tB-2"),
        ran("3t", "aA.aB.tB-2"),
    ),
    "a prediction, further here": (ran("3t", "tB"), ran("3t", "tB-3.aA"), ran("3t", "tB-2"), ran("3t", "tB-3.aA")),
    "a prediction, forgotten there": (ran("3t", "aA"), {**ran("3t", "aA"), "b": 1}, {}, {"b": 1}),
    "a prediction, of another scenario": (
        {},
        {"attempts": {"task.4": "2.task.4_9t_aA"}},
        {"attempts": {"task.8": "2.task.8_3t_"}},
        {"attempts": {"task.8": "2.task.8_3t_", "task.4": "2.task.4_9t_aA"}},
    ),
    "started over here": (
        ran("3t", "aA"),
        {"attempts": {}, "earlier": ["2.task.4_3t_aA"]},
        {**ran("3t", "aA"), "done": ["run"]},
        {"earlier": ["2.task.4_3t_aA"], "done": ["run"]},
    ),
    "made from a record of an earlier shape": (
        {"committed": {"P4.used__": "x"}, "attempts": ["y"], "done": ["run"]},
        {**ran("3t", "aA"), "earlier": ["y"], "done": ["run"]},
        {**ran("3t", ""), "earlier": ["y"], "done": ["exact", "run"]},
        {**ran("3t", "aA"), "earlier": ["y"], "done": ["exact", "run"]},
    ),
    # An answer beside an attempt: the one that was stored first.
    "a check": (
        {"answers": {"x": {"check.aA": "a"}}},
        {"answers": {"x": {"check.aA": "a", "check.aB": 1, "again.0": 3}}},
        {"answers": {"x": {"check.aA": "a", "check.aB": 2}, "y": {"try.0": "b"}}},
        {"answers": {"x": {"check.aA": "a", "check.aB": 2, "again.0": 3}, "y": {"try.0": "b"}}},
    ),
}


def test_two_tabs_write_the_same_record(server: Server, open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """One is slow to hear of the other. Both answers are kept, each once, and the run that has gone on further."""
    with wire(server.url) as line:
        app = Server(line.url, server.log, server.pid)
        slow = open_page(f"{COMMITTED}aA", app=app, init_script=KEEP)
        assert {
            name: slow.evaluate(f"([b, m, t]) => {{ {MERGE}; return merge(b, m, t); }}", [b, m, t])
            for name, (b, m, t, _) in MERGED.items()
        } == {name: both for name, (_, _, _, both) in MERGED.items()}
        pairs = [[encode(a), encode(b)] for a, b in product(CLOSE, repeat=2)]
        order = slow.evaluate(f"pairs => {{ {MERGE}; return pairs.map(([a, b]) => goesOn(a, b)); }}", pairs)
        assert order == [decode(a).extends(decode(b)) for a, b in pairs]
        held = line.streams[-1]
        quick = open_page(COMMITTED, app=app, context=slow.context)
        line.hold(held)
        mine = said_of_newest(parameter(slow, "run"))
        slow.get_by_role("radio", name=mine, exact=True).locator("xpath=ancestor::label").click()
        line.wait_for_answer(held)
        for operation in ("aA", "aB", "tB"):
            press(quick, operation)
            wait_idle(quick)
        theirs = said_of_newest(parameter(quick, "run"))
        quick.get_by_role("radio", name=theirs, exact=True).locator("xpath=ancestor::label").click()
        quick.wait_for_function(f"() => {ANSWERS}")
        line.hold(held, held=False)
        asked = {f"check.{done}": answer_of(P + done) for done in ("aA", "aA.aB.tB")}
        slow.wait_for_function(f"n => Object.keys({ANSWERS}[{P!r}]).length === n", arg=2)
        press(slow, "aB")  # less than the other tab has done
        for page in (slow, quick):
            wait_idle(page)
            assert stored(page) == {**saved(f"{P}aA.aB.tB"), "answers": {P: asked}}
        assert (operations(slow), operations(quick)) == (["aA", "aB"], ["aA", "aB", "tB"])
        quick.get_by_role("button", name=say.text("site.forget")).click()
        quick.get_by_role("button", name=say.text("site.forget_yes")).click()
        slow.wait_for_function("() => localStorage.getItem('paged-kv-lab') === null")
        wait_idle(slow)
        assert stored(slow) == {}


def newest(run_text: str) -> Any:
    run = parse_run(run_text)
    return build_checkpoint(Timeline.replay(run.config, run.operations).steps[-1])


def answer_of(run_text: str) -> str:
    return str(newest(run_text).answer)


def said_of_newest(run_text: str) -> str:
    """The right option of the quick question about a run's newest operation, in words."""
    asked = newest(run_text)
    return format_checkpoint_option(asked, next(option for option in asked.options if option.id == asked.answer), say)


# In one go: however slow the machine, no answer comes between.
BURST = """() => {
  const pressed = document.querySelector('button[data-operation="aB"]');
  for (const detail of [1, 2, 3]) pressed.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
  for (const each of document.querySelectorAll("button[data-operation]"))
    if (!each.dataset.operation.startsWith("r")) each.click();
}"""


def test_a_burst_of_clicks_on_a_slow_machine(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """A triple click and other buttons at once: the first press counts once, the others wait their turn."""
    page = open_page(f"{COMMITTED}aA", init_script=KEEP)
    page.locator('button[data-operation="aB"]').wait_for()
    throttle = page.context.new_cdp_session(page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.evaluate(BURST)
    page.wait_for_function("() => location.search.includes('aA.aB.aA.aB.tB')")
    page.locator(".pkl-operations:not(.pkl-pending)").wait_for()
    page.locator(".st-key-memory .pkl-back").click()
    page.wait_for_function("() => location.search.includes('at=')")
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "aA", "aB", "tB"]
    page.get_by_role("button", name=say.text("task.return_to_end")).click()
    page.wait_for_function("() => !location.search.includes('at=')")
    wait_idle(page)
    for count in (2, 3, 4):
        page.locator('button[data-operation="tB"]').dblclick()
        page.wait_for_function("log => location.search.includes(log)", arg=f"aB.tB-{count}")
        page.locator(".pkl-operations:not(.pkl-pending)").wait_for()
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "aA", "aB", *["tB"] * 4]
    assert stored(page) == saved(f"{P}aA.aB.aA.aB.tB-4")


def test_language_theme_and_history_in_the_middle(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """What is typed, what is chosen, the run, the place in it: all of it outlives each, and Back and Forward."""
    page = open_page("/task")
    page.get_by_label(say.text("task.question.blocks")).fill("3")
    page.get_by_label(say.text("task.question.empty_slots")).fill("２")
    page.keyboard.press("Tab")
    page.emulate_media(color_scheme="dark")
    page.get_by_text(say.text("site.lang_zh"), exact=True).click()
    page.get_by_role("button", name=zh.text("task.commit")).wait_for()
    wait_idle(page)
    typed = [page.get_by_label(zh.text(f"task.question.{name}")).input_value() for name in ("blocks", "empty_slots")]
    assert typed == ["3", "２"]
    page.goto(page.url.split("?")[0] + COMMITTED.removeprefix("/task") + "aA.aB&lang=zh")
    page.locator(".kv-verdicts").wait_for()
    wait_idle(page)
    seen = outcomes(page).all_text_contents()
    press(page, "tB")
    page.emulate_media(color_scheme="light")
    page.get_by_text(say.text("site.lang_en"), exact=True).click()
    page.wait_for_url("**lang=en*")
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "aA", "aB", "tB"]
    page.go_back()  # the language
    page.get_by_role("heading", name=zh.text("task.run_title"), exact=True).wait_for()
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "aA", "aB", "tB"]
    page.go_back()  # the operation
    page.wait_for_function("() => !location.search.includes('tB')")
    wait_idle(page)
    assert (operations(page), outcomes(page).all_text_contents()) == (["aA", "aB"], seen)
    press(page, "rA")
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "rA"]
