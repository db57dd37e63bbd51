"""Looking at any moment of a run: what the page shows there is what had happened by then, and no more."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Tab

from lab.activities.attempt import Cursor, encode_cursor
from lab.activities.cases.plan import compute_ahead
from lab.activities.question import observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.trace.operations import Allocate, Operation
from lab.trace.presets import build_task_config
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import get_default_model
from lessons.activity.look_closer import TABS
from lessons.activity.run_film import list_places
from lessons.activity.run_panel import get_seen_snapshot
from lessons.server import ahead as ahead_route
from lessons.state import runs
from lessons.text.sentences import format_event, format_operation
from lessons.text.translations import Language, get_translations
from tests.links import parse_run
from tests.pages.test_pages import DONE, OPERATIONS, P, address, go, keys, press, task, texts, verdicts
from tests.player import report, sent, sent_ahead, unpack
from tests.sample import every_language, examples, some
from tests.trace.event_replay import histories

MODEL = get_default_model()
RUN = Timeline.replay(build_task_config(), parse_run(DONE).operations, MODEL)
History = tuple[Any, list[Operation]]


def every_place(run: Timeline) -> list[Cursor]:
    """Every moment of a run in order."""
    return [here for step in range(len(run.steps) + 1) for here in list_places(run, step)]


# --- what has been seen --------------------------------------------------------------------------------------------


@settings(max_examples=examples(50))
@given(histories())
def test_of_the_step_in_view_only_the_events_seen_are_left(history: History) -> None:
    """Their snapshots end in the state in view; the run itself is not changed by looking."""
    run = Timeline.replay(*history, MODEL)
    whole = list(run.steps)
    for here in every_place(run):
        seen = runs.get_seen_steps(run, here)
        assert (len(seen), run.steps) == (here.step, whole)
        if not seen:
            assert get_seen_snapshot(run, here) == run.start
            continue
        last, full = seen[-1], whole[here.step - 1]
        assert all(shown is step for shown, step in zip(seen[:-1], whole, strict=False))
        count = here.event or len(full.events)
        assert (last.events, last.snapshots) == (full.events[:count], full.snapshots[:count])
        assert (last.index, last.operation, last.before) == (full.index, full.operation, full.before)
        assert last.after == get_seen_snapshot(run, here)
        pairs = [(step, *pair) for step in seen for pair in zip(step.events, step.snapshots, strict=True)]
        found = [(seen[m.step], m.event, m.snapshot) for m in iterate_trace_points(seen)]
        assert [tuple(map(id, each)) for each in found] == [tuple(map(id, each)) for each in pairs]


@settings(max_examples=examples(50))
@given(histories())
def test_the_places_are_every_moment_once(history: History) -> None:
    """The beginning, then each event of each step in order; the last event is the end of the step."""
    run = Timeline.replay(*history, MODEL)
    states = [get_seen_snapshot(run, here) for here in every_place(run)]
    assert states == [run.start, *(snapshot for step in run.steps for snapshot in step.snapshots)]


@pytest.mark.thorough
@every_language
def test_every_moment_of_the_task_can_be_looked_at(language: Language) -> None:
    """After each operation and between any two events: position, events and verdicts are those of the run."""
    at, say = task(language), get_translations(language)
    for done, waiting in enumerate((6, 3, 3, 1, 0, 0)):
        at = go(at, run=f"4.used_{P}_{'.'.join(OPERATIONS[:done])}")
        assert (at.warning.len, verdicts(at)) == (0, ["waiting" if v == "waiting" else "same" for v in verdicts(at)])
        assert verdicts(at).count("waiting") == waiting
    for step in RUN.steps:
        for event in range(1, len(step.events) + 1):
            at.session_state["look_closer"] = tab = say.text(f"task.tab_{TABS[event % len(TABS)]}")
            at = go(at, run=DONE, at=f"{step.index + 1}.{event}")
            listed = next(e.proto.body for e in at.get("html") if 'class="kv-events"' in e.proto.body)
            assert [listed.count(m) for m in ("aria-current=", '="ahead')] == [1, len(step.events) - event]
            assert format_operation(step.operation, say) in texts(at)
            cut = replace(step, events=step.events[:event], snapshots=step.snapshots[:event])
            assert verdicts(at).count("waiting") == 6 - len(
                observe_outcomes(list(iterate_trace_points([*RUN.steps[: step.index], cut])))
            )
            assert [bool(view.children) for view in at.tabs if view.label == tab] == [True]
    assert verdicts(go(at, run=DONE, at="0")) == ["waiting"] * 6
    for place, where in (("1", "1"), ("5", ""), ("5.2", "5.2"), ("5.99", "5.2"), ("6", "5.2"), ("x", "5.2")):
        at = report(at, place)
        assert (address(at, "at"), address(at)) == (where, DONE)
    at = press(at, "return_to_end")
    assert (address(at, "at"), address(at)) == ("", DONE)


def test_the_browser_has_every_moment_of_the_run() -> None:
    """With its event as the headline, and its sentence, wherever the page was opened."""
    say = get_translations("en")
    for start in ("0", "2.1", ""):
        film = sent(task(run=DONE, **({"at": start} if start else {})))["film"]
        assert film["places"] == [encode_cursor(here) for here in every_place(RUN)]
        for here in every_place(RUN):
            shown = film["frames"][encode_cursor(here)]
            assert shown["sentence"] == shown["figures"]["memory"]["label"]
            if here.event is not None:
                event = RUN.steps[here.step - 1].events[here.event - 1]
                assert shown["headline"] == format_event(event, say)
        assert len({shown["sentence"] for shown in film["frames"].values()}) > len(OPERATIONS)


# --- the operation that is suggested -------------------------------------------------------------------------------


def test_the_frames_of_the_suggested_operation_come_along_and_are_not_recorded() -> None:
    """The engine's own, computed ahead of the press; none without a prediction or a suggestion."""
    at = task(run=f"4.used_{P}_aA.aB")
    film, run = sent(at)["film"], Timeline.replay(RUN.config, RUN.operations[:3], MODEL)
    ahead = [encode_cursor(here) for here in every_place(run) if here.step == 3]
    expected = sent_ahead(at)
    assert expected is not None
    assert (expected["id"], expected["index"], expected["places"], list(expected["frames"])) == ("tB", 2, ahead, ahead)
    assert expected["before"] == sent(at)["log"]
    assert film["places"] == [encode_cursor(here) for here in every_place(run) if here.step < 3]
    assert address(at) == f"4.used_{P}_aA.aB"
    after = sent(go(at, run=f"4.used_{P}_aA.aB.tB"))
    assert expected["log"] == after["log"]
    assert expected["row"] == after["rows"][-1]
    for place in ahead:
        assert (
            expected["frames"][place]["figures"]["memory"]["id"]
            == after["film"]["frames"][place]["figures"]["memory"]["id"]
        )
    for nothing in (DONE, "4.used__aA.aB", "4.used__"):
        assert sent_ahead(go(at, run=nothing)) is None


