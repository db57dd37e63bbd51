"""A run of the engine without the tensor: the real BlockManager, and who wrote which slot last.

The quiz runs many small scenarios and never reads KV, so it does not wait for torch. Does what lab.timeline does
around the manager; tests/test_quiz_questions.py holds the two to the same events and snapshots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.config import Config
from lab.errors import LabError
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
from lab.operations import Allocate, Append, Operation
from lab.recording import RecordingBlockManager
from lab.sequence import Sequence
from lab.snapshot import SequenceView, Snapshot, take_snapshot


@dataclass(frozen=True)
class Step:
    """One operation, its events, and the states around it."""

    operation: Operation
    events: tuple[Event, ...]
    before: Snapshot
    after: Snapshot

    def view(self, seq_id: str) -> SequenceView:
        """The request after the step, or before it where it has ended. Raises KeyError."""
        found = self.after.sequence(seq_id) or self.before.sequence(seq_id)
        if found is None:
            raise KeyError(seq_id)
        return found


def run(config: Config, operations: Iterable[Operation]) -> tuple[Step, ...]:
    """Run the operations from the beginning; what the engine refuses is a step too. Raises UnknownRequestError."""
    engine = _Engine(config)
    return tuple(engine.apply(operation) for operation in operations)


class _Engine:
    """A manager, the live requests and the contents of the slots."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.events: list[Event] = []
        self.manager = RecordingBlockManager(
            config.num_blocks, config.block_size, config.free_block_ids, emit=self._emit
        )
        self.contents: list[tuple[int, int] | None] = [None] * (config.num_blocks * config.block_size)
        self.live: dict[str, Sequence] = {}
        self.appended: dict[str, int] = {}
        self.state = take_snapshot(self.manager, self.contents, ())

    def _emit(self, event: Event) -> None:
        self.events.append(event)

    def apply(self, operation: Operation) -> Step:
        request = self.config.request(operation.seq_id)
        self.events = []
        seq = self.live.get(operation.seq_id) or Sequence(operation.seq_id, request.prompt, self.config.block_size)
        act = {Allocate: self._allocate, Append: self._append}.get(type(operation), self._release)
        try:
            act(seq)
        except LabError as error:
            self._refuse(seq, error)
        before = self.state
        self.state = take_snapshot(self.manager, self.contents, self.live.values(), before)
        return Step(operation, tuple(self.events), before, self.state)

    def _allocate(self, seq: Sequence) -> None:
        if seq.seq_id in self.live:
            self.manager.allocate(seq)  # refused: it holds blocks already
            return
        self.live[seq.seq_id], self.appended[seq.seq_id] = seq, 0
        self.events.append(RequestArrived(seq.seq_id, tuple(seq.token_ids), seq.num_tokens, seq.num_blocks))
        self.manager.can_allocate(seq)
        self.manager.allocate(seq)
        self._write(seq, seq.num_cached_tokens)

    def _append(self, seq: Sequence) -> None:
        self.manager.blocks_to_append(seq)  # refused if it holds no blocks
        continuation = self.config.request(seq.seq_id).continuation
        token_id = continuation[self.appended[seq.seq_id] % len(continuation)]
        seq.append_token(token_id)
        self.events.append(TokenAppended(seq.seq_id, token_id, seq.num_tokens - 1, seq.num_tokens))
        self.manager.can_append(seq)
        self.manager.may_append(seq)
        self.appended[seq.seq_id] += 1
        self._write(seq, seq.num_tokens - 1)

    def _release(self, seq: Sequence) -> None:
        self.manager.deallocate(seq)
        del self.live[seq.seq_id], self.appended[seq.seq_id]
        self.events.append(RequestEnded(seq.seq_id))

    def _write(self, seq: Sequence, start: int) -> None:
        positions, slots = tuple(range(start, seq.num_tokens)), tuple(seq.slots(start))
        for position, slot in zip(positions, slots, strict=True):
            self.contents[slot] = (seq.token_ids[position], position)
        self.events.append(KVWritten(seq.seq_id, tuple(seq.token_ids[start:]), positions, slots))
        self.manager.hash_blocks(seq)

    def _refuse(self, seq: Sequence, error: LabError) -> None:
        self.events.append(Refused(seq.seq_id, error.code, tuple(sorted(error.numbers.items()))))
        match self.events[0]:
            case RequestArrived():
                del self.live[seq.seq_id], self.appended[seq.seq_id]
                self.events.append(RequestWithdrawn(seq.seq_id))
            case TokenAppended():
                token_id = seq.withdraw_token()
                self.events.append(TokenWithdrawn(seq.seq_id, token_id, seq.num_tokens + 1, seq.num_tokens))
            case _:
                pass
