"""Time travel over a log: moving changes nothing, acting earlier truncates, and one undo restores the log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.engine.errors import LimitError, UnknownRequestError
from lab.sandbox.history import KEPT, History
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.operations import Allocate, Append, Operation, Release

SCENARIO = Scenario(8, 4, "used", (RequestSpec("A", 5), RequestSpec("B", 3))).then(
    Allocate("A"), Append("A"), Release("A")
)


def test_it_opens_at_the_end_or_where_it_is_told_to() -> None:
    """It has nothing to undo."""
    assert History.of(SCENARIO).at == 3
    assert History.of(SCENARIO, 1).at == 1
    assert not History.of(SCENARIO).can_undo
    assert History.of(SCENARIO).undone() == History.of(SCENARIO)


def test_moving_is_no_change() -> None:
    """The log stays whole, and there is nothing to undo."""
    moved = History.of(SCENARIO).moved(1)
    assert (moved.at, moved.scenario, moved.can_undo) == (1, SCENARIO, False)
    assert moved.would_lose == (Append("A"), Release("A"))
    assert moved.moved(3).would_lose == ()
    for at in (-1, 4):
        with pytest.raises(IndexError):
            moved.moved(at)


def test_acting_from_an_earlier_point_truncates_and_one_undo_brings_it_back() -> None:
    """Log and position are both as before."""
    before = History.of(SCENARIO).moved(1)
    after = before.acted(Allocate("B"))
    assert after.scenario.operations == (Allocate("A"), Allocate("B"))
    assert (after.at, after.would_lose) == (2, ())
    assert after.undone() == before
    assert after.undone().scenario == SCENARIO


def test_several_at_once_are_one_change() -> None:
    """Append k tokens, undo once."""
    before = History.of(SCENARIO.up_to(1))
    after = before.acted(*[Append("A")] * 5)
    assert (after.at, len(after.scenario.operations)) == (6, 6)
    assert after.undone() == before


def test_another_scenario_can_be_taken_back_too() -> None:
    """An opened file, or another pool."""
    before = History.of(SCENARIO).moved(2)
    other = Scenario(4, 2, "fresh", ())
    assert before.changed(other).scenario == other
    assert before.changed(SCENARIO, 1).at == 1
    assert before.changed(other).undone() == before


def test_what_is_refused_changes_nothing() -> None:
    """No change is half done."""
    history = History.of(SCENARIO)
    with pytest.raises(UnknownRequestError):
        history.acted(Allocate("C"))
    with pytest.raises(LimitError):
        history.acted(*[Append("A")] * 200)
    assert history == History.of(SCENARIO)


ACT = st.sampled_from([Allocate("A"), Append("A"), Release("A"), Allocate("B"), 0, 1, 2, "undo"])


@given(st.lists(ACT, max_size=30))
def test_any_way_through_it_can_be_walked_back(acts: list[Operation | int | str]) -> None:
    """Compared with the simplest model, a list of states."""
    history = History.of(SCENARIO)
    earlier: list[History] = []
    for act in acts:
        if isinstance(act, int):
            history = history.moved(min(act, len(history.scenario.operations)))
        elif isinstance(act, str):
            assert history.can_undo == bool(earlier)
            expected = earlier.pop() if earlier else history
            history = history.undone()
            assert history.state == expected.state
        else:
            earlier.append(history)
            wanted = (*history.scenario.operations[: history.at], act)
            history = history.acted(act)
            assert history.scenario.operations == wanted
            assert history.at == len(wanted)


def test_what_is_kept_is_bounded() -> None:
    """A long session does not grow without limit."""
    history = History.of(SCENARIO)
    for _ in range(KEPT + 50):
        history = history.changed(SCENARIO)
    assert len(history.before) == KEPT
