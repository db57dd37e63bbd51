"""What a session knows: read from the address, changed only in callbacks, cached in the session.

One key of the address, `run`, holds scenario, prediction and operations, so that each change is one step of the
browser's Back button; `at` is the cursor, `lang` the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, runtime_checkable

import streamlit as st

from lab.activities.attempt import Cursor, Run, encode_cursor, encode_run, parse_cursor, parse_run
from lab.activities.cases import CASES, LESSONS
from lab.activities.question import FORMS, Prediction, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.operations import parse_operation
from lab.trace.presets import build_task_config
from lab.trace.timeline import Step, Timeline
from lessons.state import record, url
from lessons.state.session import get_session
from lessons.state.view import EIGHT, MAIN, Track, View
from lessons.text.translations import LANGUAGES, Language

_WIDE, _NARROW = 8, 4
# Fields in which a learner writes or chooses; "forget me" empties them with the record.
_ABOUT_THE_LEARNER = (
    *("own.", "predict.", "check.", "again.", "try.", "intuition.", "quiz_answer."),
    *("explanation", "report_name", "kept."),
)
PARTS = ("run", "explain", "eight")
_FORGOTTEN, _EMPTYING, _UNREAD = "forgotten", "emptying", "unread"


# --- reading -------------------------------------------------------------------------------------------------------


def get_language() -> Language:
    """The address's language, else the browser's, else English."""
    asked = url.read().get("lang")
    if asked in LANGUAGES:
        return asked
    if asked:
        add_unread("lang")
    locale = (st.context.locale or "").lower()
    return next((code for code in LANGUAGES if locale.startswith(code)), "en")


def get_time_zone() -> str | None:
    """The browser's time zone by name, if it tells."""
    return st.context.timezone


def get_page_address() -> str:
    """The page's address in this browser, as it is behind any proxy, without parameters; empty if it is not told."""
    return st.context.url or ""


def get_client_address() -> str | None:
    """The address of the machine that the browser is on, or that stands before it; None for the server's own."""
    return st.context.ip_address


def get_view(track: Track = MAIN) -> View:
    """Read the address. What it says is checked by running it; what cannot be read becomes the default task."""
    default = _build_default(track)
    try:
        there = url.read()
        text = there.get(track.run)
        run = parse_run(text) if text else default
        track.check(run)
        at = there.get(track.at)
        cursor = parse_cursor(at, run) if at else Cursor(len(run.operations))
        if run.operations:
            cursor = normalize_cursor(cursor, get_timeline(run, track).steps)
    except LabError as problem:
        return View(default, Cursor(len(default.operations)), problem, track)
    return View(run, cursor, None, track)


def normalize_cursor(cursor: Cursor, steps: Sequence[Step]) -> Cursor:
    """A cursor behind the last event of a step is one behind the step. Raises InvalidLinkError for no such event."""
    if cursor.event is None:
        return cursor
    events = len(steps[cursor.step - 1].events)
    if cursor.event > events:
        raise InvalidLinkError(part="at", reason="no such event")
    return Cursor(cursor.step) if cursor.event == events else cursor


def _build_default(track: Track) -> Run:
    """Where a track begins: a lesson at the first case that is not done yet; the task at its size, and part 3 of it on
    the pool that the learner chose for the task."""
    if track.lesson:
        done, cases = record.get_done(), LESSONS[track.lesson]
        return Run.of(next((case for case in cases if case.id not in done), cases[0]))
    if track == MAIN:
        return Run(build_task_config(track.block_size))
    return Run(build_task_config(track.block_size, get_view(MAIN).run.config.free_block_ids))


def get_timeline(run: Run, track: Track = MAIN) -> Timeline:
    """The engine's run of these operations. Cached in the session; one more operation runs only that one.

    Raises LimitError, UnknownRequestError.
    """
    key = f"timeline.{track.run}"
    cached = get_session().get(key)
    if isinstance(cached, Timeline) and cached.config == run.config:
        done = cached.operations
        if run.operations[: len(done)] == done:
            for operation in run.operations[len(done) :]:
                cached.apply(operation)
            return cached
    fresh = Timeline.replay(run.config, run.operations)
    get_session()[key] = fresh
    return fresh


def is_task_begun() -> bool:
    """Is there a run of the task in the address, or a prediction for it in the record?"""
    kept = record.read().get("committed")
    return MAIN.run in url.read() or (isinstance(kept, dict) and any(str(key)[:1] in FORMS for key in kept))


