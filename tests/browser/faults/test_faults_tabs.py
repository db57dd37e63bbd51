"""Two tabs of one browser at once; clicks faster than a slow browser; another language, theme, page in the middle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.activities.attempt import parse_run
from lab.activities.checkpoint import build_checkpoint
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.text.translations import get_translations
from tests.browser.cut import wire
from tests.browser.room import OURS, P, stored
from tests.browser.served import Server
from tests.browser.steps import COMMITTED, OpenPage, WaitIdle, operations, outcomes, parameter, press

pytestmark = [pytest.mark.once, pytest.mark.thorough]
say, zh = get_translations("en"), get_translations("zh")
MERGE = (Path(__file__).parents[3] / "assets" / "components" / "browser_store" / "merge_record.js").read_text(
    encoding="utf-8"
)
KEEP = f"localStorage.getItem('paged-kv-lab') ?? localStorage.setItem('paged-kv-lab', {json.dumps(json.dumps(OURS))})"


def sure(rounds: str, levels: str) -> dict[str, Any]:
    """A record with these rounds and how sure each of their answers was."""
    texts = rounds.split()
    return {"rounds": texts, "rounds_sure": {text[0]: signs for text, signs in zip(texts, levels.split(), strict=True)}}


def ran(prediction: str, operations: str) -> dict[str, Any]:
    """A record with this prediction for one scenario, and its run; without what is empty."""
    text = f"4_{prediction}_"
    committed, further = {"P4": text} if prediction else {}, {"P4": text + operations} if operations else {}
    return {"committed": committed, "ran": further}


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
    # What is said once: the other tab's stands, unless mine goes on from it; what belongs to it goes with it.
    "a round, begun in both": ({}, sure("A_1", "2"), sure("A_0", "0"), sure("A_0", "0")),
    "a round, told first": (sure("A_1", "2"), sure("A_1.3", "20"), sure("A_1.2", "21"), sure("A_1.2", "21")),
    "a round, here further": (sure("A_1", "2"), sure("A_1.2.0", "111"), sure("A_1.2", "20"), sure("A_1.2.0", "111")),
    "a round, there further": (sure("A_1", "2"), sure("A_1.2", "11"), sure("A_1.2.0", "200"), sure("A_1.2.0", "200")),
    "a round, 1 and 12": ({}, sure("A_12", "2"), sure("A_1", "0"), sure("A_1", "0")),
    "a round, on from what fell": (sure("A_1", "2"), sure("A_1.2", "22"), sure("A_0", "0"), sure("A_0", "0")),
    "a round, and another": (
        sure("A_1", "2"),
        sure("A_1.3 B_1", "20 2"),
        sure("A_1.2 C_5", "21 1"),
        sure("A_1.2 C_5 B_1", "21 1 2"),
    ),
    "a prediction, in both": ({}, ran("P9", "aA"), ran("P3", ""), ran("P3", "")),
    "a prediction, both ran": (ran("", ""), ran("P9", "aA"), ran("P3", "rA"), ran("P3", "rA")),
    "a prediction, on from what fell": (ran("P9", "aA"), ran("P9", "aA.aB"), ran("P3", "rA"), ran("P3", "rA")),
    "a prediction, begun again here": (ran("P3", "aA"), ran("P9", ""), ran("P3", "aA.aB"), ran("P9", "")),
    "a prediction, begun again there": (ran("P3", "aA"), ran("P3", "aA.aB"), ran("P9", ""), ran("P9", "")),
    "a prediction, gone there": (ran("P3", "aA"), ran("P3", "aA.aB"), ran("", ""), ran("", "")),
    "a prediction, run further": (ran("P3", "aA"), ran("P3", "aA.aB"), ran("P3", "aA.aB.tB"), ran("P3", "aA.aB.tB")),
    "a prediction, forgotten there": (ran("P3", "aA"), {**ran("P3", "aA"), "b": 1}, {}, {"b": 1}),
    "a prediction, of another scenario": (
        {},
        {"committed": {"P4": "4_P9_"}, "ran": {"P4": "4_P9_aA"}},
        {"committed": {"Q8": "8_Q3_"}},
        {"committed": {"P4": "4_P9_", "Q8": "8_Q3_"}, "ran": {"P4": "4_P9_aA"}},
    ),
    "a check": ({}, {"checks": {"x": "a", "y": 1}}, {"checks": {"x": "c"}}, {"checks": {"x": "c", "y": 1}}),
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
        quick.wait_for_function("() => JSON.parse(localStorage.getItem('paged-kv-lab')).checks")
        line.hold(held, held=False)
        asked = {f"{P}aA": answer_of(f"{P}aA"), f"{P}aA.aB.tB": answer_of(f"{P}aA.aB.tB")}
        slow.wait_for_function(
            "n => Object.keys(JSON.parse(localStorage.getItem('paged-kv-lab')).checks).length === n", arg=2
        )
        press(slow, "aB")  # less than the other tab has done
        for page in (slow, quick):
            wait_idle(page)
            assert stored(page) == {**OURS, "ran": {"P4.used__": f"{P}aA.aB.tB"}, "checks": asked}
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
  document.querySelectorAll("button[data-operation]").forEach((each) => each.click());
}"""


def test_a_burst_of_clicks_on_a_slow_machine(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """A triple click, every button at once, time travel meanwhile: each press that the page took counts once."""
    page = open_page(f"{COMMITTED}aA", init_script=KEEP)
    throttle = page.context.new_cdp_session(page)
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.evaluate(BURST)
    page.locator(".st-key-memory .pkl-back").click()
    page.wait_for_function("() => location.search.includes('aA.aB') && location.search.includes('at=')")
    wait_idle(page)
    assert operations(page) == ["aA", "aB"]
    page.get_by_role("button", name=say.text("task.return_to_end")).click()
    page.wait_for_function("() => !location.search.includes('at=')")
    wait_idle(page)
    for count in range(3):
        page.locator('button[data-operation="tB"]').dblclick()
        page.wait_for_function("n => location.search.split('tB').length === n + 2", arg=count)
        page.locator(".pkl-operations:not(.pkl-pending)").wait_for()
    throttle.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "tB", "tB", "tB"]
    assert stored(page)["ran"] == {"P4.used__": f"{P}aA.aB.tB.tB.tB"}


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
    assert operations(page) == ["aA", "aB", "tB"]
    page.go_back()  # the language
    page.get_by_role("heading", name=zh.text("task.run_title"), exact=True).wait_for()
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "tB"]
    page.go_back()  # the operation
    page.wait_for_function("() => !location.search.includes('tB')")
    wait_idle(page)
    assert (operations(page), outcomes(page).all_text_contents()) == (["aA", "aB"], seen)
    press(page, "rA")
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "rA"]
