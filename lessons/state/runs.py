"""The learner's run of the task or of a lesson's case: read, run on the engine, changed in callbacks."""

from __future__ import annotations

from dataclasses import replace

from lab.activities.attempt import Answer, Attempt, Cursor, encode_cursor, parse_cursor
from lab.activities.cases import CASES
from lab.activities.cases.task import RESIZED, TASKS
from lab.activities.question import observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.config import Config
from lab.trace.operations import Operation, parse_operation
from lab.trace.presets import build_task_config
from lab.trace.timeline import Step, Timeline
from lessons.state import attempts, notes, presenting, record
from lessons.state.session import get_session
from lessons.state.slots import EIGHT, MAIN, Slot, Track
from lessons.state.view import View

MOST_OBSERVED = 64  # places of a run whose outcomes the session keeps

# --- reading -------------------------------------------------------------------------------------------------------


def get_view(track: Track = MAIN) -> View:
    """Read the run and the cursor of this track from the address, and check them by running the run.

    If they cannot be read, the view has the track's default run and the problem. Raises nothing. Read once for each
    address.
    """
    texts = track, attempts.get_value(track.key), attempts.get_value(track.at), presenting.is_on()
    kept: tuple[object, View] = get_session().get(f"view.{track.key}", (None, None))
    if texts[1] and kept[0] == texts:
        return kept[1]
    view = _read_view(track)
    if view.problem is None:
        get_session()[f"view.{track.key}"] = texts, view
    return view


def _read_view(track: Track) -> View:
    try:
        attempt, at = attempts.read(track)
        run = track.read(attempt) if attempt else _build_default(track)
        at = at if attempt or presenting.is_on() else ""  # a presenter's place means nothing to others
        if presenting.is_on() and not run.is_predicted and run == run.beginning:
            at = at or encode_cursor(Cursor(len(run.operations)))
            run = run.at((*run.operations, *run.case.plan[len(run.operations) :]))  # all ahead, to be stepped
        return View(run, read_cursor(at or str(len(run.operations)), run, track), None, track)
    except LabError as problem:
        default = _build_default(track)
        return View(default, Cursor(len(default.operations)), problem, track)


def read_cursor(text: str, run: Run, track: Track) -> Cursor:
    """The cursor with this text; one after the last event of a step is the one after the step.

    Runs the run. Raises as get_timeline does, and InvalidLinkError if there is no such step, or it has no such event.
    """
    cursor = parse_cursor(text, run.operations)
    steps = get_timeline(run, track).steps if run.operations else []  # before the first operation no engine is needed
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
        done = record.get_done()
        return Run.of(next((case for case in track.cases if case.id not in done), track.cases[0]))
    if track == MAIN:
        return Run.of_task(build_task_config(track.block_size))
    return Run.of_task(build_task_config(track.block_size, get_view(MAIN).run.config.free_block_ids), RESIZED)


def get_timeline(run: Run, track: Track = MAIN) -> Timeline:
    """Run this on the engine. Raises LimitError, UnknownRequestError."""
    return run_on_engine(track, run.config, run.operations)


def run_on_engine(slot: Slot, config: Config, operations: tuple[Operation, ...]) -> Timeline:
    """Run these operations on the engine. The timeline is cached in the session: further operations run alone.

    Raises LimitError, UnknownRequestError.
    """
    key = f"timeline.{slot.key}"
    cached = get_session().get(key)
    if isinstance(cached, Timeline) and cached.config == config:
        done = cached.operations
        if operations[: len(done)] == done:
            for operation in operations[len(done) :]:
                cached.apply(operation)
            return cached
    fresh = Timeline.replay(config, operations)
    get_session()[key] = fresh
    return fresh


def get_seen_steps(timeline: Timeline, cursor: Cursor) -> list[Step]:
    """The steps up to the cursor; if the cursor is inside a step, that step has only its events so far."""
    steps = timeline.steps[: cursor.step]
    if cursor.event is not None:
        last = steps[-1]
        steps[-1] = replace(last, events=last.events[: cursor.event], snapshots=last.snapshots[: cursor.event])
    return steps


