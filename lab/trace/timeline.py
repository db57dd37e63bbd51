"""Timeline: config + operations -> steps. Time travel is a cursor over the steps; an edit is a replay."""

from __future__ import annotations

from collections.abc import Container, Iterable
from collections.abc import Sequence as Row
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from lab.trace.config import MAX_OPERATIONS, MAX_REQUESTS, MAX_TOKENS, Config, check_limit
from lab.trace.events import Event, Refused
from lab.trace.kv_cache import KVCache, Proof, prove
from lab.trace.operations import Allocate, Append, AppendToken, Operation
from lab.trace.runner import Runner
from lab.trace.snapshot import Snapshot, take_snapshot
from lab.trace.tiny_lm import TinyLM


@dataclass(frozen=True)
class Step:
    """One operation and its effects. `snapshots[i]` is the state right after `events[i]`."""

    index: int
    operation: Operation
    before: Snapshot
    events: tuple[Event, ...]
    snapshots: tuple[Snapshot, ...]

    @property
    def after(self) -> Snapshot:
        """The state at the end of the operation."""
        return self.snapshots[-1]

    @property
    def refusal(self) -> Refused | None:
        """Why the engine refused, or None if it did not."""
        return next((event for event in self.events if isinstance(event, Refused)), None)


def join_steps(steps: Row[Step]) -> Step:
    """Several steps of a run, at least one, as if they were one. Pure."""
    events = tuple(event for step in steps for event in step.events)
    snapshots = tuple(snapshot for step in steps for snapshot in step.snapshots)
    return Step(steps[0].index, steps[0].operation, steps[0].before, events, snapshots)


class Timeline(Runner):
    """A running engine and the log of everything that happened to it. `apply` mutates; everything else is pure.

    A subclass may use another cache type, as it may use another sequence or manager type.
    """

    cache_type: ClassVar[type[KVCache]] = KVCache

    def __init__(self, config: Config, model: TinyLM | None = None) -> None:
        super().__init__(config)
        self.steps: list[Step] = []
        self.cache = self.cache_type(config.num_blocks, config.block_size, model, config.words)
        self._snapshots: list[Snapshot] = []
        self.start = self._snapshot(None)

    @classmethod
    def replay(cls, config: Config, operations: Iterable[Operation], model: TinyLM | None = None) -> Timeline:
        """Run the operations from the beginning. Raises what apply raises."""
        timeline = cls(config, model)
        for operation in operations:
            timeline.apply(operation)
        return timeline

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The applied operations, in order."""
        return tuple(step.operation for step in self.steps)

    def snapshot(self, cursor: int) -> Snapshot:
        """The state after `cursor` operations. IndexError outside 0..len(steps)."""
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"cursor {cursor} outside 0..{len(self.steps)}")
        return self.steps[cursor - 1].after if cursor else self.start

    def apply(self, operation: Operation) -> Step:
        """Run one operation; a refusal by the engine is a step too, and changes nothing.

        Raises UnknownRequestError and LimitError (12 live requests, 128 tokens, 200 operations); neither is recorded.
        """
        self.config.request(operation.seq_id)  # raises before a limit does
        check_limit("operations", len(self.steps) + 1, MAX_OPERATIONS)
        seq = self.live.get(operation.seq_id)
        if isinstance(operation, Allocate) and seq is None:
            check_limit("requests", len(self.live) + 1, MAX_REQUESTS)
        if isinstance(operation, Append | AppendToken) and seq is not None:
            check_limit("tokens", seq.num_tokens + 1, MAX_TOKENS)
        before = self.snapshot(len(self.steps))
        self._snapshots = [before]
        self._perform(operation)
        step = Step(len(self.steps), operation, before, tuple(self._events), tuple(self._snapshots[1:]))
        self.steps.append(step)
        return step

    def proofs(self, cursor: int, seq_ids: Container[str] | None = None) -> tuple[Proof, ...]:
        """What the model says for every request live after `cursor` operations, paged against contiguous.

        With `seq_ids`, only for these. Leaves out requests whose last token has no KV yet (Snapshot.waiting). Raises
        IndexError as snapshot does.
        """
        self.snapshot(cursor)
        if cursor < len(self.steps):
            return self.replay(self.config, self.operations[:cursor], self.cache.model).proofs(cursor, seq_ids)
        proved = [seq for seq in self.live.values() if seq_ids is None or seq.seq_id in seq_ids]
        return tuple(prove(self.cache, seq) for seq in proved if seq.seq_id not in self._pending)

    # --- the methods that Runner leaves to its subclasses --------------------------------------------------------

    def _store(self, token_ids: Row[int], positions: Row[int], slots: Row[int], block_table: Row[int]) -> None:
        self.cache.write(token_ids, positions, slots, block_table)

    def _emit(self, event: Event) -> None:
        super()._emit(event)
        self._snapshots.append(self._snapshot(self._snapshots[-1]))

    def _snapshot(self, previous: Snapshot | None) -> Snapshot:
        return take_snapshot(
            self.manager, self.cache.slot_contents, self.live.values(), previous, waiting=self._pending
        )


@lru_cache(maxsize=64)
def run_whole(config: Config, operations: tuple[Operation, ...]) -> Timeline:
    """A run that nobody goes on with, kept for everybody: equal operations on an equal pool always give the same.

    Raises what Timeline.apply raises.
    """
    return Timeline.replay(config, operations)
