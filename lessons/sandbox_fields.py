"""Fields of the sandbox: given what holds now, read with a sentence for what cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lab.errors import InvalidAnswerError, LabError, LimitError
from lab.prediction import parse_number
from lab.sandbox.errors import WholeNumberError
from lab.sandbox.scenario import Scenario
from lessons import sandbox_place, state

_PROBLEM = "sandbox.setup_problem"
_STOPPED = "sandbox.stopped"
_ROW = "sandbox.row"


def give(key: str, value: str) -> None:
    """Fill a field when it is new and when what it should hold has changed; what was typed since stays."""
    if state.field(key) is None or state.noted(f"given.{key}") != value:
        state.set_field(key, value)
        state.note(f"given.{key}", value)


def renew(key: str) -> None:
    """Let the next `give` fill the field whatever was typed into it."""
    state.note(f"given.{key}", None)


def aside(text: str) -> None:
    """A small remark below a field, in the contrast of the text (st.caption has too little)."""
    st.markdown(f":small[{text}]")


def whole(typed: object, name: str, limit: int, minimum: int = 1) -> int:
    """The whole number that was typed into the field of that name. Raises WholeNumberError."""
    problem = WholeNumberError(name=name, minimum=minimum, limit=limit)
    try:
        number = parse_number(str(typed or ""))
    except InvalidAnswerError:
        raise problem from None
    if not minimum <= number <= limit:
        raise problem
    return number


def change(where: str, make: Callable[[Scenario], Scenario], *, row: str = "") -> bool:
    """In a callback: another scenario made of the one in view, whose operations run again; True if it is there now.

    What cannot be is told at `where`. Where a limit stops the operations, those before it stay. Changes of the same
    `row`, one right after another, are one: made of what was there before the first, and one undo takes them back.
    """
    here = sandbox_place.place()
    scenario, again = here.scenario, bool(row) and state.noted(_ROW) == (row, here.scenario) and here.history.can_undo
    if again:
        scenario = here.history.before[-1].scenario
    state.note(_ROW, None)
    state.note(_STOPPED, None)
    refuse(where, None)
    try:
        wanted = make(scenario)
    except LabError as problem:
        refuse(where, problem)
        return False
    if sandbox_place.change(wanted, instead=again):
        _begin_row(row, scenario)
        return True
    limit = state.told()
    if isinstance(limit, LimitError):
        from lab.sandbox.resize import replayed  # noqa: PLC0415  (torch: after the warm-up)

        shorter = wanted.up_to(len(replayed(wanted)[0].steps))
        state.note(_STOPPED, (shorter, limit))
        changed = sandbox_place.change(shorter, instead=again)
        _begin_row(row, scenario)
        return changed
    if limit is not None:
        refuse(where, limit)
    return limit is None


def _begin_row(row: str, before: Scenario) -> None:
    """The next change of this row goes on from `before`, unless it is there again or something else comes between."""
    now = sandbox_place.place().scenario
    state.note(_ROW, (row, now) if now != before else None)


def stopped() -> LabError | None:
    """The limit that the last change's operations met, if the state in view is what came of it."""
    kept = state.noted(_STOPPED)
    return kept[1] if kept and kept[0] == sandbox_place.place().scenario else None


def refuse(where: str, problem: LabError | None) -> None:
    """Keep what is wrong with a field, for the scenario in view; None: nothing is."""
    state.note(_PROBLEM, (where, problem, sandbox_place.place().scenario) if problem else None)


def refused(where: str, scenario: Scenario) -> LabError | None:
    """What is wrong there, if anything."""
    kept = state.noted(_PROBLEM)
    return kept[1] if kept and kept[0] == where and kept[2] == scenario else None
