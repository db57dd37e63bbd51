"""The learner's scenario in the sandbox, read from the address. Only callbacks change it.

Address keys: `sandbox` is the scenario with its whole log, `at_sandbox` the cursor if that is not the end. A scenario
that is too long for a link is named `sandbox.kept.<digest>`, see oversized_links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lab.activities.attempt import Cursor
from lab.activities.run import Run
from lab.engine.errors import LabError
from lab.sandbox.editing import Entry, find_same_place
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.history import History
from lab.sandbox.library import adopt_questions, find_prepared, inherit_questions, is_own
from lab.sandbox.link import MAX_LINK
from lab.sandbox.log import Kind
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import Operation
from lab.trace.timeline import Timeline
from lessons.sandbox import oversized_links, untried
from lessons.state import attempts, notes, runs
from lessons.state.slots import SANDBOX
from lessons.state.view import View

# Notes: how this session reached its scenario; the step that waits; the scenario before the last change; the name of
# the kept scenario that was opened.
_HISTORY, _ASKED, _COMPARED = "sandbox.history", "sandbox.asked", "sandbox.compared"
FROM_LECTURE = "sandbox.from_lecture"
DEFAULT = Scenario(16, 4, "used", (RequestSpec("A", 11), RequestSpec("B", 4)))


@dataclass(frozen=True)
class SandboxView(View):
    """What the engine runs for a scenario, and the cursor in its log. With a `problem` it is the default scenario."""

    scenario: Scenario = DEFAULT

    @classmethod
    def of(cls, scenario: Scenario, at: str = "") -> SandboxView:
        """The scenario at the place with this text, else at its end. Raises what a run and its cursor raise."""
        run = Run.alone(scenario.config, scenario.operations)
        return cls(run, runs.read_cursor(at or str(len(run.operations)), run, SANDBOX), None, SANDBOX, scenario)

    @property
    def timeline(self) -> Timeline:
        """The engine's run of the whole log."""
        return runs.get_timeline(self.run, self.track)

    @property
    def history(self) -> History:
        """The state in view with what undo brings back, also after the browser's Back. A cursor inside a step counts as
        after the step."""
        here = State(self.scenario, self.cursor.step)
        return (_find_history(self.scenario) or History(here, (), here)).moved(here.at)


# --- reading -------------------------------------------------------------------------------------------------------


def get_view() -> SandboxView:
    """Read the address and check the scenario by running it. If that fails, return the default with the problem."""
    try:
        if (characters := len(attempts.get_value(SANDBOX.key))) > MAX_LINK:
            raise LinkTooLongError(characters=characters, limit=MAX_LINK)
        attempt, at = attempts.read(SANDBOX)
        return SandboxView.of((oversized_links.read(attempt) if attempt else None) or DEFAULT, at)
    except LabError as problem:
        return replace(SandboxView.of(DEFAULT), problem=problem)


def _find_history(scenario: Scenario) -> History | None:
    """Return how this session reached the scenario; None on arrival."""
    known: History | None = notes.get_note(_HISTORY)
    return known.find_at(scenario) if known else None


def get_waiting() -> Entry | None:
    """Return the step that waits for permission to cut off the operations ahead, or to go before them; None if none."""
    history = get_view().history
    waiting: Entry | None = notes.get_note_about(history.state, _ASKED)
    return waiting if history.would_lose else None


def get_compared() -> Scenario | None:
    """Return the scenario before the last change, if that change led to the scenario in view; else None."""
    before: Scenario | None = notes.get_note_about(get_view().scenario, _COMPARED)
    return before


def arrive(view: SandboxView) -> bool:
    """Remember the state that the session arrived at, so that a reset returns to it. Call it after `get_view`.

    Returns whether the session has just arrived, by a link.
    """
    is_new = view.problem is None and _find_history(view.scenario) is None
    if is_new:
        notes.set_note(FROM_LECTURE, None)
        notes.set_note(_HISTORY, view.history)
    return is_new


# --- changing: callbacks only --------------------------------------------------------------------------------------


