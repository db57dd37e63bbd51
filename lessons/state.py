"""What a session knows: read from the address, changed only in callbacks, cached in the session.

The only file that touches st.query_params and, beside record.py (the browser's store) and the components' own
bookkeeping, st.session_state. One key of the address, `run`, holds scenario, prediction and operations, so that
each change is one step of the browser's Back button; `at` is the cursor, `lang` the language.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from lab.errors import InvalidLinkError, LabError
from lab.link import Cursor, Run, cursor_text, parse_cursor, parse_run, run_text
from lab.operations import parse_operation
from lab.prediction import Prediction
from lab.scenarios import task_config
from lessons import record
from lessons.text import LANGUAGES, Language

if TYPE_CHECKING:
    from lab.timeline import Timeline

_WIDE, _NARROW = 8, 4


@dataclass(frozen=True)
class Place:
    """Where the visitor is. `problem`: why the link could not be read (the default task is shown then)."""

    run: Run
    cursor: Cursor
    problem: LabError | None = None

    @property
    def at_end(self) -> bool:
        """Is everything that happened in view?"""
        return self.cursor == Cursor(len(self.run.operations))

    @property
    def demonstration(self) -> bool:
        """A link with operations that nobody here predicted."""
        return self.run.prediction is None and bool(self.run.operations)


# --- reading -------------------------------------------------------------------------------------------------------


def language() -> Language:
    """The address's language, else the browser's, else English."""
    asked = st.query_params.get("lang")
    if asked in LANGUAGES:
        return asked
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


def place() -> Place:
    """Read the address. What it says is checked by running it; what cannot be read becomes the default task."""
    try:
        text = st.query_params.get("run")
        run = parse_run(text) if text else Run(task_config())
        at = st.query_params.get("at")
        cursor = parse_cursor(at, run) if at else Cursor(len(run.operations))
        if cursor.event is not None:
            events = len(timeline(run).steps[cursor.step - 1].events)
            if cursor.event > events:
                raise InvalidLinkError(part="at", reason="no such event")
            cursor = Cursor(cursor.step) if cursor.event == events else cursor
        elif run.operations:
            timeline(run)
    except LabError as problem:
        return Place(Run(task_config()), Cursor(0), problem)
    return Place(run, cursor)


def timeline(run: Run) -> Timeline:
    """The engine's run of these operations. Cached in the session; one more operation runs only that one.

    Raises LimitError, UnknownRequestError.
    """
    from lab.timeline import Timeline  # noqa: PLC0415  (torch: not before a page needs the engine)

    cached = st.session_state.get("timeline")
    if isinstance(cached, Timeline) and cached.config == run.config:
        done = cached.operations
        if run.operations[: len(done)] == done:
            for operation in run.operations[len(done) :]:
                cached.apply(operation)
            return cached
    fresh = Timeline.replay(run.config, run.operations)
    st.session_state["timeline"] = fresh
    return fresh


def columns() -> int:
    """Blocks in a row of the picture: 8, or 4 on a narrow screen (a guess until the browser has measured)."""
    if "columns" not in st.session_state:
        agent = str(st.context.headers.get("User-Agent", ""))
        st.session_state["columns"] = _NARROW if "Mobi" in agent else _WIDE
    return int(st.session_state["columns"])


def link(lang: Language | None = None) -> dict[str, str]:
    """Query parameters that a link to another page must pass on, so that nothing is lost."""
    return {**{key: st.query_params[key] for key in st.query_params}, "lang": lang or language()}


# --- changing: callbacks only --------------------------------------------------------------------------------------


def set_language(lang: Language) -> None:
    """Switch the language; everything else stays."""
    st.query_params["lang"] = lang


def set_columns(count: int) -> None:
    """The browser has measured how many blocks fit in a row."""
    st.session_state["columns"] = count


def commit(prediction: Prediction) -> None:
    """Commit a prediction, once: later ones are ignored."""
    here = place()
    if here.run.prediction is None and not here.run.operations:
        _set_run(replace(here.run, prediction=prediction))


def operate(operation_id: str, index: int) -> None:
    """Apply an operation drawn as the `index`-th. An old or doubled press, or one without a prediction, is ignored.

    What a limit refuses is told and not recorded.
    """
    here = place()
    if index != len(here.run.operations) or here.run.prediction is None or not here.at_end:
        return
    run = here.run.then(parse_operation(operation_id))
    try:
        timeline(run)
    except LabError as refusal:
        tell(refusal)
        return
    _set_run(run)


def look(cursor: Cursor | None) -> None:
    """Move the cursor; None returns to the end."""
    if cursor is not None:
        st.query_params["at"] = cursor_text(cursor)
    elif "at" in st.query_params:
        del st.query_params["at"]


def start_over(free_block_ids: tuple[int, ...]) -> None:
    """Begin again, on a pool with this queue; the attempt so far goes into the record."""
    here = place()
    if here.run.prediction is not None:
        record.add_attempt(here.run)
    _set_run(Run(task_config(here.run.config.block_size, free_block_ids)))


def _set_run(run: Run) -> None:
    """Write the run and look at its end, as one entry of the browser's history."""
    kept = {key: st.query_params[key] for key in st.query_params if key != "at"}
    st.query_params.from_dict({**kept, "run": run_text(run)})


# --- short-lived notes ---------------------------------------------------------------------------------------------


def tell(error: LabError) -> None:
    """Keep an answer for the next drawing of the page."""
    st.session_state["told"] = error


def told() -> LabError | None:
    """The answer to the last press, if any; gone once read."""
    error = st.session_state.pop("told", None)
    return error if isinstance(error, LabError) else None


def note(key: str, value: Any) -> None:
    """Keep something of this session (a typed field's error, an open question)."""
    st.session_state[f"note.{key}"] = value


def noted(key: str, default: Any = None) -> Any:
    """What `note` kept."""
    return st.session_state.get(f"note.{key}", default)


def field(key: str) -> Any:
    """The current value of a keyed widget."""
    return st.session_state.get(key)


def set_field(key: str, value: Any) -> None:
    """Give a keyed widget its value; before the widget is drawn."""
    st.session_state[key] = value
