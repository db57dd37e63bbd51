"""Timeline: config + operations -> steps. Time travel is a cursor over the steps; an edit is a replay."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from lab.config import MAX_OPERATIONS, MAX_REQUESTS, MAX_TOKENS, Config, check_limit
from lab.errors import LabError, NotAllocatedError, TokenPendingError
from lab.events import (
    Event,
    KVWritten,
    Refused,
    RequestArrived,
    RequestEnded,
    RequestWithdrawn,
    TokenAppended,
    TokenWithdrawn,
)
from lab.kv_cache import KVCache, Proof, ToyModel, prove
from lab.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.recording import RecordingBlockManager
from lab.sequence import Sequence
from lab.snapshot import Snapshot, take_snapshot


@dataclass(frozen=True)
class Step:
    """One operation and what it did. `snapshots[i]` is the state right after `events[i]`."""

    index: int
    operation: Operation
    before: Snapshot
    events: tuple[Event, ...]
    snapshots: tuple[Snapshot, ...]

    @property
    def after(self) -> Snapshot:
        """The state when the operation was over."""
        return self.snapshots[-1]

    @property
    def refusal(self) -> Refused | None:
        """Why the engine refused, or None if it did not."""
        return next((event for event in self.events if isinstance(event, Refused)), None)


class Timeline:
    """A running engine and everything that happened to it. `apply` mutates; all else is pure.

    What runs: a subclass may put another sequence, manager or reader in its place (lab.misconceptions does).
    """

    sequence_type: ClassVar[type[Sequence]] = Sequence
    manager_type: ClassVar[type[RecordingBlockManager]] = RecordingBlockManager
    cache_type: ClassVar[type[KVCache]] = KVCache

    def __init__(self, config: Config, model: ToyModel | None = None) -> None:
        self.config = config
        self.steps: list[Step] = []
        self.manager = self.manager_type(config.num_blocks, config.block_size, config.free_block_ids, emit=self._emit)
        self.cache = self.cache_type(config.num_blocks, config.block_size, model)
        self.live: dict[str, Sequence] = {}
        self._appended: dict[str, int] = {}  # tokens appended so far, by request
        self._pending: set[str] = set()  # requests whose last token has no KV yet
        self._events: list[Event] = []
        self._snapshots: list[Snapshot] = []
        self.start = self._snapshot(None)

    @classmethod
    def replay(cls, config: Config, operations: Iterable[Operation], model: ToyModel | None = None) -> Timeline:
        """Run the operations from the beginning. Raises as apply."""
        timeline = cls(config, model)
        for operation in operations:
            timeline.apply(operation)
        return timeline

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What has been applied, in order."""
        return tuple(step.operation for step in self.steps)

    def snapshot(self, cursor: int) -> Snapshot:
        """The state after `cursor` operations. IndexError outside 0..len(steps)."""
        if not 0 <= cursor <= len(self.steps):
            raise IndexError(f"cursor {cursor} outside 0..{len(self.steps)}")
        return self.steps[cursor - 1].after if cursor else self.start

    def apply(self, operation: Operation) -> Step:
        """Run one operation; what the engine refuses is a step too, and changes nothing.

        Raises UnknownRequestError and LimitError (12 live requests, 128 tokens, 200 operations): not recorded.
        """
        request = self.config.request(operation.seq_id)
        check_limit("operations", len(self.steps) + 1, MAX_OPERATIONS)
        seq = self.live.get(operation.seq_id)
        if isinstance(operation, Allocate) and seq is None:
            check_limit("requests", len(self.live) + 1, MAX_REQUESTS)
        if isinstance(operation, Append | AppendToken) and seq is not None:
            check_limit("tokens", seq.num_tokens + 1, MAX_TOKENS)
        before = self.snapshot(len(self.steps))
        self._events, self._snapshots = [], [before]
        seq = seq or self.sequence_type(operation.seq_id, request.prompt, self.config.block_size)
        run: dict[type[Operation], Callable[[Sequence], object]] = {
            Allocate: self._allocate,
            Append: self._append,
            AppendToken: self._append_token,
            CanAppend: self.manager.can_append,
            MayAppend: self._may_append,
            Release: self._release,
        }
        try:
            run[type(operation)](seq)
        except LabError as error:
            self._refuse(seq, error)
        step = Step(len(self.steps), operation, before, tuple(self._events), tuple(self._snapshots[1:]))
        self.steps.append(step)
        return step

    def proofs(self, cursor: int) -> tuple[Proof, ...]:
        """Paged against contiguous attention of every request live after `cursor` operations, on the tensor.

        Without those whose last token has no KV yet (Snapshot.waiting). IndexError as snapshot.
        """
        self.snapshot(cursor)
        if cursor < len(self.steps):
            return self.replay(self.config, self.operations[:cursor], self.cache.model).proofs(cursor)
        return tuple(prove(self.cache, seq) for seq in self.live.values() if seq.seq_id not in self._pending)

    # --- what the scheduler and the model runner would do around the manager -----------------------------------

    def _allocate(self, seq: Sequence) -> None:
        if seq.seq_id in self.live:
            self.manager.allocate(seq)  # refused: it holds blocks already
            return
        self.live[seq.seq_id] = seq
        self._appended[seq.seq_id] = 0
        self._emit(RequestArrived(seq.seq_id, tuple(seq.token_ids), seq.num_tokens, seq.num_blocks))
        self.manager.can_allocate(seq)  # asked first so that the answer shows; allocate refuses by itself
        self.manager.allocate(seq)
        self._write_kv(seq, seq.num_cached_tokens)

    def _append(self, seq: Sequence) -> None:
        self.manager.blocks_to_append(seq)  # refused if it holds no blocks
        self._append_token(seq)
        self.manager.can_append(seq)
        self._may_append(seq)

    def _append_token(self, seq: Sequence) -> None:
        """The scheduler adds what was sampled. In nano-vLLM nothing is sampled before the last token's KV is there."""
        if not seq.block_table:
            raise NotAllocatedError(seq_id=seq.seq_id)
        if seq.seq_id in self._pending:
            raise TokenPendingError(seq_id=seq.seq_id, position=seq.num_tokens - 1)
        continuation = self.config.request(seq.seq_id).continuation
        token_id = continuation[self._appended[seq.seq_id] % len(continuation)]
        seq.append_token(token_id)
        self._appended[seq.seq_id] += 1
        self._pending.add(seq.seq_id)
        self._emit(TokenAppended(seq.seq_id, token_id, seq.num_tokens - 1, seq.num_tokens))

    def _may_append(self, seq: Sequence) -> None:
        """Refused without a free block; the token that waits for it stays, unless this operation brought it."""
        self.manager.may_append(seq)
        if seq.seq_id in self._pending:
            self._write_kv(seq, seq.num_tokens - 1)

    def _release(self, seq: Sequence) -> None:
        self.manager.deallocate(seq)
        del self.live[seq.seq_id], self._appended[seq.seq_id]
        self._pending.discard(seq.seq_id)
        self._emit(RequestEnded(seq.seq_id))

    def _write_kv(self, seq: Sequence, start: int) -> None:
        token_ids, positions, slots = seq.token_ids[start:], range(start, seq.num_tokens), seq.slots(start)
        self.cache.write(token_ids, positions, slots)
        self._pending.discard(seq.seq_id)
        self._emit(KVWritten(seq.seq_id, tuple(token_ids), tuple(positions), tuple(slots)))
        self.manager.hash_blocks(seq)

    def _refuse(self, seq: Sequence, error: LabError) -> None:
        """Record the refusal, then take back what this operation had added outside the manager."""
        self._emit(Refused(seq.seq_id, error.code, tuple(sorted(error.numbers.items()))))
        match self._events[0]:
            case RequestArrived():
                del self.live[seq.seq_id], self._appended[seq.seq_id]
                self._emit(RequestWithdrawn(seq.seq_id))
            case TokenAppended():
                token_id = seq.withdraw_token()
                self._appended[seq.seq_id] -= 1
                self._pending.discard(seq.seq_id)
                self._emit(TokenWithdrawn(seq.seq_id, token_id, seq.num_tokens + 1, seq.num_tokens))
            case _:
                pass

    def _emit(self, event: Event) -> None:
        self._events.append(event)
        self._snapshots.append(self._snapshot(self._snapshots[-1]))

    def _snapshot(self, previous: Snapshot | None) -> Snapshot:
        return take_snapshot(
            self.manager, self.cache.slot_contents, self.live.values(), previous, waiting=self._pending
        )
