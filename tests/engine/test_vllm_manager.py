"""VLLMBlockManager replays 100 histories recorded from vLLM 0.33.0 exactly, and is compared with nano-vLLM.

A rule-based machine covers what the recording lacks, against a model in plain lists.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from lab.engine.block_manager import BlockManager
from lab.engine.errors import (
    AlreadyAllocatedError,
    BlockSizeMismatchError,
    InvariantError,
    NoFreeBlocksError,
    NotAllocatedError,
)
from lab.engine.sequence import Sequence
from lab.engine.vllm_manager import VLLMBlockManager
from tests.engine.test_golden import allocate, append, replay_exactly
from tests.sample import examples

PATH = Path(__file__).parent.parent / "data" / "vllm_traces.jsonl"
TRACES: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def test_recorded_histories_replay_exactly() -> None:
    """Every step of every history leaves the recorded state."""
    for number, trace in enumerate(TRACES):
        manager = VLLMBlockManager(trace["num_blocks"], trace["block_size"], trace["prefix_caching"])
        assert list(manager.free_block_ids) == trace["free_block_ids"]
        replay_exactly(manager, trace, number)


def test_the_recording_has_every_kind_of_step() -> None:
    """With caching and without: every operation, accepted and (if possible) refused; hits; shared blocks."""
    assert Counter(trace["prefix_caching"] for trace in TRACES).keys() == {True, False}
    steps = [step for trace in TRACES for step in trace["steps"]]
    kinds = {(step["op"], step["ok"]) for step in steps}
    assert kinds == {("allocate", True), ("allocate", False), ("append", True), ("append", False), ("free", True)}
    assert any(step.get("num_cached_tokens", 0) for step in steps)
    assert any(count > 1 for step in steps for count in step["ref_counts"].values())


# --- the chapter's history ---------------------------------------------------------------------------------------


def play_chapter(manager: BlockManager) -> tuple[list[int], list[int]]:
    """A with 11 tokens and B with 4, B's fifth token, both released: the queue, and the blocks for nine new tokens."""
    a, b = Sequence("A", range(11), 4), Sequence("B", range(20, 24), 4)
    assert allocate(manager, a)
    assert allocate(manager, b)
    assert append(manager, b, 30)
    manager.deallocate(a)
    manager.deallocate(b)
    queue = list(manager.free_block_ids)
    new = Sequence("C", range(40, 49), 4)
    assert allocate(manager, new)
    return queue, new.block_table


@pytest.mark.parametrize(
    ("manager", "queue", "table"),
    [
        (BlockManager(16, 4), [*range(5, 16), 2, 1, 0, 4, 3], [5, 6, 7]),
        (VLLMBlockManager(15, 4), [5, 3, *range(6, 16), 2, 1, 4], [5, 3, 6]),
        (VLLMBlockManager(15, 4, prefix_caching=False), [5, 4, 3, 2, 1, *range(6, 16)], [5, 4, 3]),
    ],
    ids=["nano-vLLM", "vLLM", "vLLM without caching"],
)
def test_the_chapter_s_history_ends_differently(manager: BlockManager, queue: list[int], table: list[int]) -> None:
    """The same operations on a pool of 16 blocks, one of which is vLLM's null block."""
    assert play_chapter(manager) == (queue, table)


# --- refusals and invariants -------------------------------------------------------------------------------------


def test_a_refusal_changes_nothing() -> None:
    """The errors are those of BlockManager; their numbers count only blocks that can be handed out."""
    manager = VLLMBlockManager(2, 4)
    a = Sequence("A", range(8), 4)
    manager.allocate(a)
    with pytest.raises(AlreadyAllocatedError):
        manager.allocate(a)
    with pytest.raises(NoFreeBlocksError) as refused:
        manager.allocate(Sequence("B", [1], 4))
    assert refused.value.numbers == {"needed": 1, "free": 0}
    with pytest.raises(BlockSizeMismatchError):
        manager.allocate(Sequence("C", [1], 2))
    a.append_token(9)
    assert not manager.can_append(a)
    with pytest.raises(NoFreeBlocksError):
        manager.may_append(a)
    a.withdraw_token()
    manager.check([a])
    manager.deallocate(a)
    with pytest.raises(NotAllocatedError):
        manager.deallocate(a)
    assert list(manager.free_block_ids) == [2, 1]


def test_the_null_block_is_never_anybody_s() -> None:
    """The null block is never in the queue; the check would find it there."""
    manager = VLLMBlockManager(3, 2)
    assert (len(manager.blocks), 0 in manager.free_block_ids) == (4, False)
    manager.free_block_ids[0] = None
    with pytest.raises(InvariantError):
        manager.check([])


