"""Proof of the typed key of the conceptual questions: each statement names the test here that shows it true or false.

The tests run the engine over block sizes, queues and histories, not just one lucky example.
"""

from __future__ import annotations

import inspect
import random
import sys
from functools import cache
from itertools import pairwise

import pytest
import torch

from lab.activities.block_size_runs import LENGTHS, measure_use
from lab.engine.block_manager import BlockManager
from lab.engine.errors import NoFreeBlocksError
from lab.engine.sequence import Sequence
from lab.quiz.concepts import STATEMENTS
from lab.quiz.examples import find_larger_with_fewer, run_hole
from lab.trace.config import Config, Request
from lab.trace.contiguous import ContiguousAllocator, NoHoleError, ReservePolicy
from lab.trace.events import AppendChecked
from lab.trace.operations import Allocate, Append, Operation, Release
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Step, Timeline
from lessons.text.translations import LANGUAGES, load_strings
from tests.trace.test_kv_cache import compute_alone

SIZES = (1, 2, 3, 4, 8)
STORY: tuple[Operation, ...] = (
    Allocate("A"),
    Allocate("B"),
    Append("B"),
    Append("A"),
    Release("A"),
    Allocate("C"),
    Release("B"),
    Release("C"),
)


@cache
def timelines() -> tuple[Timeline, ...]:
    """A and B share two full pages, and C arrives with A's prompt; several sizes and queues."""
    made = []
    for size in SIZES:
        for seed in range(4):
            queue = tuple(random.Random(seed).sample(range(16), 16))
            start = tuple(range(1, 2 * size + 1))
            a = (*start, *range(100, 101 + size))
            b = (*start, *range(200, 200 + max(1, size - 1)))
            requests = (Request("A", a, (300, 301)), Request("B", b, (400, 401)), Request("C", (*a, 500), (501,)))
            made.append(Timeline.replay(Config(16, size, queue, requests), STORY))
    return tuple(made)


def steps(kind: type[Operation] | None = None) -> list[Step]:
    """Every step, or those of one kind of operation; none is refused."""
    found = [step for timeline in timelines() for step in timeline.steps]
    assert not [step for step in found if step.refusal]
    return [step for step in found if kind is None or isinstance(step.operation, kind)]


def views(step: Step) -> tuple[SequenceView, ...]:
    """The live requests after the step."""
    return step.after.sequences


def held_before(step: Step) -> tuple[int, ...]:
    """The blocks of the request that a release is about to end."""
    view = step.before.sequence(step.operation.seq_id)
    assert view is not None
    return view.block_table


# --- the key as a whole ------------------------------------------------------------------------------------------


def test_every_statement_is_proved_and_has_its_texts() -> None:
    """The named test exists; the statement has its texts, and its feedback agrees with the key."""
    here = vars(sys.modules[__name__])
    first = {"zh": ("这句话对", "这句话不对"), "en": ("The statement is true", "The statement is false")}
    for kind, statements in STATEMENTS.items():
        assert len({statement.id for statement in statements}) == len(statements)
        assert sum(s.true for s in statements) >= 3
        assert sum(not s.true and s.least_size == 1 for s in statements) >= 3
        for statement in statements:
            proof = here.get(statement.proof)
            assert inspect.isfunction(proof), statement
            assert proof.__name__.startswith("test_")  # so pytest runs it
            assert {mark.name for mark in getattr(proof, "pytestmark", [])} <= {"parametrize"}, "skipped"
            for language in LANGUAGES:
                assert load_strings(language)[f"quiz.option.{kind}_{statement.id}"]
                feedback = load_strings(language)[f"quiz.told.{kind}_{statement.id}"]
                assert feedback.startswith(first[language][not statement.true])


# --- what a block_table is ---------------------------------------------------------------------------------------


def test_entry_i_is_the_block_of_page_i() -> None:
    """block_table[i] names the block of page i, token by token, after every step."""
    for step in steps():
        for view in views(step):
            for i, block_id in enumerate(view.block_table):
                first = i * view.block_size
                written = [(token, first + j) for j, token in enumerate(view.page(i))]
                assert list(step.after.blocks[block_id].slots[: len(written)]) == written


def test_ids_come_in_any_order() -> None:
    """Tables have gaps, rise and fall, and the invariants hold for all of them."""
    tables = [view.block_table for step in steps() for view in views(step) if len(view.block_table) > 1]
    jumps = {b - a for table in tables for a, b in pairwise(table)}
    assert {jump > 1 for jump in jumps} == {jump < 0 for jump in jumps} == {True, False}
    assert all(not step.after.findings() for step in steps())


def test_two_tables_may_hold_the_same_id() -> None:
    """A and B do, and ref_count counts both."""
    shared = [step for step in steps(Allocate) if step.operation.seq_id == "B"]
    for step in shared:
        a, b = step.after.sequence("A"), step.after.sequence("B")
        assert a is not None
        assert b is not None
        both = set(a.block_table) & set(b.block_table)
        assert both
        assert all(step.after.blocks[block_id].ref_count == 2 for block_id in both)


