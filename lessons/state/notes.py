"""What this session keeps for a short while: notes, the error of the last press, the values of widgets."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import streamlit as st

from lab.engine.errors import InvalidAnswerError, LabError
from lessons.state.session import get_session


@runtime_checkable
class Releasable(Protocol):
    """A note with a resource outside the session. "Forget me" releases that when it drops the note."""

    def let_go(self) -> None:
        """Release the resource."""


def set_note(key: str, value: Any) -> None:
    """Keep a value in this session under this key (an error of a field, an open question)."""
    get_session()[f"note.{key}"] = value


def get_note(key: str, default: Any = None) -> Any:
    """The value that `set_note` kept, else the default."""
    return get_session().get(f"note.{key}", default)


def set_note_about(thing: Any, key: str, value: Any) -> None:
    """Keep a value that holds as long as this thing (a scenario, a state) is in view."""
    set_note(key, (thing, value))


def get_note_about(thing: Any, key: str, default: Any = None) -> Any:
    """The value that `set_note_about` kept for this thing, else the default."""
    kept = get_note(key)
    return kept[1] if kept and kept[0] == thing else default


def set_problem(key: str, problem: InvalidAnswerError | None) -> None:
    """Keep why the answer in the field with this key cannot be read; None drops it."""
    if problem is None:
        get_session().pop(f"note.problem.{key}", None)
    else:
        set_note(f"problem.{key}", problem)


def get_problem(key: str) -> InvalidAnswerError | None:
    """Why the answer in the field with this key could not be read; None without a problem."""
    problem: InvalidAnswerError | None = get_note(f"problem.{key}")
    return problem


def get_field(key: str) -> Any:
    """The current value of a keyed widget."""
    return st.session_state.get(key)


def set_field(key: str, value: Any) -> None:
    """Set the value of a keyed widget. Call it before the widget is drawn."""
    st.session_state[key] = value


def set_link_problem(text: str) -> None:
    """Set why the page's address cannot be shared as a link; empty if it can."""
    set_note("link_problem", text)


def get_link_problem() -> str:
    """Why the page's address cannot be shared; empty if it can."""
    return str(get_note("link_problem", ""))


def flash(error: LabError) -> None:
    """Keep an error for the next drawing of the page."""
    get_session()["flash"] = error


def pop_flash() -> LabError | None:
    """Return and drop the error of the last press; None without one."""
    error = get_session().pop("flash", None)
    return error if isinstance(error, LabError) else None