def observe(view: View, timeline: Timeline) -> dict[str, Outcome]:
    """What the run answers at the view's cursor, by question id. Computed once for each place of a run."""
    kept: dict[object, dict[str, Outcome]] = get_session().setdefault(f"outcomes.{view.track.key}", {})
    run, cursor = view.run, view.cursor
    place = (run.attempt.beginning, run.operations[: cursor.step], cursor.event)
    if place not in kept:
        while len(kept) >= MOST_OBSERVED:
            kept.pop(next(iter(kept)))
        points = list(iterate_trace_points(get_seen_steps(timeline, cursor)))
        kept[place] = observe_outcomes(points, view.questions)
    return dict(kept[place])


def observe_all(view: View, timeline: Timeline) -> dict[str, Outcome]:
    """What the whole run answers, wherever the cursor is."""
    return observe(replace(view, cursor=Cursor(len(view.run.operations))), timeline)


def is_task_begun() -> bool:
    """Is there a run of the task in the address, or a prediction for it in the record?"""
    return bool(attempts.get_value(MAIN.key) or any(record.read().list_of_kind(kind) for kind in TASKS))


def find_saved(run: Run) -> Run | None:
    """This browser's run of the scenario; None if it has none, or if the record was edited and does not hold one."""
    found = record.read().find_as(run.attempt.activity, Run.read)
    return found if found and found.is_predicted else None


# --- changing: callbacks only --------------------------------------------------------------------------------------


def commit(track: Track, *answers: Answer) -> None:
    """Commit a prediction for the run in view. Ignored if there is one already, or if the run has begun."""
    run = get_view(track).run
    if not run.is_predicted and run == run.beginning and find_saved(run) is None:
        attempts.commit(track, run.attempt.answered(*answers))


def resume(track: Track) -> None:
    """Go on with the prediction that this browser committed for the scenario in view."""
    attempts.resume(track, get_view(track).run.attempt.activity)


def operate(track: Track, operation_id: str, index: int) -> None:
    """Apply an operation whose button was drawn for position `index`.

    An old or repeated press, or one without a prediction, is ignored. What a limit refuses is shown and not recorded.
    """
    view = get_view(track)
    if index != len(view.run.operations) or not view.run.is_predicted or not view.at_end:
        return
    run = view.run.then(parse_operation(operation_id))
    try:
        timeline = get_timeline(run, track)
    except LabError as refusal:
        notes.flash(refusal)
        return
    attempts.show(track, run.attempt)
    after = View(run, Cursor(len(run.operations)), None, track)
    all_answered = len(observe(after, timeline)) == len(view.questions)
    done = (run.case.id if track.lesson else track.key) if all_answered else ""
    record.update(lambda kept: kept.keep_operations(run.attempt, done))


def restart(track: Track, free_block_ids: tuple[int, ...]) -> None:
    """Start over; the task gets a pool with this free queue."""
    view = get_view(track)
    run = view.run
    pool = build_task_config(run.config.block_size, free_block_ids)
    fresh = Run.of(run.case) if track.lesson else Run.of_task(pool, run.attempt.kind)
    attempts.restart(track, run.attempt, fresh.attempt)


def rewind(track: Track) -> None:
    """Show where the run in view began."""
    seek(track, Cursor(len(get_view(track).run.beginning.operations)))


def step_on(track: Track) -> None:
    """Show the next operation of the run in view; nothing at its end."""
    view = get_view(track)
    if view.cursor.step < len(view.run.operations):
        seek(track, Cursor(view.cursor.step + (view.cursor.event is None)))


def open_case(track: Track, case_id: str) -> None:
    """Show a case of the track's lesson: the saved run if this browser has one, else the case's beginning."""
    case = CASES[case_id]
    mine = (find_saved(start) for start in Run.all_of(case))
    attempts.show(track, next((run for run in mine if run), Run.of(case)).attempt)


def seek(track: Track, cursor: Cursor | None) -> None:
    """Move the cursor; None moves it to the end."""
    attempts.seek(track, encode_cursor(cursor) if cursor else "")


def open_earlier(attempt: Attempt) -> None:
    """Show an earlier attempt at the task on its own track, at its end."""
    track = EIGHT if attempt.kind == RESIZED else MAIN
    attempts.show(track, attempt, part="eight" if track == EIGHT else "")
