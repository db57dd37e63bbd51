"""Where a visitor of the sandbox is: read from the address, changed in callbacks only.

`sandbox` is the scenario with its whole log, `at_sandbox` the cursor where that is not the end. A scenario that is too
long for a link stands there as `kept.<digest>_<log>`, see long_states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lab.activities.attempt import Cursor, Run
from lab.engine.errors import LabError
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.history import History
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario, parse_cursor, parse_scenario
from lab.sandbox.scenario import RequestSpec, Scenario, State
from lessons.sandbox import oversized_links
from lessons.state import attempts
from lessons.state.view import Track, View
from lessons.text.translations import Language, Translations

if TYPE_CHECKING:
    from lab.trace.operations import Operation
    from lab.trace.timeline import Timeline

TRACK = Track("sandbox", "at_sandbox")
DEFAULT = Scenario(16, 4, "used", (RequestSpec("A", 11), RequestSpec("B", 4)))


@dataclass(frozen=True)
class SandboxSession:
    """What this session did to come to `scenario`: from the state that was `opened`, and what undo brings back."""

    scenario: Scenario
    opened: State
    before: tuple[State, ...] = ()

    def find_at(self, scenario: Scenario) -> SandboxSession | None:
        """The part of it that led to this scenario; None if it was not met."""
        if scenario == self.scenario:
            return self
        for i in range(len(self.before) - 1, -1, -1):
            if self.before[i].scenario == scenario:
                return SandboxSession(scenario, self.opened, self.before[:i])
        return None


@dataclass(frozen=True)
class SandboxAttempt:
    """A scenario and the place in it. `problem`: why the link could not be read (the default is shown)."""

    scenario: Scenario
    cursor: Cursor
    problem: LabError | None = None

    @property
    def run(self) -> Run:
        """What the engine runs."""
        return Run(self.scenario.config, None, self.scenario.operations)

    @property
    def view(self) -> View:
        """As the views of a run want it."""
        return View(self.run, self.cursor, self.problem, TRACK)

    @property
    def timeline(self) -> Timeline:
        """The engine's run of the whole log."""
        return attempts.get_timeline(self.run, TRACK)

    @property
    def history(self) -> History:
        """With what undo brings back; a place inside a step counts as behind it."""
        session = self.session
        return History(State(self.scenario, self.cursor.step), session.before if session else ())

    @property
    def session(self) -> SandboxSession | None:
        """What this session did to come here, seen from here after the browser's Back; None for one who just came."""
        session = attempts.get_note("sandbox.session")
        return session.find_at(self.scenario) if session is not None else None


class SandboxWords(Translations):
    """The words of one language; a token is called what the scenario calls it."""

    def __init__(self, language: Language, scenario: Scenario) -> None:
        super().__init__(language)
        self._scenario = scenario

    def token(self, token_id: int, /) -> str:
        """The text of the token: untrusted, as it was typed or came with a link."""
        return self._scenario.token(token_id)


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> SandboxAttempt:
    """Read the address. What it says is checked by running it; what cannot be read becomes the default scenario."""
    try:
        text = attempts.get_value(TRACK.run)
        scenario = _read(text) if text else DEFAULT
        attempt = SandboxAttempt(scenario, Cursor(len(scenario.operations)))
        at = attempts.get_value(TRACK.at)
        cursor = parse_cursor(at, scenario) if at else attempt.cursor
        return replace(attempt, cursor=attempts.normalize_cursor(cursor, attempt.timeline.steps))
    except LabError as problem:
        return SandboxAttempt(DEFAULT, Cursor(0), problem)


def _read(text: str) -> Scenario:
    if not oversized_links.is_name(text):
        return parse_scenario(text)
    return oversized_links.find(text) or DEFAULT  # until the browser has told what it holds


def is_link_oversized() -> bool:
    """Is the state in view too long for a link, so that only this browser can open its address?"""
    return oversized_links.is_name(attempts.get_value(TRACK.run))


def get_waiting() -> tuple[Operation, int] | None:
    """An operation that waits for leave to cut off what comes after the place in view, and how often it is meant."""
    attempt = read_url()
    waiting = attempts.get_note("sandbox.asked")
    if waiting is None or waiting[0] != attempt.history.state or not attempt.history.would_lose:
        return None
    return waiting[1], waiting[2]


def count_untried() -> tuple[int, int]:
    """How many operations of the last press are not in the log since it was stopped, and of how many in all.

    (0, 0) where the log in view is not the one that the press has made.
    """
    made, untried, times = attempts.get_note("sandbox.untried", (None, 0, 0))
    return (untried, times) if made == read_url().scenario else (0, 0)


def get_compared() -> Scenario | None:
    """The scenario before the change just made, if its operations were run again in the one in view."""
    before, after = attempts.get_note("sandbox.compared", (None, None))
    return before if after == read_url().scenario else None


