"""The learner's attempts: read from the address, changed only in callbacks, cached in the session.

One parameter, `run`, holds the scenario, the prediction and the operations, so that each change is one step of the
browser's Back button; `at` is the cursor, `lang` the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from lab.activities.attempt import Cursor, Run, encode_cursor, encode_run, parse_cursor, parse_run
from lab.activities.cases import CASES, LESSONS
from lab.activities.question import FORMS, Prediction, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.operations import parse_operation
from lab.trace.presets import build_task_config
from lab.trace.timeline import Step, Timeline
from lessons.state import notes, record, url
from lessons.state.session import get_session
from lessons.state.view import EIGHT, MAIN, Track, View
from lessons.text.translations import LANGUAGES, Language

# Prefixes of the keys of the learner's own fields; "forget me" empties them with the record.
_ABOUT_THE_LEARNER = (
    *("own.", "predict.", "check.", "again.", "try.", "intuition.", "quiz_answer."),
    *("explanation", "report_name", "kept."),
)
PARTS = ("run", "explain", "eight")
_ONLY_HERE = ("class", "window")  # parameters that belong to one page: links to others do not pass them on
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
    """The name of the browser's time zone; None if the browser does not send it."""
    return st.context.timezone


def get_page_address() -> str:
    """The page's address as the browser has it, without parameters; empty if the browser does not send it."""
    return st.context.url or ""


def get_client_address() -> str | None:
    """The IP address of the browser's machine or of a proxy; None if it is the server's machine."""
    return st.context.ip_address


def get_view(track: Track = MAIN) -> View:
    """Read the run and the cursor of this track from the address, and check them by running the run.

    If they cannot be read, the view has the track's default run and the problem. Raises nothing.
    """
    default = _build_default(track)
    try:
        params = url.read()
        text = params.get(track.run)
        run = parse_run(text) if text else default
        track.check(run)
        at = params.get(track.at)
        cursor = parse_cursor(at, run) if at else Cursor(len(run.operations))
        if run.operations:
            cursor = normalize_cursor(cursor, get_timeline(run, track).steps)
    except LabError as problem:
        return View(default, Cursor(len(default.operations)), problem, track)
    return View(run, cursor, None, track)


def normalize_cursor(cursor: Cursor, steps: Sequence[Step]) -> Cursor:
    """A cursor after the last event of a step becomes the cursor after the step. Raises InvalidLinkError if the step
    has no such event."""
    if cursor.event is None:
        return cursor
    events = len(steps[cursor.step - 1].events)
    if cursor.event > events:
        raise InvalidLinkError(part="at", reason="no such event")
    return Cursor(cursor.step) if cursor.event == events else cursor


def _build_default(track: Track) -> Run:
    """The run that a track begins with: a lesson's first unfinished case; the task with the track's block size, where
    the second track has the pool that the learner chose for the first."""
    if track.lesson:
        done, cases = record.get_done(), LESSONS[track.lesson]
        return Run.of(next((case for case in cases if case.id not in done), cases[0]))
    if track == MAIN:
        return Run(build_task_config(track.block_size))
    return Run(build_task_config(track.block_size, get_view(MAIN).run.config.free_block_ids))


def get_timeline(run: Run, track: Track = MAIN) -> Timeline:
    """Run these operations on the engine. The timeline is cached in the session: further operations run alone.

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
    saved = record.read().get("committed")
    return MAIN.run in url.read() or (isinstance(saved, dict) and any(str(key)[:1] in FORMS for key in saved))


def get_value(key: str) -> str:
    """A parameter of the address; empty if it is not there."""
    return url.read().get(key, "")


def add_unread(key: str) -> None:
    """Note that this parameter could not be read and is being ignored, so that the page reports it."""
    get_session().setdefault(_UNREAD, {})[key] = get_value(key)


def pop_unread() -> dict[str, str]:
    """Return and drop the parameters that could not be read, with their texts, which are untrusted."""
    unread: dict[str, str] = get_session().pop(_UNREAD, {})
    return unread


def get_link() -> dict[str, str]:
    """The query parameters that every link to another page must pass on."""
    return {key: text for key, text in url.read().items() if key not in _ONLY_HERE} | {"lang": get_language()}


# --- changing: callbacks only --------------------------------------------------------------------------------------


def set_language(lang: Language) -> None:
    """Switch the language; everything else stays."""
    set_values(lang=lang)


def set_value(key: str, text: str) -> None:
    """Write a parameter of the address, as one entry of the browser's history; an empty text removes it."""
    set_values(**{key: text})


def set_values(**texts: str) -> None:
    """Write several parameters, as one entry of the browser's history; empty texts remove them."""
    others = {key: text for key, text in url.read().items() if key not in texts}
    url.write({**others, **{key: text for key, text in texts.items() if text}})


def commit(track: Track, prediction: Prediction) -> None:
    """Commit a prediction for the run in view. Ignored if there is one already, or if the run has begun."""
    view = get_view(track)
    begun = view.run.operations != view.run.beginning.operations
    if view.run.prediction is None and not begun and record.get_committed(view.form, view.run) is None:
        run = replace(view.run, prediction=prediction)
        _set_run(track, run)
        record.call_when_known(partial(_save_commitment, view.form, run))


