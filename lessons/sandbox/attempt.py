"""The learner's sandbox attempt, read from the address. Only callbacks change it.

Address keys: `sandbox` is the scenario with its whole log, `at_sandbox` the cursor if that is not the end. A scenario
that is too long for a link is named `sandbox.kept.<digest>`, see oversized_links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lab.activities.attempt import Cursor, parse_cursor
from lab.activities.run import Run
from lab.engine.errors import LabError
from lab.sandbox.editing import Entry, find_same_place
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.history import History
from lab.sandbox.library import adopt_questions, find_prepared, inherit_questions, is_own
from lab.sandbox.link import MAX_LINK
from lab.sandbox.log import Kind
from lab.sandbox.scenario import RequestSpec, Scenario, State
from lab.trace.operations import Operation
from lab.trace.timeline import Timeline
from lessons.sandbox import oversized_links, untried
from lessons.state import attempts, notes, runs
from lessons.state.slots import SANDBOX
from lessons.state.view import View

TRACK = SANDBOX
_HISTORY = "sandbox.history"  # a note: how this session reached its scenario
FROM_LECTURE = "sandbox.from_lecture"  # a note: the name of the kept scenario that was opened
DEFAULT = Scenario(16, 4, "used", (RequestSpec("A", 11), RequestSpec("B", 4)))


@dataclass(frozen=True)
class SandboxAttempt:
    """A scenario and the cursor in its log. `problem`: why the link could not be read; then the default is shown."""

    scenario: Scenario
    cursor: Cursor
    problem: LabError | None = None

    @property
    def run(self) -> Run:
        """What the engine runs."""
        return Run.alone(self.scenario.config, self.scenario.operations)

    @property
    def view(self) -> View:
        """The attempt in the form that the shared run panel draws."""
        return View(self.run, self.cursor, self.problem, TRACK)

    @property
    def timeline(self) -> Timeline:
        """The engine's run of the whole log."""
        return runs.get_timeline(self.run, TRACK)

    @property
    def history(self) -> History:
        """The state in view with what undo brings back, also after the browser's Back. A cursor inside a step counts as
        after the step."""
        here = State(self.scenario, self.cursor.step)
        return (_find_history(self.scenario) or History(here, (), here)).moved(here.at)


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> SandboxAttempt:
    """Read the address and check the scenario by running it. If that fails, return the default with the problem."""
    try:
        if (characters := len(attempts.get_value(TRACK.key))) > MAX_LINK:
            raise LinkTooLongError(characters=characters, limit=MAX_LINK)
        found, at = attempts.read(TRACK)
        scenario = (oversized_links.read(found) if found else None) or DEFAULT
        attempt = SandboxAttempt(scenario, Cursor(len(scenario.operations)))
        cursor = parse_cursor(at, scenario.operations) if at else attempt.cursor
        return replace(attempt, cursor=runs.normalize_cursor(cursor, attempt.timeline.steps))
    except LabError as problem:
        return SandboxAttempt(DEFAULT, Cursor(0), problem)


def _find_history(scenario: Scenario) -> History | None:
    """Return how this session reached the scenario; None on arrival."""
    known: History | None = notes.get_note(_HISTORY)
    return known.find_at(scenario) if known else None


def get_waiting() -> Entry | None:
    """Return the step that waits for permission to cut off the operations ahead, or to go before them; None if none."""
    attempt = read_url()
    waiting = notes.get_note("sandbox.asked")
    if waiting is None or waiting[0] != attempt.history.state or not attempt.history.would_lose:
        return None
    entry: Entry = waiting[1]
    return entry


def get_compared() -> Scenario | None:
    """Return the scenario before the last change, if that change led to the scenario in view; else None."""
    before, after = notes.get_note("sandbox.compared", (None, None))
    return before if after == read_url().scenario else None


def arrive(attempt: SandboxAttempt) -> bool:
    """Remember the state that the session arrived at, so that a reset returns to it. Call it after `read_url`.

    Returns whether the session has just arrived, by a link.
    """
    is_new = attempt.problem is None and _find_history(attempt.scenario) is None
    if is_new:
        notes.set_note(FROM_LECTURE, None)
        notes.set_note(_HISTORY, attempt.history)
    return is_new


# --- changing: callbacks only --------------------------------------------------------------------------------------