def get_columns() -> int:
    """Blocks in a row of a picture: 4 beside a page's words, else as many as there is room for."""
    return _NARROW if get_session().get("columns.beside") else get_measured_columns()


def get_measured_columns() -> int:
    """Blocks in a row as the page's memory picture has measured: 8, or 4 on a narrow screen (a guess until then)."""
    if "columns" not in get_session():
        agent = str(st.context.headers.get("User-Agent", ""))
        get_session()["columns"] = _NARROW if "Mobi" in agent else _WIDE
    return int(get_session()["columns"])


def set_pictures_beside_words(beside: bool) -> None:
    """Whether the page being drawn has its pictures beside its words, with room for 4 blocks in a row."""
    get_session()["columns.beside"] = beside


def get_value(key: str) -> str:
    """A parameter of the address that another module reads; empty if it is not there."""
    return url.read().get(key, "")


def add_unread(key: str) -> None:
    """Whoever finds nothing in what this parameter says, and goes on as if it were not there, says so here."""
    get_session().setdefault(_UNREAD, {})[key] = get_value(key)


def pop_unread() -> dict[str, str]:
    """What `unread` was told since this was last asked. Untrusted texts."""
    found: dict[str, str] = get_session().pop(_UNREAD, {})
    return found


def get_link() -> dict[str, str]:
    """Query parameters that a link to another page must pass on, so that nothing is lost."""
    return {**url.read(), "lang": get_language()}


# --- changing: callbacks only --------------------------------------------------------------------------------------


def set_language(lang: Language) -> None:
    """Switch the language; everything else stays."""
    set_values(lang=lang)


def set_value(key: str, text: str) -> None:
    """Write a parameter of the address, as one entry of the browser's history; an empty text takes it away."""
    set_values(**{key: text})


def set_values(**texts: str) -> None:
    """Write several parameters, as one entry of the browser's history; empty texts take them away."""
    kept = {key: text for key, text in url.read().items() if key not in texts}
    url.write({**kept, **{key: text for key, text in texts.items() if text}})


def set_columns(count: int) -> None:
    """The browser has measured how many blocks fit in a row."""
    get_session()["columns"] = count


def commit(track: Track, prediction: Prediction) -> None:
    """Commit a prediction, once: later ones are ignored."""
    here = get_view(track)
    begun = here.run.operations != here.run.beginning.operations
    if here.run.prediction is None and not begun and record.get_committed(here.form, here.run) is None:
        run = replace(here.run, prediction=prediction)
        _set_run(track, run)
        record.call_when_known(partial(_keep_commitment, here.form, run))


def _keep_commitment(form: str, run: Run) -> None:
    """Unless this browser turns out to have committed another prediction for the scenario before."""
    if record.get_committed(form, run) is None:
        record.add_commitment(form, run)
        record.drop_shared(run)


def resume(track: Track) -> None:
    """Go on with the prediction that this browser committed for the scenario in view."""
    here = get_view(track)
    left = record.find_saved_run(here.form, here.run)
    if left is not None:
        _set_run(track, left)


def operate(track: Track, operation_id: str, index: int) -> None:
    """Apply an operation drawn as the `index`-th. An old or doubled press, or one without a prediction, is ignored.

    What a limit refuses is told and not recorded.
    """
    here = get_view(track)
    if index != len(here.run.operations) or here.run.prediction is None or not here.at_end:
        return
    run = here.run.then(parse_operation(operation_id))
    try:
        steps = get_timeline(run, track).steps
    except LabError as refusal:
        flash(refusal)
        return
    _set_run(track, run)
    settled_all = len(observe_outcomes(list(iterate_trace_points(steps)), here.questions)) == len(here.questions)
    record.call_when_known(partial(_keep_progress, here, run, settled_all))


def _keep_progress(before: View, run: Run, settled_all: bool) -> None:
    """How far this browser's own prediction has been run; what came with a link counts for nothing here."""
    if record.get_committed(before.form, run) != encode_run(run.beginning):
        if _is_shared(before):
            record.add_shared(run)
        return
    (record.add_commitment if run.case else record.add_ran)(before.form, run)
    if settled_all:
        record.add_done(run.case.id if run.case else before.track.run)


