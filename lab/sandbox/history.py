"""What a sandbox does with its log: move in it, act, change the scenario, undo. Values only; runs nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.sandbox.editing import Entry, insert
from lab.sandbox.library import adopt_questions, inherit_questions
from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import Operation

KEPT = 200  # states that undo can bring back


@dataclass(frozen=True)
class History:
    """The present state, and the states that undo brings back, the latest last. Moving in the log is not a change.

    `opened`: the state that a reset returns to; None: the one at the beginning of this history.
    """

    state: State
    before: tuple[State, ...] = ()
    opened: State | None = None

    @classmethod
    def of(cls, scenario: Scenario, at: int | None = None) -> History:
        """A scenario as it opens, at its end or after `at` operations. Raises IndexError outside its log."""
        return cls(State(scenario, len(scenario.operations) if at is None else at))

    @property
    def scenario(self) -> Scenario:
        """The scenario with its whole log, including the operations after the present position."""
        return self.state.scenario

    @property
    def at(self) -> int:
        """How many operations of the log have been run at the present position."""
        return self.state.at

    @property
    def would_lose(self) -> tuple[Operation, ...]:
        """The operations that acting here would cut off: ask for confirmation if there are any."""
        return self.scenario.operations[self.at :]

    def moved(self, at: int) -> History:
        """The same log at another position. Raises IndexError outside it."""
        return replace(self, state=State(self.scenario, at))

    def acted(self, *operations: Operation) -> History:
        """Act here: later operations are cut off, and one undo brings them back. Raises what Scenario raises.

        Only a run shows whether a limit refuses an operation: keep the result only if the run accepts it.
        """
        return self.changed(inherit_questions(self.scenario.up_to(self.at).then(*operations), self.scenario))

    def did(self, entry: Entry, *, keep_rest: bool = False) -> History:
        """Make a step here; later operations are cut off, or with `keep_rest` come after it. Raises as insert does."""
        if entry.kind is None and not keep_rest:
            return self.acted(entry.operation)
        begun = adopt_questions(self.scenario) if keep_rest else self.scenario.up_to(self.at)
        scenario, at = insert(begun, self.at, entry)
        return self.changed(inherit_questions(scenario, self.scenario), at)

    def changed(self, scenario: Scenario, at: int | None = None, opened: State | None = None) -> History:
        """Replace the scenario (by a file, a link, another block_size), at its end or after `at` operations.

        `opened`: the new state for a reset, if that changes.
        """
        now = History.of(scenario, at).state
        return History(now, (*self.before, self.state)[-KEPT:], opened or self.opened)

    def find_at(self, scenario: Scenario) -> History | None:
        """The part that led to this scenario; None if this history has not been there."""
        states = (*self.before, self.state)
        last = next((i for i in reversed(range(len(states))) if states[i].scenario == scenario), None)
        return None if last is None else replace(self, state=states[last], before=states[:last])

    @property
    def can_undo(self) -> bool:
        """Is there a change to undo?"""
        return bool(self.before)

    def undone(self) -> History:
        """The history without its last change, with the log and position of before; unchanged if there is none."""
        return replace(self, state=self.before[-1], before=self.before[:-1]) if self.before else self
