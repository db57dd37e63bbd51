"""Fields of the sandbox: given what holds now, read with a sentence for what cannot be read."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lab.activities.question import parse_number
from lab.engine.errors import InvalidAnswerError, LabError, LimitError
from lab.sandbox.errors import WholeNumberError
from lab.sandbox.scenario import Scenario
from lessons.sandbox import attempt as sandbox
from lessons.state import attempts

_PROBLEM = "sandbox.setup_problem"
_STOPPED = "sandbox.stopped"
_ROW = "sandbox.row"


def fill_field(key: str, value: str) -> None:
    """Fill a field when it is new and when what it should hold has changed; what was typed since stays."""
    if attempts.get_field(key) is None or attempts.get_note(f"given.{key}") != value:
        attempts.set_field(key, value)
        attempts.set_note(f"given.{key}", value)


def refill_field(key: str) -> None:
    """Let the next `give` fill the field whatever was typed into it."""
    attempts.set_note(f"given.{key}", None)


def draw_remark(text: str) -> None:
    """A small remark below a field, in the contrast of the text (st.caption has too little)."""
    st.markdown(f":small[{text}]")


def parse_whole(typed: object, name: str, limit: int, minimum: int = 1) -> int:
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
    attempt = sandbox.read_url()
    scenario, again = (
        attempt.scenario,
        bool(row) and attempts.get_note(_ROW) == (row, attempt.scenario) and attempt.history.can_undo,
    )
    if again:
        scenario = attempt.history.before[-1].scenario
    attempts.set_note(_ROW, None)
    attempts.set_note(_STOPPED, None)
    refuse(where, None)
    try:
        wanted = make(scenario)
    except LabError as problem:
        refuse(where, problem)
        return False
    if sandbox.change(wanted, instead=again):
        _begin_row(row, scenario)
        return True
    limit = attempts.pop_flash()
    if isinstance(limit, LimitError):
        from lab.sandbox.resize import replay_within_limits  # noqa: PLC0415  (torch: after the warm-up)

        shorter = wanted.up_to(len(replay_within_limits(wanted)[0].steps))
        attempts.set_note(_STOPPED, (shorter, limit))
        changed = sandbox.change(shorter, instead=again)
        _begin_row(row, scenario)
        return changed
    if limit is not None:
        refuse(where, limit)
    return limit is None


def _begin_row(row: str, before: Scenario) -> None:
    """The next change of this row goes on from `before`, unless it is there again or something else comes between."""
    now = sandbox.read_url().scenario
    attempts.set_note(_ROW, (row, now) if now != before else None)


def get_stop() -> LabError | None:
    """The limit that the last change's operations met, if the state in view is what came of it."""
    saved = attempts.get_note(_STOPPED)
    return saved[1] if saved and saved[0] == sandbox.read_url().scenario else None


def refuse(where: str, problem: LabError | None) -> None:
    """Keep what is wrong with a field, for the scenario in view; None: nothing is."""
    attempts.set_note(_PROBLEM, (where, problem, sandbox.read_url().scenario) if problem else None)


def get_refusal(where: str, scenario: Scenario) -> LabError | None:
    """What is wrong there, if anything."""
    saved = attempts.get_note(_PROBLEM)
    return saved[1] if saved and saved[0] == where and saved[2] == scenario else None
