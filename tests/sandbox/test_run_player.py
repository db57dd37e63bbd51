"""The sandbox's player: the changes of each operation as a phrase; what the browser gets, and what it may report."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from lab.activities.run import Run
from lab.figures.memory.memory_picture import draw_memory
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.trace.config import Config, Request
from lab.trace.events import Event
from lab.trace.operations import Operation, parse_operation
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Step, Timeline
from lab.trace.tiny_lm import get_default_model
from lessons.activity import run_panel
from lessons.activity.run_film import build_rows, hash_log
from lessons.activity.run_panel import CLICKABLE
from lessons.text.event_phrases import describe_change
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_event, format_operation
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests.links import parse_scenario
from tests.pages.test_pages import address, go, press, task
from tests.player import report, sent, told, told_late, whole_figure
from tests.sample import every_language, examples, some
from tests.text.test_text import Asked
from tests.trace.event_replay import histories

MODEL = get_default_model()


def run(config: Config, log: str) -> list[Step]:
    """The steps of a log."""
    return Timeline.replay(config, [parse_operation(text) for text in log.split()], MODEL).steps


# --- what changed --------------------------------------------------------------------------------------------------

PROMPTS = {"A": (1, 2, 3, 4, 5), "B": (1, 2, 3, 4), "C": (9,) * 9}
EVENTFUL = Config(6, 2, (3, 1, 0, 4, 2, 5), tuple(Request(name, ids, (700,)) for name, ids in PROMPTS.items()))
STORY = [  # every kind of change once
    ("aA", "5 tokens; taken from the head: 3, 1, 0", "5 个 token；从队首取走：3、1、0"),
    (
        "aB",
        "4 tokens; shares 3 (ref_count 1→2); taken from the head: 4",
        "4 个 token；共享 3（ref_count 1→2）；从队首取走：4",
    ),
    ("mA", "no block taken, no token was waiting", "没有取块，也没有 token 在等待"),
    ("cA", "True: needs 0, free 2", "True：需要 0，空闲 2"),
    (
        "tA",
        "“700” in slot 1; no block taken; can now be found by content: 0",
        "“700”在槽 1；没有取块；现在可按内容找到：0",
    ),
    ("kA", "“700” added, len 6→7; its KV is not written yet", "多了“700”，len 6→7；它的 KV 还没有写入"),
    ("mA", "“700” in slot 4; taken from the head: 2", "“700”在槽 4；从队首取走：2"),
    ("aC", "Refused: Blocks needed: 5; in the free queue: 1.", "被拒绝：需要 5 个块，空闲队列里只有 1 个。"),
    (
        "rA",
        "still in use: 3 (ref_count 2→1); joined at the tail: 2, 0, 1",
        "仍在使用：3（ref_count 2→1）；加入队尾：2、0、1",
    ),
    ("rB", "joined at the tail: 4, 3", "加入队尾：4、3"),
    (
        "aB",
        "4 tokens; found by content: 3; taken from the head: 5",
        "4 个 token；按内容找回：3；从队首取走：5",
    ),
    ("rB", "joined at the tail: 5, 3", "加入队尾：5、3"),
    (
        "aC",
        "9 tokens; taken from the head: 2, 0, 1, 4, 5; no longer found by content: 0, 1, 4, 5",
        "9 个 token；从队首取走：2、0、1、4、5；不再能按内容找到：0、1、4、5",
    ),
    ("tC", "“700” in slot 11; no block taken; can now be found by content: 5", None),
    ("tC", "“700” in slot 6; taken from the head: 3; no longer found by content: 3", None),
    ("tC", "“700” in slot 7; no block taken; can now be found by content: 3", None),
    ("tC", "Refused: Blocks needed: 1; in the free queue: 0.", None),
]


@every_language
def test_every_kind_of_change_has_its_phrase(language: Language) -> None:
    """In a run with every kind of event; each string of the topic is used."""
    asked = Asked(language)
    steps = run(EVENTFUL, " ".join(text for text, *_ in STORY))
    assert {type(event) for step in steps for event in step.events} == set(get_args(Event))
    for step, (_, en, zh) in zip(steps, STORY, strict=True):
        phrase = describe_change(step, asked)
        if (expected := en if language == "en" else zh) is not None:
            assert phrase == expected
    assert {key for key in load_strings("en") if key.startswith("player.change.")} <= asked.keys


@settings(max_examples=examples(50))
@given(histories())
def test_of_any_operation_what_is_told_is_what_changed(history: tuple[Config, list[Operation]]) -> None:
    """Blocks that left or joined the queue and changed counts, read from the two states; never empty."""
    for step in Timeline.replay(*history, MODEL).steps:
        change = compare_snapshots(step.before, step.after)
        for language in LANGUAGES:
            say = get_translations(language)
            phrase = describe_change(step, say)
            assert re.fullmatch(r"[^{}\n]+", phrase)
            if step.refusal:
                assert phrase == format_event(step.refusal, say)
                continue
            blocks = {int(n) for part in re.split("[;；]", phrase) for n in re.findall(r"\d+", part.split("“")[0])}
            assert change.blocks <= blocks
            both = {f"{before}→{after}" for before, after in change.ref_counts.values() if min(before, after)}
            assert both <= set(re.findall(r"\d+→\d+", phrase))


def test_a_class_is_not_told_what_lies_ahead() -> None:
    """The name and the number of events are always shown, because a class steps by them."""
    steps, say = run(EVENTFUL, "aA aC aA rA"), get_translations("en")
    open_rows, veiled = build_rows(steps, say, 4), build_rows(steps, say, 1)
    assert [row["name"] for row in veiled] == [format_operation(step.operation, say) for step in steps]
    assert [row["events"] for row in veiled] == [len(step.events) for step in steps]
    assert [row["refused"] for row in open_rows] == [False, True, True, False]
    assert all(row["what"] for row in open_rows)
    assert veiled[0] == open_rows[0]
    assert [(row["what"], row["refused"]) for row in veiled[1:]] == [("", False)] * 3


# --- on the page ---------------------------------------------------------------------------------------------------

LOG = "1.16.4.used_A.n11_B.n4_aA.aB-2.tB.rA"
SCENARIO = parse_scenario(LOG)


@every_language
def test_the_page_gives_all_operations_and_frames_wherever_one_stands(language: Language) -> None:
    """At the end, in the middle, inside a step, at the beginning; tokens have the scenario's texts."""
    steps, say = Timeline.replay(SCENARIO.config, SCENARIO.operations, MODEL).steps, ScenarioWords(language, SCENARIO)
    at = task(language, page="sandbox", sandbox=LOG)
    for place in ("5", "3", "1.2", "0"):
        given = sent(go(at, sandbox=LOG, lang=language, at_sandbox=place))
        assert given["at"] == place
        assert given["rows"] == build_rows(steps, say, 5)
        assert list(given["film"]["frames"]) == given["film"]["places"]
        inside = [f"{step.index + 1}.{event}" for step in steps for event in range(1, len(step.events))]
        assert sorted(given["film"]["places"]) == sorted([*inside, *map(str, range(6))])
        for step in steps:
            for event, happened in zip(range(1, len(step.events)), step.events, strict=False):
                headline = given["film"]["frames"][f"{step.index + 1}.{event}"]["headline"]
                assert headline == format_event(happened, say)
    assert "“b1”" in given["rows"][3]["what"]
    values = {"step": 2, "total": 5, "operation": "x", "event": 1, "events": 9}
    for name in ("position_start", "position", "position_event"):
        assert given["words"][name].format(**values) == say.text(f"task.{name}", **values)