def operate(operation: Operation, drawn_at: int, times: int = 1, kind: Kind | None = None) -> None:
    """Make a step at the cursor, or ask first what becomes of the operations ahead.

    `kind`: a step that unfolds; `times` without one: so many tokens. `drawn_at` is the number of operations before the
    cursor when the button was drawn: an old or doubled press is ignored. If a limit or the log refuses the step, the
    refusal is shown and not recorded.
    """
    view, entry = get_view(), Entry(operation, kind or ("append" if times > 1 else None), times)
    if view.problem is None and drawn_at == view.cursor.step:
        if view.history.would_lose:
            notes.set_note_about(view.history.state, _ASKED, entry)
        else:
            _operate(view.history, entry)


def operate_anyway(*, keep_rest: bool = False) -> None:
    """Make the waiting step. It cuts off the operations ahead, or is inserted before them. Undo brings them back."""
    waiting = get_waiting()
    dismiss()
    if waiting is not None:
        _operate(get_view().history, waiting, keep_rest=keep_rest)


def dismiss() -> None:
    """Drop the waiting step."""
    notes.set_note(_ASKED, None)


def _operate(history: History, entry: Entry, *, keep_rest: bool = False) -> None:
    try:
        now = history.did(entry, keep_rest=keep_rest)
    except LabError as problem:
        notes.flash(problem)
        return
    if _go(now):
        untried.note(now, entry)


def edit(change_log: Callable[[Scenario, int], tuple[Scenario, int]], drawn_at: int) -> None:
    """Delete, move or repeat the step in view. If it cannot run then, nothing changes and the reason is shown."""
    view = get_view()
    if view.problem is not None or drawn_at != view.cursor.step:
        return
    try:
        scenario, at = change_log(adopt_questions(view.scenario), drawn_at)
    except LabError as problem:
        notes.flash(problem)
        return
    _go(_change(view.history, inherit_questions(scenario, view.scenario), at))


def move(cursor: Cursor) -> None:
    """Move the cursor in the same log. Raises IndexError outside it."""
    view = get_view()
    _ = view.history.moved(cursor.step)
    runs.seek(SANDBOX, None if cursor == Cursor(len(view.run.operations)) else cursor)


def undo() -> None:
    """Undo the last change."""
    history = get_view().history
    if history.can_undo:
        _go(history.undone())


def change(scenario: Scenario, *, instead: bool = False) -> bool:
    """Change the pool or the requests and run the same log again. Returns whether the scenario changed.

    If a limit stops the run, nothing changes and the limit is shown. With `instead` the change replaces the last one,
    which can no longer be undone or compared with.
    """
    view = get_view()
    history, at = view.history, view.cursor.step
    if instead:
        history = history.undone()
    scenario = inherit_questions(scenario, history.scenario)
    if scenario == view.scenario:
        return False
    if instead and at == len(view.run.operations):
        at = history.at  # a limit may have shortened the log since
    at = find_same_place(view.scenario, at, scenario)
    is_back = scenario == history.scenario
    if not _go(history.moved(at) if is_back else _change(history, scenario, at)):
        return False
    notes.set_note_about(scenario, _COMPARED, None if is_back else history.scenario)
    return True


def _change(history: History, scenario: Scenario, at: int) -> History:
    """What an author has written is what a reset returns to; operations pressed on the way are not written."""
    return history.changed(scenario, at, State(scenario, 0) if is_own(scenario) else None)


def open_state(opened: State) -> bool:
    """Open a state from a file, the library or the saved scenarios. If it cannot run, show why and return False."""
    if not _go(get_view().history.changed(opened.scenario, opened.at, opened)):
        return False
    notes.set_note(FROM_LECTURE, None)
    return True


def reset() -> None:
    """Return to the state that was opened, or last written; a prepared one begins again, with its whole log ahead."""
    history = get_view().history
    opened = history.opened or history.state
    if (prepared := find_prepared(opened.scenario)) is not None:
        opened = State(prepared.scenario, 0)
    _go(history.changed(opened.scenario, opened.at, opened))


def _go(history: History) -> bool:
    """Write the state into the address, as one entry in the browser's history.

    If it cannot run, or fits neither into a link nor into a file, show why and return False.
    """
    scenario = history.scenario
    try:
        runs.run_on_engine(SANDBOX, scenario.config, scenario.operations)
        shown = oversized_links.build(scenario)
    except LabError as limit:
        notes.flash(limit)
        return False
    notes.set_note(_HISTORY, history)
    attempts.show(SANDBOX, shown, "" if history.at == len(scenario.operations) else str(history.at))
    return True