def test_an_entry_is_not_its_own_index() -> None:
    """Hardly any table is 0, 1, 2."""
    tables = {view.block_table for step in steps() for view in views(step)}
    assert len([table for table in tables if table != tuple(range(len(table)))]) > len(tables) / 2


def test_a_sorted_table_reads_other_kv() -> None:
    """In the tensor: the sorted table gathers other KV than the request's; its own table gathers the right KV."""
    tried = 0
    for timeline in timelines():
        at = Timeline.replay(timeline.config, STORY[:2])
        for seq in at.live.values():
            if seq.block_table == sorted(seq.block_table):
                continue
            tried += 1
            own = at.cache.gather(seq.block_table, seq.num_tokens)
            other = at.cache.gather(sorted(seq.block_table), seq.num_tokens)
            alone = compute_alone(at.cache.model, seq.token_ids)
            assert torch.equal(own, alone)
            assert not torch.equal(other, alone)
    assert tried > 10


def test_no_block_of_a_table_is_free() -> None:
    """A table and the free queue have no id in common."""
    for step in steps():
        assert not {b for view in views(step) for b in view.block_table} & set(step.after.free_block_ids)


def test_one_entry_a_page_not_a_token() -> None:
    """At block_size 1 both numbers are equal, so the statement is left out there."""
    per_token = [s for s in STATEMENTS["block_table_is"] if s.id == "per_token"]
    assert [s.least_size for s in per_token] == [2]
    for step in steps():
        for view in views(step):
            assert len(view.block_table) == view.num_blocks
            assert (len(view.block_table) == view.num_tokens) == (view.block_size == 1 or view.num_tokens == 1)


def test_the_check_adds_nothing_to_the_table() -> None:
    """The states before and after can_append are equal, even if a block is taken next."""
    needs = set()
    for step in steps(Append):
        at = next(i for i, event in enumerate(step.events) if isinstance(event, AppendChecked))
        assert step.snapshots[at] == step.snapshots[at - 1]
        checked = step.events[at]
        assert isinstance(checked, AppendChecked)
        needs.add(checked.needs)
    assert needs == {0, 1}


def test_a_new_id_goes_to_the_end_of_the_table() -> None:
    """At any size, the table before is a prefix of the table after."""
    smaller = set()
    for step in steps(Append):
        before, after = (state.sequence(step.operation.seq_id) for state in (step.before, step.after))
        assert before is not None
        assert after is not None
        assert after.block_table[: len(before.block_table)] == before.block_table
        if len(after.block_table) > len(before.block_table):
            smaller.add(after.block_table[-1] < max(before.block_table))
    assert smaller == {True, False}


# --- what release does -------------------------------------------------------------------------------------------


def test_release_leaves_the_kv_in_the_tensor() -> None:
    """Bit for bit, NaN included, in every block of the pool."""
    for timeline in timelines():
        again = Timeline(timeline.config)
        for operation in STORY:
            before = again.cache.pool.clone()
            step = again.apply(operation)
            if isinstance(operation, Release):
                assert torch.equal(torch.nan_to_num(before, 77.0), torch.nan_to_num(again.cache.pool, 77.0))
                assert [b.slots for b in step.before.blocks] == [b.slots for b in step.after.blocks]
                assert not all(slot is None for b in held_before(step) for slot in step.after.blocks[b].slots)