def _save_commitment(form: str, run: Run) -> None:
    """Save the commitment, unless the record has another prediction for this scenario."""
    if record.get_committed(form, run) is None:
        record.add_commitment(form, run)
        record.drop_shared(run)


def resume(track: Track) -> None:
    """Go on with the prediction that this browser committed for the scenario in view."""
    view = get_view(track)
    saved = record.find_saved_run(view.form, view.run)
    if saved is not None:
        _set_run(track, saved)


def operate(track: Track, operation_id: str, index: int) -> None:
    """Apply an operation whose button was drawn for position `index`.

    An old or repeated press, or one without a prediction, is ignored. What a limit refuses is shown and not recorded.
    """
    view = get_view(track)
    if index != len(view.run.operations) or view.run.prediction is None or not view.at_end:
        return
    run = view.run.then(parse_operation(operation_id))
    try:
        steps = get_timeline(run, track).steps
    except LabError as refusal:
        notes.flash(refusal)
        return
    _set_run(track, run)
    all_answered = len(observe_outcomes(list(iterate_trace_points(steps)), view.questions)) == len(view.questions)
    record.call_when_known(partial(_save_progress, view, run, all_answered))


def _save_progress(before: View, run: Run, all_answered: bool) -> None:
    """Save how far this browser's own prediction was run. A run from a link is no progress of this browser's."""
    if record.get_committed(before.form, run) != encode_run(run.beginning):
        if _is_shared(before):
            record.add_shared(run)
        return
    (record.add_commitment if run.case else record.add_ran)(before.form, run)
    if all_answered:
        record.add_done(run.case.id if run.case else before.track.run)


def restart(track: Track, free_block_ids: tuple[int, ...]) -> None:
    """Start over; the task gets a pool with this free queue. The attempt so far goes into the record."""
    view = get_view(track)
    attempt = encode_run(view.run) if view.run.prediction is not None else record.get_committed(view.form, view.run)
    if attempt is not None:
        record.add_attempt(attempt)
    if view.run.prediction is not None and _is_shared(view):
        record.add_shared(view.run)
    record.drop_commitment(view.form, view.run)
    case = view.run.case
    run = Run.of(case) if case else Run(build_task_config(view.run.config.block_size, free_block_ids))
    record.drop_commitment(view.form, run)
    _set_run(track, run)


def _is_shared(view: View) -> bool:
    """Is the prediction neither committed in this browser nor part of one of its saved attempts?"""
    if not record.is_known():
        return False
    beginning = encode_run(view.run.beginning)
    earlier = (record.parse(text) for text in record.get_attempts())
    mine = {encode_run(run.beginning) for run in earlier if run}
    return record.get_committed(view.form, view.run) != beginning and beginning not in mine


def open_case(track: Track, case_id: str) -> None:
    """Show a case of the track's lesson: the saved run if this browser has one, else the case's beginning."""
    case = CASES[case_id]
    saved = (record.find_saved_run(case_id, start) for start in Run.all_of(case))
    _set_run(track, next((run for run in saved if run), Run.of(case)))


def seek(track: Track, cursor: Cursor | None) -> None:
    """Move the cursor; None moves it to the end."""
    set_values(**{track.at: encode_cursor(cursor) if cursor else ""})


def open_attempt(attempt: str) -> None:
    """Show an earlier attempt (a run text) on its own track, at its end."""
    run = parse_run(attempt)
    track = EIGHT if run.prediction and run.prediction.form == EIGHT.form else MAIN
    set_values(**{track.at: "", "part": "eight" if track == EIGHT else "", track.run: attempt})


def forget_everything() -> None:
    """Empty the learner's record, the notes of this session and, at the next drawing, the learner's fields.

    The address stays.
    """
    record.forget()
    session = get_session()
    session.update({_FORGOTTEN: count_forgotten() + 1, _EMPTYING: True})
    for name in [name for name in session if name.startswith("note.")]:
        note = session.pop(name)
        if isinstance(note, notes.Releasable):
            note.let_go()


def empty_fields() -> None:
    """After "forget me" empty the fields that the learner has filled in. Call it before the page is drawn."""
    if get_session().get(_EMPTYING):
        for key, value in list(st.session_state.items()):
            if key == "quiz" or (isinstance(key, str) and key.startswith(_ABOUT_THE_LEARNER)):
                notes.set_field(key, {str: "", bool: False}.get(type(value)))
        get_session()[_EMPTYING] = False


def _set_run(track: Track, run: Run) -> None:
    """Write the run, with the cursor at its end, as one entry of the browser's history."""
    set_values(**{track.at: "", track.run: encode_run(run)})


def get_part() -> str:
    """Which part of the task is in view: "run", "explain" or "eight"."""
    asked = get_value("part") or PARTS[0]
    if asked in PARTS:
        return asked
    add_unread("part")
    return PARTS[0]


def set_part(name: str) -> None:
    """Show a part of the task."""
    set_values(part=name)


def count_forgotten() -> int:
    """How often "forget me" was pressed in this session. A widget that cannot be emptied has it in its key."""
    return int(get_session().get(_FORGOTTEN, 0))