def operate(operation: Operation, drawn_at: int, times: int = 1, kind: Kind | None = None) -> None:
    """Make a step at the cursor, or ask first what becomes of the operations ahead.

    `kind`: a step that unfolds; `times` without one: so many tokens. `drawn_at` is the number of operations before the
    cursor when the button was drawn: an old or doubled press is ignored. If a limit or the log refuses the step, the
    refusal is shown and not recorded.
    """
    attempt, entry = read_url(), Entry(operation, kind or ("append" if times > 1 else None), times)
    if attempt.problem is None and drawn_at == attempt.cursor.step:
        if attempt.history.would_lose:
            notes.set_note("sandbox.asked", (attempt.history.state, entry))
        else:
            _operate(attempt.history, entry)


def operate_anyway(*, keep_rest: bool = False) -> None:
    """Make the waiting step. It cuts off the operations ahead, or is inserted before them. Undo brings them back."""
    waiting = get_waiting()
    dismiss()
    if waiting is not None:
        _operate(read_url().history, waiting, keep_rest=keep_rest)


def dismiss() -> None:
    """Drop the waiting step."""
    notes.set_note("sandbox.asked", None)


def _operate(history: History, entry: Entry, *, keep_rest: bool = False) -> None:
    try:
        now = history.did(entry, keep_rest=keep_rest)
        _run(now.scenario)
    except LabError as problem:
        notes.flash(problem)
        return
    if _go(now):
        untried.note(now, entry, _run)


def edit(change_log: Callable[[Scenario, int], tuple[Scenario, int]], drawn_at: int) -> None:
    """Delete, move or repeat the step in view. If it cannot run then, nothing changes and the reason is shown."""
    attempt = read_url()
    if attempt.problem is not None or drawn_at != attempt.cursor.step:
        return
    try:
        scenario, at = change_log(adopt_questions(attempt.scenario), drawn_at)
        _run(scenario)
    except LabError as problem:
        notes.flash(problem)
        return
    scenario = inherit_questions(scenario, attempt.scenario)
    _go(attempt.history.changed(scenario, at, State(scenario, 0) if is_own(scenario) else None))


def move(cursor: Cursor) -> None:
    """Move the cursor in the same log. Raises IndexError outside it."""
    attempt = read_url()
    _ = attempt.history.moved(cursor.step)
    runs.seek(TRACK, None if cursor == Cursor(len(attempt.scenario.operations)) else cursor)


def undo() -> None:
    """Undo the last change."""
    history = read_url().history
    if history.can_undo:
        _go(history.undone())


def change(scenario: Scenario, *, instead: bool = False) -> bool:
    """Change the pool or the requests and run the same log again. Returns whether the scenario changed.

    If a limit stops the run, nothing changes and the limit is shown. With `instead` the change replaces the last one,
    which can no longer be undone or compared with.
    """
    attempt = read_url()
    history, at = attempt.history, attempt.cursor.step
    if instead:
        history = history.undone()
    scenario = inherit_questions(scenario, history.scenario)
    if scenario == attempt.scenario:
        return False
    try:
        _run(scenario)
    except LabError as limit:
        notes.flash(limit)
        return False
    if instead:
        at = history.at if at == len(attempt.scenario.operations) else at  # a limit may have shortened the log since
    at = find_same_place(attempt.scenario, at, scenario)
    if scenario == history.scenario:
        notes.set_note("sandbox.compared", (None, None))
        return _go(history.moved(at))
    notes.set_note("sandbox.compared", (history.scenario, scenario))
    # What an author has written is what a reset returns to; operations pressed on the way are not written.
    return _go(history.changed(scenario, at, State(scenario, 0) if is_own(scenario) else None))


def open_state(opened: State) -> bool:
    """Open a state from a file, the library or the saved scenarios. If it cannot run, show why and return False."""
    try:
        _run(opened.scenario)
    except LabError as problem:
        notes.flash(problem)
        return False
    notes.set_note(FROM_LECTURE, None)
    return _go(read_url().history.changed(opened.scenario, opened.at, opened))


def reset() -> None:
    """Return to the state that was opened, or last written; a prepared one begins again, with its whole log ahead."""
    history = read_url().history
    opened = history.opened or history.state
    if (prepared := find_prepared(opened.scenario)) is not None:
        opened = State(prepared.scenario, 0)
    _go(history.changed(opened.scenario, opened.at, opened))


def _run(scenario: Scenario) -> Timeline:
    return runs.run_on_engine(TRACK, scenario.config, scenario.operations)


def _go(history: History) -> bool:
    """Write the state into the address, as one entry in the browser's history.

    If it fits neither into a link nor into a file, show why and return False.
    """
    try:
        shown = oversized_links.build(history.scenario)
    except LabError as limit:
        notes.flash(limit)
        return False
    notes.set_note(_HISTORY, history)
    at = "" if history.at == len(history.scenario.operations) else str(history.at)
    attempts.show(TRACK, shown, at)
    return True