def test_a_released_full_block_can_be_found_again() -> None:
    """C begins like A, after A has ended, and gets A's blocks from the free queue; their KV is right."""
    revived = 0
    for step in steps(Allocate):
        if step.operation.seq_id == "C":
            view = step.after.sequence("C")
            assert view is not None
            found = view.block_table[: view.num_cached_tokens // view.block_size]
            revived += any(block_id in step.before.free_block_ids for block_id in found)
    assert revived == len(timelines())
    for timeline in timelines():
        assert all(proof.bit_equal for proof in timeline.proofs(6))


def test_released_blocks_join_the_tail_last_page_first() -> None:
    """The old queue comes first, so its head is still the next block to be taken."""
    for step in steps(Release):
        joined = tuple(b for b in reversed(held_before(step)) if step.before.blocks[b].ref_count == 1)
        assert step.after.free_block_ids == (*step.before.free_block_ids, *joined)
        assert joined
        assert step.after.free_block_ids[0] == step.before.free_block_ids[0]


def test_a_block_that_another_counts_on_stays() -> None:
    """When A ends, the shared blocks lose one reference and are still in use."""
    for step in (s for s in steps(Release) if s.operation.seq_id == "A"):
        other = step.after.sequence("B")
        assert other is not None
        shared = set(held_before(step)) & set(other.block_table)
        assert shared
        assert shared <= step.after.used_block_ids
        assert {step.after.blocks[b].ref_count for b in shared} == {1}


def test_release_moves_no_other_request() -> None:
    """The tables and slots of the other requests stay the same."""
    for step in steps(Release):
        rest = [view for view in step.before.sequences if view.seq_id != step.operation.seq_id]
        assert list(step.after.sequences) == rest


# --- what space is lost ------------------------------------------------------------------------------------------


def test_empty_slots_are_in_the_last_page_only() -> None:
    """Every page but the last is full."""
    for step in steps():
        for view in views(step):
            held = {s for b in view.block_table for s in range(b * view.block_size, (b + 1) * view.block_size)}
            last = view.block_table[-1] * view.block_size
            assert held - set(view.slots) <= set(range(last, last + view.block_size))
            assert view.empty_slots < view.block_size


@pytest.mark.parametrize("size", SIZES)
def test_any_free_blocks_will_do(size: int) -> None:
    """Whichever blocks are free, a request that needs exactly as many gets them, and a larger one does not."""
    for seed in range(20):
        rng = random.Random(seed)
        manager = BlockManager(12, size, rng.sample(range(12), 12))
        small = [Sequence(f"S{i}", range(100 * i, 100 * i + size), size) for i in range(12)]
        for seq in small:
            manager.allocate(seq)
        gone = rng.sample(small, rng.randint(1, 8))
        for seq in gone:
            manager.deallocate(seq)
        fits, too_long = (Sequence("L", range(5000, 5000 + n * size), size) for n in (len(gone), len(gone) + 1))
        assert not manager.can_allocate(too_long)
        with pytest.raises(NoFreeBlocksError):
            manager.allocate(too_long)
        assert manager.can_allocate(fits)
        manager.allocate(fits)
        assert not manager.free_block_ids


def test_a_contiguous_pool_refuses_although_enough_is_free() -> None:
    """Pages of the same pool accept that request. The quiz shows the numbers of such a run."""
    numbers = run_hole()
    assert numbers["hole_free"] >= numbers["hole_needed"] > numbers["hole_largest"]
    allocator = ContiguousAllocator(12, 12, ReservePolicy.TRUE_LENGTH)
    a, b, c = (Request(name, tuple(range(length)), (0,)) for name, length in (("A", 3), ("B", 3), ("C", 7)))
    allocator.allocate(a)
    allocator.allocate(b)
    allocator.release("A")
    assert allocator.snapshot().free == 8 == allocator.needed(c)
    with pytest.raises(NoHoleError) as refused:
        allocator.allocate(c)
    assert refused.value.external
    manager = BlockManager(12, 1)
    sequences = [Sequence(r.seq_id, (*r.prompt, 0), 1) for r in (a, b, c)]
    manager.allocate(sequences[0])
    manager.allocate(sequences[1])
    manager.deallocate(sequences[0])
    manager.allocate(sequences[2])


def test_pages_leave_empty_slots() -> None:
    """From block_size 2 on, for some length; never at 1, so the statement is left out there."""
    assert [s.least_size for s in STATEMENTS["fragmentation_kinds"] if s.id == "none"] == [2]
    for size in range(1, 17):
        assert any(measure_use(length, size).empty for length in LENGTHS) == (size > 1)


def test_at_most_a_page_but_one_slot_is_empty() -> None:
    """At every size; and the maximum occurs."""
    for size in range(1, 17):
        assert max(measure_use(length, size).empty for length in LENGTHS) == size - 1


def test_an_exact_multiple_leaves_nothing_empty() -> None:
    """There is no spare page either."""
    for size in range(1, 17):
        for pages in range(1, 5):
            used = measure_use(pages * size, size)
            assert (used.empty, used.blocks) == (0, pages)


def test_free_blocks_serve_whoever_comes() -> None:
    """They contain no request's empty slots: a free block has no owner, an empty slot has one."""
    for step in steps():
        for block_id in step.after.free_block_ids:
            assert step.after.owners(block_id) == ()
            assert step.after.blocks[block_id].ref_count == 0


def test_a_larger_size_may_leave_fewer_empty() -> None:
    """True for the numbers that the quiz shows, and for others too."""
    numbers = find_larger_with_fewer()
    assert numbers["ex_large"] > numbers["ex_small"]
    small, large = (measure_use(numbers["ex_tokens"], numbers[name]) for name in ("ex_small", "ex_large"))
    assert (small.empty, large.empty) == (numbers["ex_small_empty"], numbers["ex_large_empty"])
    assert large.empty < small.empty
    fewer = [n for n in LENGTHS if measure_use(n, 8).empty < measure_use(n, 5).empty]
    assert len(fewer) > 5


def test_the_empty_tail_is_not_read() -> None:
    """Whatever the tail holds, NaN or numbers, attention stays bit-equal to contiguous attention."""
    tried = 0
    for timeline in timelines():
        at = Timeline.replay(timeline.config, STORY[:4])
        for seq in at.live.values():
            size = seq.block_size
            held = [block_id * size + i for block_id in seq.block_table for i in range(size)]
            empty = [slot for slot in held if slot not in seq.slots()]
            tried += bool(empty)
            for filling in (float("nan"), 1e6):
                at.cache.pool.flatten(2, 3)[:, :, empty] = filling
                read = at.cache.read(seq.token_ids, seq.block_table)
                assert torch.equal(read, at.cache.read_contiguous(seq.token_ids))
    assert tried > 10