def test_every_picture_comes_whole_out_of_its_parts() -> None:
    """What the browser puts together is what the figure function drew."""
    timeline = Timeline.replay(SCENARIO.config, SCENARIO.operations, MODEL)
    given, say = sent(task("en", page="sandbox", sandbox=LOG))["film"], ScenarioWords("en", SCENARIO)
    for step in timeline.steps:
        change = compare_snapshots(step.before, step.after)
        drawn = draw_memory(
            step.after, say, changed=change, selected=step.operation.seq_id, columns=4, clickable=CLICKABLE
        )
        assert json.loads(json.dumps(drawn.spec)) == whole_figure(given["frames"][str(step.index + 1)])


@pytest.mark.thorough
def test_a_long_log_has_the_frames_around_the_cursor() -> None:
    """The browser knows every place, and asks for the frame of one that is far away."""
    log = "1.64.16.used_A.n100_aA.tA-20.rA.aA.tA-20.rA"
    at = task("en", page="sandbox", sandbox=log)
    for place, near, far in (("44", "43", "1"), ("2", "3", "44")):
        film = sent(go(at, sandbox=log, at_sandbox=place))["film"]
        assert {place, near, far} <= set(film["places"])
        assert {place, near} <= set(film["frames"])
        assert far not in film["frames"]
        assert len(film["frames"]) < 60


