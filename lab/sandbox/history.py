"""What a sandbox does with its log: go somewhere, act there, change the scenario, and undo. Values; runs nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import Operation

KEPT = 200  # states that can be gone back to


@dataclass(frozen=True)
class History:
    """The present state, and the states that undo brings back, the latest last. Moving about is no change."""

    state: State
    before: tuple[State, ...] = ()

    @classmethod
    def of(cls, scenario: Scenario, at: int | None = None) -> History:
        """A scenario as it opens, at its end or after `at` operations. IndexError outside its log."""
        return cls(State(scenario, len(scenario.operations) if at is None else at))

    @property
    def scenario(self) -> Scenario:
        """The scenario with its whole log, what comes after the present place included."""
        return self.state.scenario

    @property
    def at(self) -> int:
        """How many operations one has walked past."""
        return self.state.at

    @property
    def would_lose(self) -> tuple[Operation, ...]:
        """The operations that acting here would cut off: ask first if there are any."""
        return self.scenario.operations[self.at :]

    def moved(self, at: int) -> History:
        """The same log seen from another place. IndexError outside it."""
        return replace(self, state=State(self.scenario, at))

    def acted(self, *operations: Operation) -> History:
        """Act here: what came after is cut off, and one undo brings it back. Raises as Scenario, changing nothing.

        That no limit refuses an operation shows when it runs: keep the result only if the run accepts it.
        """
        return self.changed(self.scenario.up_to(self.at).then(*operations))

    def changed(self, scenario: Scenario, at: int | None = None) -> History:
        """Another scenario in its place (a file, a link, another block_size), seen at its end or after `at`."""
        now = History.of(scenario, at).state
        return History(now, (*self.before, self.state)[-KEPT:])

    @property
    def can_undo(self) -> bool:
        """Is there a change to take back?"""
        return bool(self.before)

    def undone(self) -> History:
        """The last change taken back, log and place as they were. Without one: itself."""
        return History(self.before[-1], self.before[:-1]) if self.before else self