# --- a machine against a model -----------------------------------------------------------------------------------


class Model:
    """vLLM's rules on plain lists. `prefix[b]`: all tokens up to the end of the full page in b, oldest first."""

    def __init__(self, num_blocks: int, size: int, caching: bool) -> None:
        self.queue, self.size, self.caching = list(range(1, num_blocks + 1)), size, caching
        self.refs = Counter[int]()
        self.prefix: dict[int, list[int]] = {}
        self.live: dict[str, tuple[list[int], list[int]]] = {}

    def find(self, tokens: list[int]) -> list[int]:
        """The first holder of each leading page that ends before the last token."""
        found: list[int] = []
        for end in range(self.size, len(tokens), self.size):
            holder = next((block for block, held in self.prefix.items() if held == tokens[:end]), None)
            if holder is None:
                break
            found.append(holder)
        return found

    def settle(self, tokens: list[int], table: list[int]) -> bool:
        """Take the missing blocks and make full pages findable; if that fails, change nothing and return False."""
        found = self.find(tokens) if not table else []
        missing = -(-len(tokens) // self.size) - len(table) - len(found)
        if missing + sum(block in self.queue for block in found) > len(self.queue):
            return False
        for block in found:
            if block in self.queue:
                self.queue.remove(block)
        table += found + self.queue[:missing]
        for block in self.queue[:missing]:
            self.prefix.pop(block, None)
        del self.queue[:missing]
        for block in table[-(missing + len(found)) :] if missing + len(found) else ():
            self.refs[block] += 1
        for page in range(len(tokens) // self.size if self.caching else 0):
            self.prefix.setdefault(table[page], tokens[: (page + 1) * self.size])
        return True

    def release(self, name: str) -> None:
        """Drop the last block first; blocks that cannot be found go to the front."""
        front: list[int] = []
        back: list[int] = []
        for block in reversed(self.live.pop(name)[1]):
            self.refs[block] -= 1
            if not self.refs[block]:
                (back if block in self.prefix else front).append(block)
        self.queue = [*front, *self.queue, *back]


class Machine(RuleBasedStateMachine):
    """Few tokens and small pools, so that prefixes coincide, pools run empty and blocks are evicted."""

    @initialize(num_blocks=st.integers(1, 7), size=st.integers(1, 3), caching=st.booleans())
    def begin(self, num_blocks: int, size: int, caching: bool) -> None:
        self.manager, self.model = VLLMBlockManager(num_blocks, size, caching), Model(num_blocks, size, caching)
        self.sequences: dict[str, Sequence] = {}
        self.number = 0

    @rule(tokens=st.lists(st.integers(0, 1), min_size=1, max_size=9))
    def arrive(self, tokens: list[int]) -> None:
        self.number += 1
        name, seq = f"r{self.number}", Sequence("r", tokens, self.manager.block_size)
        held: tuple[list[int], list[int]] = (list(tokens), [])
        cached = len(self.model.find(tokens)) * self.model.size
        admitted = self.model.settle(*held)
        assert allocate(self.manager, seq) is admitted
        if admitted:
            assert seq.num_cached_tokens == cached
            self.sequences[name], self.model.live[name] = seq, held

    @precondition(lambda self: self.sequences)
    @rule(data=st.data(), token=st.integers(0, 1))
    def grow(self, data: st.DataObject, token: int) -> None:
        name = data.draw(st.sampled_from(sorted(self.sequences)))
        tokens, table = self.model.live[name]
        possible = self.model.settle([*tokens, token], table)
        if possible:
            tokens.append(token)
        assert append(self.manager, self.sequences[name], token) is possible

    @precondition(lambda self: self.sequences)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.sequences)))
        self.model.release(name)
        self.manager.deallocate(self.sequences.pop(name))

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "manager"):
            return
        assert list(self.manager.free_block_ids) == self.model.queue
        assert {name: seq.block_table for name, seq in self.sequences.items()} == {
            name: table for name, (_, table) in self.model.live.items()
        }
        assert {b.block_id: b.ref_count for b in self.manager.blocks if b.ref_count} == dict(+self.model.refs)
        self.manager.check(self.sequences.values())


def test_random_histories_agree_with_the_model() -> None:
    """Tables, queue order, ref counts and refusals agree after each step."""
    run_machine(
        Machine,
        settings=settings(max_examples=examples(150), stateful_step_count=30, suppress_health_check=list(HealthCheck)),
    )