def restart(track: Track, free_block_ids: tuple[int, ...]) -> None:
    """Begin again, the task on a pool with this queue; the attempt so far goes into the record."""
    here = get_view(track)
    attempt = encode_run(here.run) if here.run.prediction is not None else record.get_committed(here.form, here.run)
    if attempt is not None:
        record.add_attempt(attempt)
    if here.run.prediction is not None and _is_shared(here):
        record.add_shared(here.run)
    record.drop_commitment(here.form, here.run)
    set_note(f"problems.{here.form}", {})
    case = here.run.case
    run = Run.of(case) if case else Run(build_task_config(here.run.config.block_size, free_block_ids))
    record.drop_commitment(here.form, run)
    _set_run(track, run)


def _is_shared(here: View) -> bool:
    """Is the prediction in view neither committed in this browser nor that of an attempt which it has kept?"""
    if not record.is_known():
        return False
    beginning = encode_run(here.run.beginning)
    earlier = (record.parse(text) for text in record.get_attempts())
    mine = {encode_run(run.beginning) for run in earlier if run}
    return record.get_committed(here.form, here.run) != beginning and beginning not in mine


def open_case(track: Track, case_id: str) -> None:
    """Turn to a case of the track's lesson: where this browser left it, else as it opens."""
    case = CASES[case_id]
    kept = (record.find_saved_run(case_id, start) for start in Run.all_of(case))
    _set_run(track, next((run for run in kept if run), Run.of(case)))


def seek(track: Track, cursor: Cursor | None) -> None:
    """Move the cursor; None returns to the end."""
    set_values(**{track.at: encode_cursor(cursor) if cursor else ""})


def open_attempt(attempt: str) -> None:
    """Show an earlier attempt on its own track, at its end."""
    run = parse_run(attempt)
    track = EIGHT if run.prediction and run.prediction.form == EIGHT.form else MAIN
    set_values(**{track.at: "", "part": "eight" if track == EIGHT else "", track.run: attempt})


def forget_everything() -> None:
    """Empty the learner's record, and the fields that were filled from it. The address stays."""
    record.forget()
    here = get_session()
    here.update({_FORGOTTEN: count_forgotten() + 1, _EMPTYING: True})
    for name in [name for name in here if name.startswith("note.")]:
        kept = here.pop(name)
        if isinstance(kept, Hold):
            kept.let_go()


def empty_fields() -> None:
    """Empty what a learner has typed and chosen, if everything is to be forgotten; before the page is drawn."""
    if get_session().get(_EMPTYING):
        for key, value in list(st.session_state.items()):
            if key == "quiz" or (isinstance(key, str) and key.startswith(_ABOUT_THE_LEARNER)):
                set_field(key, {str: "", bool: False}.get(type(value)))
        get_session()[_EMPTYING] = False


def _set_run(track: Track, run: Run) -> None:
    """Write the run and look at its end, as one entry of the browser's history."""
    set_values(**{track.at: "", track.run: encode_run(run)})


def get_part() -> str:
    """Which part of the task is in view: "run", "explain" or "eight"."""
    asked = get_value("part") or PARTS[0]
    if asked in PARTS:
        return asked
    add_unread("part")
    return PARTS[0]


def set_part(name: str) -> None:
    """Turn to a part of the task."""
    set_values(part=name)


# --- short-lived notes ---------------------------------------------------------------------------------------------


def set_link_problem(text: str) -> None:
    """Why the address of the page in view is no link to be passed on; empty if it is one."""
    set_note("link_problem", text)


def get_link_problem() -> str:
    """What the page in view has set, or nothing."""
    return str(get_note("link_problem", ""))


def flash(error: LabError) -> None:
    """Keep an answer for the next drawing of the page."""
    get_session()["told"] = error


def pop_flash() -> LabError | None:
    """The answer to the last press, if any; gone once read."""
    error = get_session().pop("told", None)
    return error if isinstance(error, LabError) else None


@runtime_checkable
class Hold(Protocol):
    """A note that holds something outside the session. Dropped by "forget me", it lets go of that first."""

    def let_go(self) -> None:
        """Hold nothing any more."""


def count_forgotten() -> int:
    """How often "forget me" was pressed in this session; part of the key of a widget that cannot be emptied."""
    return int(get_session().get(_FORGOTTEN, 0))


def set_note(key: str, value: Any) -> None:
    """Keep something of this session (a typed field's error, an open question)."""
    get_session()[f"note.{key}"] = value


def get_note(key: str, default: Any = None) -> Any:
    """What `note` kept."""
    return get_session().get(f"note.{key}", default)


def get_field(key: str) -> Any:
    """The current value of a keyed widget."""
    return st.session_state.get(key)


def set_field(key: str, value: Any) -> None:
    """Give a keyed widget its value; before the widget is drawn."""
    st.session_state[key] = value
