"""Fields of the sandbox: given what holds now, read with a sentence for what cannot be read."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import streamlit as st

from lab.config import check_limit
from lab.errors import InvalidSizeError, LabError, LimitError
from lab.prediction import parse_number
from lab.sandbox.scenario import Scenario
from lessons import sandbox_place, state

_PROBLEM = "sandbox.setup_problem"
_STOPPED = "sandbox.stopped"
_LONGEST = 9  # digits of a number that can be told back


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
    """The whole number that was typed. Raises InvalidAnswerError, InvalidSizeError, LimitError (over `limit`)."""
    text = unicodedata.normalize("NFKC", str(typed or "")).strip()
    if text.isdecimal() and len(text) <= _LONGEST:
        check_limit(name, int(text), limit)
    number = parse_number(str(typed or ""))
    if number < minimum:
        raise InvalidSizeError(name=name, value=number, minimum=minimum)
    return number


def change(where: str, make: Callable[[Scenario], Scenario]) -> bool:
    """In a callback: another scenario made of the one in view, whose operations run again; True if it is there now.

    What cannot be is told at `where`. Where a limit stops the operations, those before it stay.
    """
    scenario = sandbox_place.place().scenario
    state.note(_STOPPED, None)
    refuse(where, None)
    try:
        wanted = make(scenario)
    except LabError as problem:
        refuse(where, problem)
        return False
    if sandbox_place.change(wanted):
        return True
    limit = state.told()
    if isinstance(limit, LimitError):
        shorter = wanted.up_to(_running(wanted))
        state.note(_STOPPED, (shorter, limit))
        return sandbox_place.change(shorter)
    if limit is not None:
        refuse(where, limit)
    return limit is None


def _running(scenario: Scenario) -> int:
    """How many of the operations run before a limit stops them."""
    from lab.timeline import Timeline  # noqa: PLC0415  (torch: after the warm-up)

    timeline = Timeline(scenario.config)
    try:
        for operation in scenario.operations:
            timeline.apply(operation)
    except LimitError:
        pass
    return len(timeline.steps)


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
