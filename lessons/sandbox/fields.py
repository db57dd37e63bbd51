"""Input fields of the sandbox: how they are filled and read, and the problem shown for each."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lab.activities.answer import parse_number
from lab.engine.errors import InvalidAnswerError, LabError, LimitError
from lab.sandbox.editing import list_entries, unfold
from lab.sandbox.errors import WholeNumberError
from lab.sandbox.resize import replay_within_limits
from lab.sandbox.scenario import Scenario
from lessons.sandbox import attempt as sandbox
from lessons.state import notes

_PROBLEM = "sandbox.setup_problem"
_STOPPED = "sandbox.stopped"
_ROW = "sandbox.row"


def fill_field(key: str, value: str) -> None:
    """Fill a field if it is new or if `value` has changed since the last call. Otherwise what was typed stays."""
    if notes.get_field(key) is None or notes.get_note(f"given.{key}") != value:
        notes.set_field(key, value)
        notes.set_note(f"given.{key}", value)


def refill_field(key: str) -> None:
    """Let the next `fill_field` overwrite what was typed."""
    notes.set_note(f"given.{key}", None)


def draw_remark(text: str) -> None:
    """Draw a small remark below a field, with full text contrast (st.caption has too little)."""
    st.markdown(f":small[{text}]")


def parse_whole(typed: object, name: str, limit: int, minimum: int = 1) -> int:
    """Return the whole number that was typed. `name` names the field. Raises WholeNumberError."""
    problem = WholeNumberError(name=name, minimum=minimum, limit=limit)
    try:
        number = parse_number(str(typed or ""))
    except InvalidAnswerError:
        raise problem from None
    if not minimum <= number <= limit:
        raise problem
    return number


def change(where: str, make: Callable[[Scenario], Scenario], *, row: str = "") -> bool:
    """In a callback: change the scenario in view with `make` and run its operations again. Returns whether it changed.

    An error is shown at `where`. If a limit stops the operations, those before it stay. Consecutive changes of the same
    `row` count as one: each starts from the scenario before the first, and one undo takes all of them back.
    """
    view = sandbox.get_view()
    again = bool(row) and notes.get_note_about(view.scenario, _ROW) == row and view.history.can_undo
    scenario = view.history.before[-1].scenario if again else view.scenario
    notes.set_note(_ROW, None)
    notes.set_note(_STOPPED, None)
    refuse(where, None)
    try:
        wanted = _unfold_again(make(scenario), scenario)
    except LabError as problem:
        refuse(where, problem)
        return False
    if sandbox.change(wanted, instead=again):
        _begin_row(row, scenario)
        return True
    limit = notes.pop_flash()
    if isinstance(limit, LimitError):
        shorter = wanted.up_to(len(replay_within_limits(wanted)[0].steps))
        notes.set_note_about(shorter, _STOPPED, limit)
        changed = sandbox.change(shorter, instead=again)
        _begin_row(row, scenario)
        return changed
    if limit is not None:
        refuse(where, limit)
    return limit is None


def _unfold_again(wanted: Scenario, before: Scenario) -> Scenario:
    """Unfold the steps of several operations for another pool or other requests; if they cannot run, they stay."""
    if not wanted.groups or wanted.config == before.config:
        return wanted
    try:
        return unfold(wanted, list_entries(wanted))
    except LabError:
        return wanted


def _begin_row(row: str, before: Scenario) -> None:
    """Let the next change of this row replace this one, unless the scenario is `before` again."""
    now = sandbox.get_view().scenario
    notes.set_note_about(now, _ROW, row if now != before else None)


def get_stop() -> LabError | None:
    """Return the limit that stopped the operations of the last change, if its result is in view."""
    limit: LabError | None = notes.get_note_about(sandbox.get_view().scenario, _STOPPED)
    return limit


def refuse(where: str, problem: LabError | None) -> None:
    """Store the problem at a field for the scenario in view; None clears it."""
    notes.set_note_about((where, sandbox.get_view().scenario), _PROBLEM, problem)


def get_refusal(where: str, scenario: Scenario) -> LabError | None:
    """Return the problem at a field, or None."""
    problem: LabError | None = notes.get_note_about((where, scenario), _PROBLEM)
    return problem
