"""The quiz's answers computed again, from the plain BlockManager; from lab.quiz comes only the question itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal

from lab.activities.question import Value
from lab.engine.block_manager import BlockManager
from lab.engine.errors import NoFreeBlocksError
from lab.engine.sequence import Sequence
from lab.engine.vllm_manager import VLLMBlockManager
from lab.quiz.question import QuizQuestion
from lab.trace.config import Config
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation


@dataclass
class Pool:
    """The engine, operated by hand; it records what the last operation did."""

    config: Config
    manager: BlockManager = field(init=False)
    live: dict[str, Sequence] = field(default_factory=dict)
    appended: dict[str, int] = field(default_factory=dict)
    can: bool | None = None
    took: int | None = None
    joined: tuple[int, ...] = ()
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        size, queue = self.config.block_size, self.config.free_block_ids
        if self.config.engine == "nano_vllm":
            self.manager = BlockManager(self.config.num_blocks, size, queue)
        else:
            self.manager = VLLMBlockManager(len(queue), size, self.config.engine == "vllm", queue)

    def apply(self, operation: Operation) -> None:
        name, manager = operation.seq_id, self.manager
        if isinstance(operation, Allocate):
            seq = Sequence(name, self.config.request(name).prompt, self.config.block_size)
            manager.allocate(seq)
            manager.hash_blocks(seq)
            self.live[name], self.appended[name] = seq, 0
        elif isinstance(operation, Append):
            self._append(self.live[name])
        elif isinstance(operation, AppendToken):
            self._append_token(self.live[name])
            self.done = ["token_appended"]
        elif isinstance(operation, CanAppend):
            self.can = manager.can_append(self.live[name])
            self.done += ["append_checked"] if "append_checked" not in self.done else []
        elif isinstance(operation, MayAppend):
            self.took = manager.may_append(self.live[name])
            assert self.can, "asked, and told yes"
            self.done.append("block_taken")
        else:
            assert self.can is not False or list(self.live)[-1] == name, "the latest makes room"
            self.done.append("preempted")
            before = list(manager.free_block_ids)
            manager.deallocate(self.live.pop(name))
            after = list(manager.free_block_ids)
            if not isinstance(manager, VLLMBlockManager):
                assert after[: len(before)] == before
            self.joined = tuple(after[len(before) :])

    def _append_token(self, seq: Sequence) -> None:
        continuation = self.config.request(seq.seq_id).continuation
        seq.append_token(continuation[self.appended[seq.seq_id] % len(continuation)])

    def _append(self, seq: Sequence) -> None:
        self._append_token(seq)
        self.done = ["token_appended", "append_checked"]
        self.can = self.manager.can_append(seq)
        try:
            self.took = self.manager.may_append(seq)
        except NoFreeBlocksError:
            seq.withdraw_token()
            self.took = None
            self.done += ["refused", "token_withdrawn"]
            return
        self.appended[seq.seq_id] += 1
        self.done += ["page_has_room" if self.took is None else "block_taken", "kv_written"]
        last = self.manager.blocks[seq.block_table[-1]]
        hashed = last.hash
        self.manager.hash_blocks(seq)
        self.done += ["block_hashed"] if last.hash != hashed else []


def played(question: QuizQuestion, config: Config | None = None) -> Pool:
    """The scenario after its run; at the end the manager's own invariants hold for every request."""
    pool = Pool(config or question.config)
    for operation in question.operations:
        pool.apply(operation)
    pool.manager.check(pool.live.values())
    return pool


def expected(question: QuizQuestion) -> Value:
    """The expected answer."""
    return _ORACLES[question.name.kind](question, played(question))


def _ids(ids: list[int] | tuple[int, ...]) -> str:
    return "-".join(map(str, ids)) or "none"


def _empty(seq: Sequence) -> int:
    return len(seq.block_table) * seq.block_size - seq.num_tokens


def _share(seq: Sequence) -> str:
    exact = Decimal(100 * _empty(seq)) / (len(seq.block_table) * seq.block_size)
    return format(exact.quantize(Decimal("0.1"), ROUND_HALF_UP).normalize(), "f")


def _waste(question: QuizQuestion, pool: Pool) -> Value:
    assert question.other is not None
    assert question.other == replace(
        question.config, block_size=question.other.block_size, num_blocks=question.other.num_blocks
    )
    other = played(question, question.other)
    return f"{_share(pool.live['A'])}-{_share(other.live['A'])}"


def _needs_page(question: QuizQuestion, pool: Pool) -> Value:
    return "room" if pool.took is None else "crosses"


def _can_append(question: QuizQuestion, pool: Pool) -> Value:
    if not pool.can:
        return "none_left"
    return "room" if pool.took is None else "one_free"


def _mark_empty(question: QuizQuestion, pool: Pool) -> Value:
    size = question.config.block_size
    held = {b * size + i for seq in pool.live.values() for b in seq.block_table for i in range(size)}
    return frozenset(held - {slot for seq in pool.live.values() for slot in seq.slots()})


def _which_id(question: QuizQuestion, pool: Pool) -> Value:
    assert pool.took is not None
    return pool.took


def _number(question: QuizQuestion, name: str) -> int:
    number = question.numbers[name]
    assert isinstance(number, int)
    return number


_ORACLES: dict[str, Callable[[QuizQuestion, Pool], Value]] = {
    "blocks": lambda question, pool: len(pool.live["A"].block_table),
    "empty_slots": lambda question, pool: _empty(pool.live["A"]),
    "waste": _waste,
    "mark_empty": _mark_empty,
    "table": lambda question, pool: _ids(pool.live[question.operations[-1].seq_id].block_table),
    "slot": lambda question, pool: pool.live["A"].slots()[_number(question, "pos")],
    "needs_page": _needs_page,
    "can_append": _can_append,
    "which_id": _which_id,
    "order": lambda question, pool: tuple(pool.done),
    "cached": lambda question, pool: pool.live["B"].num_cached_tokens,
    "ref_count": lambda question, pool: pool.manager.blocks[_number(question, "block")].ref_count,
    "released": lambda question, pool: _ids(pool.joined),
    "mark_released": lambda question, pool: frozenset(pool.joined),
    "queue_after": lambda question, pool: _ids(tuple(pool.manager.free_block_ids)),
}
