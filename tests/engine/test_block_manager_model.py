"""A rule-based machine drives BlockManager against a model in plain lists that compares prefixes, never hashes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lab.engine.block_manager import BlockManager
from lab.engine.errors import (
    AlreadyAllocatedError,
    BlockSizeMismatchError,
    LabError,
    NoFreeBlocksError,
    NotAllocatedError,
)
from lab.engine.sequence import Sequence
from tests.sample import sampled

HAPPENED: Counter[str] = Counter()  # what a run's examples exercised, so that an idle machine fails
TOKENS = st.integers(0, 2)


@dataclass
class Held:
    """What the model knows of a live request."""

    tokens: list[int]
    table: list[int] = field(default_factory=list)
    cached: int = 0


class Model:
    """The contract in simple code. `prefix[b]`: all tokens up to the end of b's full page; `order`: oldest first."""

    def __init__(self, block_size: int, queue: list[int]) -> None:
        self.size = block_size
        self.queue = list(queue)
        self.refs = [0] * len(queue)
        self.prefix: dict[int, list[int]] = {}
        self.order: list[int] = []
        self.live: dict[str, Held] = {}

    def pages(self, tokens: list[int]) -> int:
        """Logical pages, counted one by one."""
        return len(range(0, len(tokens), self.size))

    def find(self, tokens: list[int]) -> list[int]:
        """Newest holder of each leading page, except the page of the last token."""
        found: list[int] = []
        for page in range(1, self.pages(tokens)):
            holders = [b for b in self.order if self.prefix[b] == tokens[: page * self.size]]
            if not holders:
                return found
            found.append(holders[-1])
        return found

    def take(self, held: Held) -> None:
        """Take the head of the queue and forget its content."""
        block = self.queue.pop(0)
        if self.prefix.pop(block, None) is not None:
            self.order.remove(block)
            HAPPENED["eviction"] += 1
        self.refs[block] = 1
        held.table.append(block)

    def needs(self, tokens: list[int]) -> int:
        """Number of blocks that an allocation would take from the queue."""
        return self.pages(tokens) - len([b for b in self.find(tokens) if self.refs[b]])

    def allocate(self, name: str, tokens: list[int]) -> bool:
        """Allocate, or return False and change nothing."""
        if self.needs(tokens) > len(self.queue):
            HAPPENED["allocation refused"] += 1
            return False
        held = self.live[name] = Held(list(tokens))
        for block in self.find(tokens):
            HAPPENED["hit on a used block" if self.refs[block] else "revival"] += 1
            if not self.refs[block]:
                HAPPENED["revival from the middle"] += block not in (self.queue[0], self.queue[-1])
                self.queue.remove(block)
            self.refs[block] += 1
            held.table.append(block)
            held.cached += self.size
        while len(held.table) < self.pages(tokens):
            self.take(held)
        self.remember(held)
        return True

    def append(self, name: str, token: int) -> int | None:
        """Append: the block taken, None for none, -1 if refused; a refusal changes nothing."""
        held = self.live[name]
        taken = None
        if self.pages([*held.tokens, token]) > len(held.table):
            if not self.queue:
                HAPPENED["append refused"] += 1
                return -1
            taken = self.queue[0]
            self.take(held)
        held.tokens.append(token)
        self.remember(held)
        return taken

    def release(self, name: str) -> None:
        """Drop the blocks, last one first."""
        for block in reversed(self.live.pop(name).table):
            self.refs[block] -= 1
            if not self.refs[block]:
                self.queue.append(block)

    def remember(self, held: Held) -> None:
        """Make each full page findable that is not yet findable in its block."""
        for page in range(1, len(held.tokens) // self.size + 1):
            block = held.table[page - 1]
            if block not in self.prefix:
                HAPPENED["twin"] += held.tokens[: page * self.size] in self.prefix.values()
                self.prefix[block] = held.tokens[: page * self.size]
                self.order.append(block)


class Machine(RuleBasedStateMachine):
    """Random histories: each rule acts on both sides, and the invariant compares them."""

    def __init__(self) -> None:
        super().__init__()
        self.seqs: dict[str, Sequence] = {}
        self.released: list[Sequence] = []
        self.prompts: list[list[int]] = [[]]
        self.names = 0

    @initialize(block_size=st.integers(1, 9), queue=st.integers(1, 24).flatmap(lambda n: st.permutations(range(n))))
    def pool(self, block_size: int, queue: list[int]) -> None:
        """A pool in a random order."""
        self.manager = BlockManager(len(queue), block_size, iter(queue))
        self.model = Model(block_size, queue)

    def admit(self, seq: Sequence) -> None:
        """Allocate on both sides; a refusal must be announced, carry its numbers and change nothing (see `same`)."""
        free, tokens = len(self.model.queue), list(seq.token_ids)
        needs = self.model.needs(tokens)
        assert self.manager.blocks_to_take(seq) == needs
        assert self.manager.can_allocate(seq) is (needs <= free)
        if self.model.allocate(seq.seq_id, tokens):
            self.manager.allocate(seq)
            self.manager.hash_blocks(seq)
            self.seqs[seq.seq_id] = seq
        else:
            with pytest.raises(NoFreeBlocksError) as caught:
                self.manager.allocate(seq)
            assert caught.value.numbers == {"needed": needs, "free": free}
            assert (seq.block_table, seq.num_cached_tokens, seq.token_ids) == ([], 0, tokens)

    @rule(pick=st.integers(0, 99), keep=st.integers(0, 30), more=st.lists(TOKENS, max_size=10))
    def arrive(self, pick: int, keep: int, more: list[int]) -> None:
        """A prompt that begins like an earlier one."""
        prompt = self.prompts[pick % len(self.prompts)][:keep] + more or [0]
        self.names += 1
        self.prompts.append(prompt)
        self.admit(Sequence(f"s{self.names}", prompt, self.model.size))

    @precondition(lambda self: self.released)
    @rule(pick=st.integers(0, 99))
    def come_back(self, pick: int) -> None:
        """Allocate a released sequence again, as after a preemption."""
        seq = self.released.pop(pick % len(self.released))
        self.admit(seq)

    @precondition(lambda self: self.seqs)
    @rule(pick=st.integers(0, 99), tokens=st.lists(TOKENS, min_size=1, max_size=10))
    def append(self, pick: int, tokens: list[int]) -> None:
        """Append tokens one by one, each with a second may_append that must do nothing."""
        seq = list(self.seqs.values())[pick % len(self.seqs)]
        for token in tokens:
            seq.append_token(token)
            expected = self.model.append(seq.seq_id, token)
            assert self.manager.can_append(seq) is (expected != -1)
            if expected == -1:
                with pytest.raises(NoFreeBlocksError) as caught:
                    self.manager.may_append(seq)
                assert caught.value.numbers == {"needed": 1, "free": 0}
                assert seq.withdraw_token() == token
            else:
                assert self.manager.may_append(seq) == expected
                assert self.manager.may_append(seq) is None
                self.manager.hash_blocks(seq)
            self.same()
        self.prompts.append(list(seq.token_ids))

    @precondition(lambda self: len(self.seqs) > 1)
    @rule(token=TOKENS)
    def append_and_preempt(self, token: int) -> None:
        """The oldest request keeps its token; the newest requests are released until may_append succeeds."""
        first, *others = self.seqs.values()
        first.append_token(token)
        while not self.manager.can_append(first) and others:
            with pytest.raises(NoFreeBlocksError):
                self.manager.may_append(first)
            last = others.pop()
            del self.seqs[last.seq_id]
            self.manager.deallocate(last)
            self.model.release(last.seq_id)
            self.released.append(last)
            HAPPENED["preempted"] += 1
        expected = self.model.append(first.seq_id, token)
        assert self.manager.can_append(first) is (expected != -1)
        if expected == -1:  # no other request is left, and there is still no room
            assert first.withdraw_token() == token
        else:
            assert self.manager.may_append(first) == expected
            self.manager.hash_blocks(first)

    @precondition(lambda self: self.seqs)
    @rule(pick=st.integers(0, 99))
    def release(self, pick: int) -> None:
        """A request ends."""
        seq = self.seqs.pop(list(self.seqs)[pick % len(self.seqs)])
        self.manager.deallocate(seq)
        self.model.release(seq.seq_id)
        assert (seq.block_table, seq.num_cached_tokens) == ([], 0)
        self.released.append(seq)

    @rule(pick=st.integers(0, 99), size=st.integers(1, 9))
    def misuse(self, pick: int, size: int) -> None:
        """Everything that is refused in any state of the pool; hash_blocks may run again and does nothing."""
        stranger = Sequence("stranger", [0] * 9, self.model.size)
        refused: list[tuple[type[LabError], object, Sequence]] = [
            (NotAllocatedError, self.manager.can_append, stranger),
            (NotAllocatedError, self.manager.may_append, stranger),
            (NotAllocatedError, self.manager.deallocate, stranger),
        ]
        if self.seqs:
            seq = list(self.seqs.values())[pick % len(self.seqs)]
            self.manager.hash_blocks(seq)
            refused.append((AlreadyAllocatedError, self.manager.allocate, seq))
        if size != self.model.size:
            refused.append((BlockSizeMismatchError, self.manager.allocate, Sequence("other", [0] * 9, size)))
        for error, act, seq in refused:
            assert callable(act)
            with pytest.raises(error):
                act(seq)
        assert stranger.block_table == []

    @invariant()
    def same(self) -> None:
        """Everything that the manager can report equals the model."""
        if not hasattr(self, "model"):
            return
        manager, model = self.manager, self.model
        assert list(manager.free_block_ids) == model.queue
        assert manager.used_block_ids == {b for b, refs in enumerate(model.refs) if refs}
        assert [block.ref_count for block in manager.blocks] == model.refs
        assert {name: Held(s.token_ids, s.block_table, s.num_cached_tokens) for name, s in self.seqs.items()} == (
            model.live
        )
        for block in manager.blocks:
            prefix = model.prefix.get(block.block_id, [])
            assert (block.hash != -1) is bool(prefix)
            assert block.token_ids == prefix[(len(prefix) - 1) // model.size * model.size :]
            if prefix:
                holders = [b for b in model.order if model.prefix[b] == prefix]
                assert list(manager.hash_to_block_ids[block.hash]) == holders
        assert sum(len(ids) for ids in manager.hash_to_block_ids.values()) == len(model.prefix)
        assert all(manager.hash_to_block_ids.values())
        manager.check(self.seqs.values())


@pytest.mark.parametrize("histories", sampled((150, 600), (150,)))
def test_block_manager_does_what_the_model_does(histories: int) -> None:
    """Random histories agree after each step and reach everything that matters; by default always the same ones."""
    HAPPENED.clear()
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=40,
            derandomize=histories == 150,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    rare = {
        "hit on a used block",
        "revival",
        "revival from the middle",
        "eviction",
        "twin",
        "append refused",
        "preempted",
    }
    assert {
        what: HAPPENED[what] for what in rare | {"allocation refused", "preempted"} if HAPPENED[what] < histories / 100
    } == {}