@pytest.mark.parametrize("operation", ["aA", "tB", "rB"])
def test_the_frames_of_any_operation_can_be_fetched_until_the_next_one(operation: str) -> None:
    """They are those that its press would draw. Only this session knows their address."""
    at = go(task(), run=f"4.used_{P}_aA.aB")
    client = TestClient(Starlette(routes=[ahead_route.build_route()]))
    address = sent(at)["ahead"].removeprefix(".")
    fetched = client.get(f"{address}/{operation}").json()
    frames = unpack(fetched["packed"])["frames"]
    for other in ("aX", "tB,tB"):
        assert client.get(f"{address}/{other}").status_code == 204
    after = sent(go(at, run=f"4.used_{P}_aA.aB.{operation}"))
    assert (fetched["log"], fetched["row"], fetched["before"]) == (
        after["log"],
        after["rows"][-1],
        address.rpartition("/")[2],
    )
    assert list(frames) == fetched["places"] == after["film"]["places"][-len(frames) :]
    for place, frame in frames.items():
        assert frame["figures"]["memory"]["id"] == after["film"]["frames"][place]["figures"]["memory"]["id"]
    assert client.get(f"{address}/{operation}").status_code == 204
    assert sent(go(at, run="4.used__aA.aB"))["ahead"] == ""


def test_an_operation_that_a_limit_refuses_is_not_drawn_ahead() -> None:
    """Its refusal is not recorded either."""
    assert compute_ahead(RUN.config, (Allocate("A"),) * 201) is None
    assert compute_ahead(RUN.config, (Allocate("A"),)) is not None


# --- inside an operation -------------------------------------------------------------------------------------------


def closer(at: AppTest, name: str, place: str) -> Tab:
    """The view of that name at this place of the whole run."""
    at.session_state["look_closer"] = label = get_translations("en").text(f"task.tab_{name}")
    at.session_state[f"{name}_table"] = True  # its table, in an expander
    return next(view for view in go(at, run=DONE, at=place).tabs if view.label == label)