def test_a_picture_is_drawn_once_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another student with the same operations gets the pictures that are there."""
    first = sent(task("en", page="sandbox", sandbox=LOG))["film"]
    monkeypatch.setattr(run_panel, "draw_memory", None)
    assert sent(task("en", page="sandbox", sandbox=LOG))["film"] == first


def test_without_operations_there_is_one_picture_and_nothing_to_press() -> None:
    """The page still opens."""
    given = sent(task(page="sandbox"))
    assert (given["rows"], given["list"], given["film"]["places"]) == ([], False, ["0"])


# --- what is not to be seen yet ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["", "on"])
def test_frames_behind_a_question_are_not_in_the_browser(mode: str) -> None:
    """Up to the operation that is asked about; before a class, not behind a covered point before it is revealed."""
    prepared = LIBRARY["whole"]
    assert prepared.steps == (2, 4)
    texts = {"sandbox": encode_scenario(prepared.scenario), **({"present": mode} if mode else {})}
    at = task("en", page="sandbox", **texts, at_sandbox="0")

    def last(at: AppTest) -> int:
        film = sent(at)["film"]
        assert max(int(place.split(".")[0]) for place in film["places"]) == 4
        return max(int(place.split(".")[0]) for place in film["frames"])

    assert last(at) == 2
    at = go(at, **texts, at_sandbox="1")
    assert last(at) == 2
    at = report(at, "2")
    assert last(at) == (2 if mode else 4)
    if mode:
        at = press(at, "present_reveal")
        assert last(at) == 4


# --- what the browser may report -----------------------------------------------------------------------------------


@pytest.mark.parametrize("cursor", some(["0", "3", "1.2", ""], 2))
def test_a_place_of_the_log_is_gone_to(cursor: str) -> None:
    """The message's serial is returned; at the end the address has no cursor."""
    at = task("en", page="sandbox", sandbox=LOG, at_sandbox="2")
    at = report(at, cursor or "5", serial=17)
    assert address(at, "at_sandbox") == cursor
    assert sent(at)["heard"] == 17


def test_what_is_no_place_moves_nothing() -> None:
    """It is acknowledged, so that the browser stops waiting."""
    at = task("en", page="sandbox", sandbox=LOG, at_sandbox="2")
    for serial, place in enumerate(("6", "-1", "x", "", "1.99", "0.1", "3" * 999, "٣", None, 3.5, [3]), 1):
        at = report(at, place, serial=serial)
        assert (address(at, "at_sandbox"), sent(at)["heard"]) == ("2", serial)


def test_the_last_event_of_a_step_is_its_end() -> None:
    """Each position has one name."""
    first = Timeline.replay(SCENARIO.config, SCENARIO.operations, MODEL).steps[0]
    at = report(task("en", page="sandbox", sandbox=LOG), f"1.{len(first.events)}")
    assert address(at, "at_sandbox") == "1"


def test_what_was_reported_of_another_log_moves_nothing() -> None:
    """A late report, or an invalid message."""
    other = SCENARIO.up_to(4)
    at = task("en", page="sandbox", sandbox=LOG, at_sandbox="3")
    at = report(at, "2", log=hash_log(Run.alone(other.config, other.operations)))
    assert address(at, "at_sandbox") == "3"
    for nonsense in ("2", "", None, 3, {"serial": "deep"}):
        at = told(at, "memory", "seek", nonsense)
        assert address(at, "at_sandbox") == "3"


def test_a_report_does_not_undo_a_press_that_came_with_it() -> None:
    """Playing is left by a key on a button: the browser reports its place, and both reach the server in one run."""
    at = task("en", page="sandbox", sandbox=encode_scenario(LIBRARY["preempted"].scenario), at_sandbox="0")
    message = {"at": "2", "log": sent(at)["log"], "serial": 5}
    at = told_late(at, "memory", "seek", message, "sandbox_notes_to_question")
    assert (address(at, "at_sandbox"), sent(at)["heard"]) == ("5", 5)
