"""What the scheduler and the model runner do around the manager: run one operation, emit its events, handle a refusal.

No tensor and no log: lab.trace.timeline adds both; lab.quiz.run adds only the last writer of each slot.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from collections.abc import Sequence as Row
from typing import ClassVar

from lab.engine.errors import LabError, NotAllocatedError, TokenPendingError
from lab.engine.sequence import Sequence
from lab.trace.config import Config
from lab.trace.events import (
    Event,
    KVWritten,
    Refused,
    RequestArrived,
    RequestEnded,
    RequestWithdrawn,
    TokenAppended,
    TokenWithdrawn,
)
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.recorder import RecordingBlockManager, RecordingVLLMBlockManager


class Runner(ABC):
    """The config's engine and the live requests. A subclass decides what to do with an event and a written token.

    A subclass may also use another sequence type, or another manager in place of nano-vLLM's (lab.misconceptions does).
    """

    sequence_type: ClassVar[type[Sequence]] = Sequence
    manager_type: ClassVar[type[RecordingBlockManager]] = RecordingBlockManager

    def __init__(self, config: Config) -> None:
        self.config = config
        self.manager = self._build_manager()
        self.live: dict[str, Sequence] = {}
        self._appended: dict[str, int] = {}  # tokens appended so far, by request
        self._pending: set[str] = set()  # requests whose last token has no KV yet
        self._events: list[Event] = []  # of the running operation

    def _build_manager(self) -> RecordingBlockManager:
        config = self.config
        pool = (config.num_blocks, config.block_size, config.free_block_ids, self._emit)
        if config.engine == "nano_vllm":
            return self.manager_type(*pool)
        return RecordingVLLMBlockManager(*pool, prefix_caching=config.engine == "vllm")

    def _perform(self, operation: Operation) -> None:
        """Run one operation; a refusal by the engine changes nothing. Raises UnknownRequestError."""
        request = self.config.request(operation.seq_id)
        self._events = []
        seq = self.live.get(operation.seq_id)
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

    def _emit(self, event: Event) -> None:
        self._events.append(event)

    @abstractmethod
    def _store(self, token_ids: Row[int], positions: Row[int], slots: Row[int], block_table: Row[int]) -> None:
        """Write K and V of these tokens to these slots. `block_table`: that of their request."""

    def _allocate(self, seq: Sequence) -> None:
        if seq.seq_id in self.live:
            self.manager.allocate(seq)  # raises: the request holds blocks already
            return
        self.live[seq.seq_id] = seq
        self._appended[seq.seq_id] = 0
        self._emit(RequestArrived(seq.seq_id, tuple(seq.token_ids), seq.num_tokens, seq.num_blocks))
        self.manager.can_allocate(seq)  # called for its event only; allocate checks by itself
        self.manager.allocate(seq)
        self._write_kv(seq, seq.num_cached_tokens)

    def _append(self, seq: Sequence) -> None:
        self.manager.blocks_to_append(seq)  # raises if it holds no blocks
        self._append_token(seq)
        self.manager.can_append(seq)
        self._may_append(seq)

    def _append_token(self, seq: Sequence) -> None:
        """Add the sampled token. Refused while the last token has no KV, because nano-vLLM samples only after that."""
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
        """Take a block if needed. If none is free, refuse; a pending token stays unless this operation added it."""
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
        self._store(token_ids, positions, slots, seq.block_table)
        self._pending.discard(seq.seq_id)
        self._emit(KVWritten(seq.seq_id, tuple(token_ids), tuple(positions), tuple(slots)))
        self.manager.hash_blocks(seq)

    def _refuse(self, seq: Sequence, error: LabError) -> None:
        """Record the refusal, then undo what this operation added outside the manager."""
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
