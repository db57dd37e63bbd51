"""A run of the engine without the tensor: the real BlockManager, and the last writer of each slot.

The quiz runs many small scenarios and never reads KV, so it does not wait for torch. lab.trace.runner works around
the manager exactly as it does for lab.trace.timeline; test_quiz_questions.py checks that both give the same events
and snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Row
from dataclasses import dataclass

from lab.trace.config import Config
from lab.trace.events import Event
from lab.trace.operations import Operation
from lab.trace.runner import Runner
from lab.trace.snapshot import SequenceView, Snapshot, take_snapshot


@dataclass(frozen=True)
class QuizStep:
    """One operation, its events, and the states around it."""

    operation: Operation
    events: tuple[Event, ...]
    before: Snapshot
    after: Snapshot

    def view(self, seq_id: str) -> SequenceView:
        """The request after the step, or before it if it has ended. Raises KeyError."""
        view = self.after.sequence(seq_id) or self.before.sequence(seq_id)
        if view is None:
            raise KeyError(seq_id)
        return view


def run(config: Config, operations: Iterable[Operation]) -> tuple[QuizStep, ...]:
    """Run the operations from the beginning; a refusal is a step too. Raises UnknownRequestError."""
    pool = QuizPool(config)
    return tuple(map(pool.apply, operations))


def run_last_step(config: Config, operations: Row[Operation]) -> QuizStep:
    """The last step of `run`, in about half the time, because no earlier state is read. Raises IndexError if none."""
    pool = QuizPool(config)
    for operation in operations[:-1]:
        pool.act(operation)
    return pool.apply(operations[-1])


class QuizPool(Runner):
    """The engine, and the last writer of each slot."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.contents: list[tuple[int, int] | None] = [None] * (config.num_blocks * config.block_size)
        self._state: Snapshot | None = None

    def act(self, operation: Operation) -> tuple[Event, ...]:
        """Run the operation and return its events; the engine may refuse it. Mutates the pool."""
        self._perform(operation)
        self._state = None
        return tuple(self._events)

    def apply(self, operation: Operation) -> QuizStep:
        """As act, but with the states before and after. Mutates the pool."""
        before = self._state or self._look()
        events = self.act(operation)
        self._state = self._look(before)
        return QuizStep(operation, events, before, self._state)

    def _look(self, previous: Snapshot | None = None) -> Snapshot:
        """The state now; equal views are shared with `previous`."""
        return take_snapshot(self.manager, self.contents, self.live.values(), previous, waiting=self._pending)

    def _store(self, token_ids: Row[int], positions: Row[int], slots: Row[int], block_table: Row[int]) -> None:
        for token_id, position, slot in zip(token_ids, positions, slots, strict=True):
            self.contents[slot] = (token_id, position)
