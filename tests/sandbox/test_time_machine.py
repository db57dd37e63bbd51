"""Time travel in the sandbox: the changes of each operation as a phrase; the positions that the browser may request."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from lab.activities.attempt import Cursor, encode_cursor
from lab.sandbox.link import parse_scenario
from lab.sandbox.scenario import Scenario
from lab.trace.config import Config, Request
from lab.trace.events import Event
from lab.trace.operations import Operation, parse_operation
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Step, Timeline
from lab.trace.tiny_lm import get_default_model
from lessons.sandbox.attempt import DEFAULT, SandboxWords
from lessons.sandbox.time_machine import _go, _hash_log, build_rows
from lessons.state import attempts, notes
from lessons.text.event_phrases import describe_change
from lessons.text.sentences import format_event, format_operation
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests.pages.test_pages import go, task
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_change_has_its_phrase(language: Language) -> None:
    """In a run with every kind of event; each string of the topic is used."""
    asked = Asked(language)
    steps = run(EVENTFUL, " ".join(text for text, *_ in STORY))
    assert {type(event) for step in steps for event in step.events} == set(get_args(Event))
    for step, (_, en, zh) in zip(steps, STORY, strict=True):
        phrase = describe_change(step, asked)
        if (expected := en if language == "en" else zh) is not None:
            assert phrase == expected
    assert {key for key in load_strings("en") if key.startswith("time_machine.change.")} <= asked.keys


@settings(deadline=None, max_examples=50)
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


def mounted(at: AppTest) -> dict[str, Any]:
    """The component's data in the browser."""
    (component,) = (each for each in at.get("bidi_component") if each.proto.id.endswith("-time_machine"))
    given: dict[str, Any] = json.loads(component.proto.json)
    return given


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_gives_all_operations_wherever_one_stands(language: Language) -> None:
    """At the end, in the middle, inside a step, at the beginning; tokens have the scenario's texts."""
    steps, say = Timeline.replay(SCENARIO.config, SCENARIO.operations, MODEL).steps, SandboxWords(language, SCENARIO)
    at = task(language, page="sandbox", sandbox=LOG)
    for place in ("5", "3", "1.2", "0"):
        given = mounted(go(at, sandbox=LOG, lang=language, at_sandbox=place))
        assert given["at"] == place
        assert given["log"] == _hash_log(SCENARIO)
        assert given["rows"] == build_rows(steps, say, 5)
    assert "“b1”" in given["rows"][3]["what"]
    values = {"step": 2, "total": 5, "operation": "x", "event": 1, "events": 9}
    for name in ("position_start", "position", "position_event"):
        assert given["words"][name].format(**values) == say.text(f"task.{name}", **values)


def test_without_operations_there_is_nothing_to_list() -> None:
    """The page still opens."""
    assert mounted(task(page="sandbox"))["rows"] == []


# --- what the browser may ask for ----------------------------------------------------------------------------------


@pytest.fixture
def asks(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """An address with LOG, at its end; an answer changes `moved` and `heard`."""
    world: dict[str, Any] = {"sandbox": LOG, "moved": [], "heard": None}
    monkeypatch.setattr(attempts, "get_value", lambda key: world.get(key, ""))
    monkeypatch.setattr(notes, "get_note", lambda key, default=None: world.get(key.rpartition(".")[2], default))
    monkeypatch.setattr(notes, "set_note", lambda key, value: world.update({key.rpartition(".")[2]: value}))
    monkeypatch.setattr(attempts, "get_timeline", lambda run, _: Timeline.replay(run.config, run.operations, MODEL))
    monkeypatch.setattr(attempts, "seek", lambda _, cursor: world["moved"].append(cursor))
    return world


def asked(at: object, scenario: Scenario = SCENARIO) -> dict[str, object]:
    """The browser's message."""
    return {"at": at, "log": _hash_log(scenario), "stamp": 17}


@pytest.mark.parametrize("cursor", [Cursor(0), Cursor(3), Cursor(1, 2), Cursor(5)])
def test_a_place_of_the_log_is_gone_to(asks: dict[str, Any], cursor: Cursor) -> None:
    """The message's stamp is returned; at the end the address has no cursor."""
    _go(asked(encode_cursor(cursor)))
    assert asks["moved"] == [None if cursor == Cursor(5) else cursor]
    assert asks["heard"] == 17


@pytest.mark.parametrize("at", ["6", "-1", "x", "", "1.99", "0.1", "3" * 999, "٣", None, 3.5, [3]])
def test_what_is_no_place_moves_nothing(asks: dict[str, Any], at: object) -> None:
    """It is acknowledged, so that the browser stops waiting."""
    _go(asked(at))
    assert (asks["moved"], asks["heard"]) == ([], 17)


def test_the_last_event_of_a_step_is_its_end(asks: dict[str, Any]) -> None:
    """Each position has one name."""
    first = Timeline.replay(SCENARIO.config, SCENARIO.operations, MODEL).steps[0]
    _go(asked(f"1.{len(first.events)}"))
    assert asks["moved"] == [Cursor(1)]


def test_what_was_asked_of_another_log_moves_nothing(asks: dict[str, Any]) -> None:
    """A late press, or an invalid message."""
    _go(asked("2", SCENARIO.up_to(4)))
    for nonsense in ("2", "", None, 3):
        _go(nonsense)
    assert asks["moved"] == []
    _go({**asked("2"), "stamp": {"deep": []}})
    assert (asks["moved"], asks["heard"]) == ([], 17)
    asks["sandbox"] = "broken"
    _go({**asked("0", DEFAULT), "stamp": 18})
    assert (asks["moved"], asks["heard"]) == ([], 18)


def test_what_is_sent_twice_moves_once(asks: dict[str, Any]) -> None:
    """The browser sends a message again until it is acknowledged."""
    for _ in range(2):
        _go(asked("2"))
    assert asks["moved"] == [Cursor(2)]
    _go({**asked("3"), "stamp": 18})
    assert asks["moved"] == [Cursor(2), Cursor(3)]