def test_ref_counts_are_those_of_the_moment() -> None:
    """In the picture's sentence and in the newest row of its table, for every block used so far."""
    at = task()
    for here in every_place(RUN)[1:]:
        state, view = get_seen_snapshot(RUN, here), closer(at, "refcount", encode_cursor(here))
        earlier = {b for step in runs.get_seen_steps(RUN, here) for s in step.snapshots for b in s.used_block_ids}
        expected = {str(b): str(state.blocks[b].ref_count) for b in sorted(earlier)}
        newest = view.table[0].value.iloc[-1]
        assert {name.removeprefix("block "): str(newest[name]) for name in newest.index[2:]} == expected, here
        assert dict(re.findall(r"block (\d+): (\d+)", view.markdown[0].value)) == expected, here


@pytest.mark.parametrize("place", some(["0", "1.1", "5.4", "5"], 2))
def test_a_ledger_of_nothing_says_so(place: str) -> None:
    """Not an empty table, also where a request is live that holds no block (yet, or any more)."""
    view = closer(task(), "refcount", place)
    assert get_translations("en").text("task.ledger_empty") in [element.value for element in view.markdown]
    assert len(view.table) == 1
    held = closer(task(), "refcount", "5.1")
    assert (len(held.table), held.table[1].value.shape[0]) == (2, 1)
    assert get_translations("en").text("task.ledger_empty") not in [element.value for element in held.markdown]


def test_inside_an_operation_the_tensor_proves_nothing() -> None:
    """It holds what the whole operation wrote: no row, one sentence. Before and after, one row for each request."""
    at, inside = task(), get_translations("en").text("task.proof.inside")
    for here in every_place(RUN):
        view = closer(at, "tensor", encode_cursor(here))
        assert ([info.value for info in view.info], len(view.table) == 0) == (
            ([inside], True) if here.event is not None else ([], not get_seen_snapshot(RUN, here).sequences)
        )
        if view.table:
            told, proofs = view.table[0].value, RUN.proofs(here.step)
            assert list(told.iloc[:, 0]) == [proof.seq_id for proof in proofs]
            assert list(told.iloc[:, -1]) == ["yes"] * len(proofs)


# --- everything released, and the way to a demonstration ------------------------------------------------------------

END = "11 3 0 12 6 1 15 8 4 10 13 14 2 7 5 9"


@pytest.mark.parametrize(
    ("run", "at_", "key"),
    [
        (DONE, "", "task.all_free"),
        (DONE, "5.4", ""),
        (DONE, "0", ""),
        (DONE, "4", ""),
        (f"4.used__{'.'.join(OPERATIONS)}", "", "task.all_free"),
        (f"4.used_{P}_rA.tB.rB", "", ""),
        (f"4.used_{P}_rA.aA.rA", "", "task.all_free"),
        (f"4.used_{P}_rA.aA.rA", "1", ""),
        (f"4.used_{P}_aA.rA.aB", "2", "task.all_free"),
        (f"16.0_{P}_aA.rA", "", "task.all_free_same"),
        (f"16.0_{P}_aA.aB.rA", "3", "task.all_free_same"),
    ],
)
def test_the_closing_box_needs_something_that_ran(run: str, at_: str, key: str) -> None:
    """As many free blocks as at the start, in which order: only once something ran and nothing is live."""
    at = task(run=run, **({"at": at_} if at_ else {}))
    say = get_translations("en")
    found = [k for k in ("task.all_free", "task.all_free_same") for i in at.info if i.value.startswith(opening(k))]
    assert found == ([key] if key else [])
    if run.endswith("rA.rB") and key:
        values = {"before": " ".join(map(str, RUN.start.free_block_ids)), "after": END}
        assert say.text(key, free=16, **values) in [info.value for info in at.info]


def opening(key: str) -> str:
    """The words before the first number."""
    return get_translations("en").text(key, free="|", before="", after="").split("|")[0]


def test_only_a_run_with_a_prediction_can_be_copied_as_a_demonstration() -> None:
    """There must be something to show, and a demonstration is one already."""
    at = task()
    offered = {run: "copy_demo" in keys(go(at, run=run)) for run in (DONE, f"4.used_{P}_", "4.used__aA", "4.used__")}
    assert offered == {DONE: True, f"4.used_{P}_": False, "4.used__aA": False, "4.used__": False}