def arrive(attempt: SandboxAttempt) -> None:
    """Once the page knows where one is: who came by a link has opened this very state, and a reset brings it back."""
    if attempt.problem is None and attempt.session is None:
        attempts.set_note("sandbox.session", SandboxSession(attempt.scenario, attempt.history.state))


# --- changing: callbacks only --------------------------------------------------------------------------------------


def operate(operation: Operation, drawn_at: int, times: int = 1) -> None:
    """Apply an operation at the place in view, drawn when `drawn_at` operations lay before it; asks first where that
    cuts something off. An old or doubled press is ignored; a limit's refusal is told and not recorded."""
    attempt = read_url()
    if attempt.problem is None and drawn_at == attempt.cursor.step:
        if attempt.history.would_lose:
            attempts.set_note("sandbox.asked", (attempt.history.state, operation, times))
        else:
            _operate(attempt.history, operation, times)


def operate_anyway() -> None:
    """Do what was asked about: what came after is cut off, and undo brings it back."""
    waiting = get_waiting()
    dismiss()
    if waiting is not None:
        _operate(read_url().history, *waiting)


def dismiss() -> None:
    """Leave everything as it is."""
    attempts.set_note("sandbox.asked", None)


def _operate(history: History, operation: Operation, times: int) -> None:
    """Up to `times`, no further than the first that is refused."""
    done, untried = None, times
    for count in range(1, times + 1):
        try:
            now = history.acted(*[operation] * count)
            steps = _run(now.scenario).steps
        except LabError as limit:
            attempts.flash(limit)
            break
        done, untried = now, times - count
        if steps[-1].refusal:
            break
    if done is not None and _go(done):
        attempts.set_note("sandbox.untried", (done.scenario, untried, times))


def move(cursor: Cursor) -> None:
    """Look at another place of the same log. IndexError outside it."""
    attempt = read_url()
    _ = attempt.history.moved(cursor.step)
    attempts.seek(TRACK, None if cursor == Cursor(len(attempt.scenario.operations)) else cursor)


def undo() -> None:
    """Take the last change back."""
    history = read_url().history
    if history.can_undo:
        _go(history.undone())


def change(scenario: Scenario, *, instead: bool = False) -> bool:
    """Another pool or other requests under the same log: it runs again. Refused and told where a limit stops it.

    instead: of the last change, which is neither compared with nor to be undone any more.
    """
    attempt = read_url()
    if scenario == attempt.scenario:
        return False
    try:
        _run(scenario)
    except LabError as limit:
        attempts.flash(limit)
        return False
    history, at = attempt.history, attempt.cursor.step
    if instead:
        history = history.undone()
        at = history.at if at == len(attempt.scenario.operations) else at  # a limit may have cut the log in between
    at = min(at, len(scenario.operations))
    if scenario == history.scenario:
        attempts.set_note("sandbox.compared", (None, None))
        return _go(history.moved(at))
    attempts.set_note("sandbox.compared", (history.scenario, scenario))
    return _go(history.changed(scenario, at))


def open_state(opened: State) -> bool:
    """Turn to a state from elsewhere: a file, the library, one that was kept. Refused and told where it cannot run."""
    try:
        _run(opened.scenario)
    except LabError as problem:
        attempts.flash(problem)
        return False
    return _go(read_url().history.changed(opened.scenario, opened.at), opened)


def reset() -> None:
    """Back to the state as it was opened; a prepared scenario to its beginning with its whole log ahead."""
    attempt = read_url()
    prepared = LIBRARY.get(attempt.scenario.key)
    if prepared is not None:
        opened = State(prepared.scenario, 0)
    else:
        opened = attempt.session.opened if attempt.session else State(attempt.scenario, 0)
    _go(attempt.history.changed(opened.scenario, opened.at), opened)


def _run(scenario: Scenario) -> Timeline:
    return attempts.get_timeline(Run(scenario.config, None, scenario.operations), TRACK)


def _go(history: History, opened: State | None = None) -> bool:
    """Write the state into the address, as one entry of the browser's history. Refused and told where it fits neither
    into a link nor into a file. `opened`: what a reset will bring back, if that changes."""
    attempt = read_url()
    if opened is None:
        opened = attempt.session.opened if attempt.session else attempt.history.state
    try:
        text = _format(history.scenario)
    except LabError as limit:
        attempts.flash(limit)
        return False
    attempts.set_note("sandbox.session", SandboxSession(history.scenario, opened, history.before))
    at = "" if history.at == len(history.scenario.operations) else str(history.at)
    attempts.set_values(**{TRACK.run: text, TRACK.at: at})
    return True


def _format(scenario: Scenario) -> str:
    try:
        return encode_scenario(scenario)
    except LinkTooLongError:
        return oversized_links.save(scenario)
