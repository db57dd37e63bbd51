"""Sequence, what no history of the model or the recording meets, and each difference from nano-vLLM, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil
from timeit import repeat

import pytest
from xxhash import xxh64_intdigest

from lab.engine import errors
from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence


def admit(manager: BlockManager, token_ids: Iterable[int], seq_id: str = "A") -> Sequence:
    """Allocate, then make the full blocks findable, as the lab does once their KV is written."""
    seq = Sequence(seq_id, token_ids, manager.block_size)
    manager.allocate(seq)
    manager.hash_blocks(seq)
    return seq


def state(manager: BlockManager, *sequences: Sequence) -> object:
    """A copy of everything that an operation could change, including orders."""
    return (
        [(b.block_id, b.ref_count, b.hash, list(b.token_ids)) for b in manager.blocks],
        list(manager.free_block_ids),
        sorted(manager.used_block_ids),
        [(key, list(ids)) for key, ids in manager.hash_to_block_ids.items()],
        [(list(s.token_ids), list(s.block_table), s.num_cached_tokens) for s in sequences],
    )


# --- Sequence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block_size", range(1, 10))
@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 9, 16, 27])
def test_pages_of_a_sequence(block_size: int, length: int) -> None:
    """All pages but the last are full, together they are the tokens, and the last holds 1..block_size tokens."""
    seq = Sequence("A", range(length), block_size)
    pages = [seq.block(i) for i in range(seq.num_blocks)]
    assert len(seq) == seq.num_tokens == length
    assert seq.num_blocks == ceil(length / block_size)
    assert [token for page in pages for token in page] == list(range(length))
    assert {len(page) for page in pages[:-1]} <= {block_size}
    assert 1 <= seq.last_block_num_tokens == len(pages[-1]) <= block_size


def test_slots_follow_the_table() -> None:
    """slot = block_table[pos // block_size] * block_size + pos % block_size, for the positions in the range."""
    seq = Sequence("A", range(11), 4)
    seq.block_table = [7, 2, 14]
    assert seq.slots() == [28, 29, 30, 31, 8, 9, 10, 11, 56, 57, 58]
    assert seq.slots(4) == [8, 9, 10, 11, 56, 57, 58]
    assert seq.slots(3, 5) == [31, 8]
    assert seq.slots(11) == seq.slots(5, 5) == []


def test_a_token_without_a_page_has_no_slot() -> None:
    """Positions without a page are left out: between append_token and may_append, and before allocate."""
    seq = Sequence("A", range(4), 4)
    assert seq.slots() == []
    seq.block_table = [9]
    seq.append_token(4)
    assert seq.slots() == [36, 37, 38, 39]
    assert seq.slots(4) == []


def test_block_hashes_are_xxh64_chained_over_the_prefix() -> None:
    """The expected value follows nano-vLLM's definition of compute_hash; it is pinned, so that it never changes."""
    seq = Sequence("A", [1, 2, 3, 4, 5], 2)
    first = xxh64_intdigest(b"".join(token.to_bytes(8, "little") for token in (1, 2)))
    second = xxh64_intdigest(b"".join(number.to_bytes(8, "little") for number in (first, 3, 4)))
    assert seq.block_hashes() == [first, second]
    assert first == 5411092459628516524
    seq.append_token(6)
    assert seq.block_hashes() == Sequence("B", range(1, 7), 2).block_hashes()


def test_difference_8_a_withdrawn_token_leaves_no_trace() -> None:
    """The hash of a page completed by a withdrawn token must not be that of the page that follows."""
    seq = Sequence("A", [1, 2, 3], 2)
    seq.append_token(4)
    wrong = seq.block_hashes()[1]
    assert seq.withdraw_token() == 4
    assert (seq.token_ids, seq.num_blocks) == ([1, 2, 3], 2)
    seq.append_token(5)
    assert seq.block_hashes()[1] == Sequence("B", [1, 2, 3, 5], 2).block_hashes()[1] != wrong


# --- what neither the model (test_block_manager_model.py) nor the recording (test_golden.py) meets -----------------


def test_only_full_blocks_are_found_and_only_once_hashed() -> None:
    """An allocated block is not findable before hash_blocks runs, after its KV is written. A partial page never is."""
    manager = BlockManager(8, 2)
    a = Sequence("A", [1, 2, 3, 4, 5], 2)
    manager.allocate(a)
    assert manager.blocks_to_take(Sequence("B", [1, 2, 3, 4, 5], 2)) == 3
    manager.hash_blocks(a)
    assert manager.blocks_to_take(Sequence("B", [1, 2, 3, 4, 5], 2)) == 1
    assert [block.hash != -1 for block in manager.blocks[:3]] == [True, True, False]
    assert [block.token_ids for block in manager.blocks[:3]] == [[1, 2], [3, 4], []]


def test_a_full_page_without_a_block_is_not_findable() -> None:
    """A request that holds nothing, and at block_size 1 a token that may_append has not seen yet."""
    manager = BlockManager(4, 1)
    a, b = admit(manager, [1, 2]), Sequence("B", [3, 4], 1)
    a.append_token(5)
    before = state(manager, a, b)
    manager.hash_blocks(a)
    manager.hash_blocks(b)
    assert state(manager, a, b) == before
    manager.may_append(a)
    manager.hash_blocks(a)
    assert manager.blocks[a.block_table[2]].token_ids == [5]


def test_equal_hash_with_other_tokens_is_not_a_hit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens are compared too, also after a hash collision."""
    monkeypatch.setattr(Sequence, "block_hashes", lambda self: [7] * (len(self) // self.block_size))
    manager = BlockManager(8, 2)
    a, b = admit(manager, [1, 2, 3], "A"), admit(manager, [5, 6, 7], "B")
    assert (b.num_cached_tokens, b.block_table) == (0, [2, 3])
    c = admit(manager, [1, 2, 4], "C")
    assert (c.num_cached_tokens, c.block_table[0]) == (2, a.block_table[0])


# --- deliberate differences ----------------------------------------------------------------------------------------


def test_difference_1_can_allocate_answers_true_or_false() -> None:
    """Upstream returns a count or -1, so `if can_allocate(...)` reads inverted."""
    manager = BlockManager(2, 2)
    assert manager.can_allocate(Sequence("A", [1, 2, 3, 4], 2)) is True
    assert manager.can_allocate(Sequence("A", [1, 2, 3, 4, 5], 2)) is False


def test_difference_2_block_size_1() -> None:
    """Every token takes a page; `len % 1 == 1` is never true."""
    manager = BlockManager(5, 1, [3, 0, 4, 1, 2])
    a = admit(manager, [8, 9])
    for token_id in (7, 6):
        a.append_token(token_id)
        assert manager.can_append(a) is True
        manager.may_append(a)
        manager.hash_blocks(a)
    assert (a.block_table, a.slots()) == ([3, 0, 4, 1], [3, 0, 4, 1])
    b = admit(manager, [8, 9, 5], "B")
    assert (b.block_table, b.num_cached_tokens) == ([3, 0, 2], 2)
    a.append_token(5)
    assert manager.can_append(a) is False


def test_difference_2_may_append_twice_takes_one_block() -> None:
    """The second call finds the page that the first call added."""
    manager = BlockManager(4, 4, [2, 3, 0, 1])
    a = admit(manager, range(4))
    a.append_token(4)
    assert [manager.may_append(a), manager.may_append(a)] == [3, None]
    assert (a.block_table, list(manager.free_block_ids)) == ([2, 3], [0, 1])


@pytest.mark.parametrize("block_size", range(1, 10))
def test_difference_2_a_page_is_needed_exactly_at_each_multiple(block_size: int) -> None:
    """may_append returns an id if a new page begins, else None; can_append changes nothing."""
    manager = BlockManager(32, block_size)
    a = admit(manager, [0])
    for length in range(2, 28):
        a.append_token(length)
        before = state(manager, a)
        assert manager.can_append(a) is True
        assert state(manager, a) == before
        assert (manager.may_append(a) is not None) is ((length - 1) % block_size == 0)
        manager.check([a])


def test_difference_3_two_block_sizes_in_one_process() -> None:
    """block_size belongs to the manager and the sequence."""
    small, large = BlockManager(8, 2), BlockManager(8, 5)
    a, b = admit(small, range(6)), admit(large, range(6))
    assert (a.num_blocks, b.num_blocks, a.last_block_num_tokens, b.last_block_num_tokens) == (3, 2, 2, 1)
    assert admit(small, range(6), "C").num_cached_tokens == 4
    assert admit(large, range(6), "D").num_cached_tokens == 5


def refuse(
    error: type[errors.LabError], manager: BlockManager, act: Callable[[Sequence], object], seq: Sequence
) -> dict[str, int | str]:
    """act(seq) must raise exactly this error and change nothing; returns its numbers."""
    before = state(manager, seq)
    with pytest.raises(errors.LabError) as caught:
        act(seq)
    assert type(caught.value) is error
    assert state(manager, seq) == before
    return caught.value.numbers


def test_difference_4_allocate_is_all_or_nothing() -> None:
    """The one free block is a hit: it costs one block like any other, and is not shared before the refusal."""
    manager = BlockManager(3, 2)
    manager.deallocate(admit(manager, [1, 2], "Z"))
    admit(manager, [5, 6, 7, 8], "A")
    n = Sequence("N", [1, 2, 3, 4, 5], 2)
    assert (manager.can_allocate(n), manager.blocks_to_take(n)) == (False, 3)
    assert refuse(errors.NoFreeBlocksError, manager, manager.allocate, n) == {"needed": 3, "free": 1}


def test_difference_4_append_without_a_free_block() -> None:
    """The token stays appended; withdrawing it is not the manager's job."""
    manager = BlockManager(2, 2)
    a = admit(manager, [1, 2, 3, 4])
    a.append_token(5)
    assert manager.can_append(a) is False
    assert refuse(errors.NoFreeBlocksError, manager, manager.may_append, a) == {"needed": 1, "free": 0}


def test_difference_4_allocate_twice() -> None:
    """It is refused even if blocks are free."""
    manager = BlockManager(9, 2)
    a = admit(manager, [1, 2, 3])
    assert refuse(errors.AlreadyAllocatedError, manager, manager.allocate, a) == {"seq_id": "A", "held": 2}


def test_difference_4_a_request_that_holds_nothing() -> None:
    """A request without blocks, never allocated or released, can neither append nor be released."""
    manager = BlockManager(4, 2)
    released = admit(manager, [1, 2, 3])
    manager.deallocate(released)
    for seq in (Sequence("A", [1, 2], 2), released):
        for act in (manager.deallocate, manager.can_append, manager.may_append, manager.blocks_to_append):
            assert refuse(errors.NotAllocatedError, manager, act, seq) == {"seq_id": "A"}


def test_difference_4_another_block_size() -> None:
    """A sequence with another block_size than the manager's is refused."""
    manager, seq = BlockManager(4, 2), Sequence("A", [1, 2], 3)
    numbers = {"seq_id": "A", "sequence_size": 3, "manager_size": 2}
    for act in (manager.allocate, manager.can_allocate):
        assert refuse(errors.BlockSizeMismatchError, manager, act, seq) == numbers


@pytest.mark.parametrize(
    ("error", "numbers", "make"),
    [
        (errors.InvalidSizeError, {"name": "num_blocks", "value": 0, "minimum": 1}, lambda: BlockManager(0, 4)),
        (errors.InvalidSizeError, {"name": "block_size", "value": -1, "minimum": 1}, lambda: BlockManager(4, -1)),
        (errors.InvalidSizeError, {"name": "block_size", "value": 0, "minimum": 1}, lambda: Sequence("A", [1], 0)),
        (errors.InvalidFreeQueueError, {"num_blocks": 3, "length": 2}, lambda: BlockManager(3, 4, [0, 2])),
        (errors.InvalidFreeQueueError, {"num_blocks": 3, "length": 3}, lambda: BlockManager(3, 4, [0, 2, 2])),
        (errors.InvalidFreeQueueError, {"num_blocks": 3, "length": 3}, lambda: BlockManager(3, 4, [1, 2, 3])),
        (errors.InvalidFreeQueueError, {"num_blocks": 1, "length": 0}, lambda: BlockManager(1, 4, [])),
        (errors.EmptyPromptError, {"seq_id": "A"}, lambda: Sequence("A", [], 4)),
        (errors.InvalidTokenError, {"seq_id": "A", "value": -1}, lambda: Sequence("A", [1, -1], 4)),
        (errors.InvalidTokenError, {"seq_id": "A", "value": -2}, lambda: Sequence("A", [1], 4).append_token(-2)),
        (errors.InvalidTokenError, {"seq_id": "A", "value": 1 << 64}, lambda: Sequence("A", [1 << 64], 4)),
    ],
)
def test_difference_4_what_cannot_be_made(
    error: type[errors.LabError], numbers: dict[str, int | str], make: Callable[[], object]
) -> None:
    """Each refusal is a LabError of its own with its numbers, which the message shows."""
    with pytest.raises(error) as caught:
        make()
    assert caught.value.numbers == numbers
    shown = str(caught.value)
    assert all(str(number) in shown for key, number in numbers.items())


def test_difference_4_refusals_have_distinct_codes() -> None:
    """The pages choose their sentence by code."""
    kinds = errors.LabError.__subclasses__()
    assert len(kinds) > 10
    assert len({kind.code for kind in kinds} | {errors.LabError.code}) == len(kinds) + 1


def test_difference_5_twin_blocks_are_both_remembered() -> None:
    """The newest holder is found first; after its eviction the older one is found."""
    manager = BlockManager(6, 2)
    a, b = admit(manager, [1, 2, 3], "A"), admit(manager, [1, 2], "B")
    assert (a.block_table, b.block_table) == ([0, 1], [2])
    newest = Sequence("C", [1, 2, 9], 2)
    manager.allocate(newest)
    assert newest.block_table == [2, 3]
    manager.deallocate(newest)
    manager.deallocate(b)  # queue 4 5 3 2
    manager.deallocate(admit(manager, range(20, 28), "D"))  # took all four: block 2 is forgotten
    older = admit(manager, [1, 2, 9], "E")
    assert (older.block_table[0], older.num_cached_tokens) == (0, 2)
    manager.check([a, older])


def test_difference_6_removal_from_the_middle_keeps_the_order() -> None:
    """Reviving a block keeps the order of the others."""
    manager = BlockManager(6, 2)
    a, c = admit(manager, [1, 2, 3, 4, 5], "A"), admit(manager, [7], "C")
    manager.deallocate(a)
    manager.deallocate(c)
    assert list(manager.free_block_ids) == [4, 5, 2, 1, 0, 3]
    b = admit(manager, [1, 2, 9], "B")
    assert (b.block_table, list(manager.free_block_ids)) == ([0, 4], [5, 2, 1, 3])


def test_difference_6_the_cost_does_not_grow_with_the_pool() -> None:
    """Take the head after its predecessors are gone, revive from the far end: a scan would cost 25 to 65 times more."""

    def seconds(num_blocks: int) -> float:
        manager = BlockManager(num_blocks, 1)
        admit(manager, range(10, 10 + num_blocks * 95 // 100), "most of the pool, from the head")
        seq = admit(manager, [1, 2], "A")

        def revive() -> None:
            manager.deallocate(seq)
            manager.allocate(seq)

        return min(repeat(revive, number=50, repeat=7))

    assert seconds(1 << 17) < 10 * seconds(1 << 7)


def test_difference_7_num_cached_tokens_stays_what_allocate_found() -> None:
    """Computed tokens do not increase it; it is 0 after deallocate and counted again at the next allocate."""
    manager = BlockManager(9, 2)
    admit(manager, [1, 2, 3], "A")
    b = admit(manager, [1, 2, 4], "B")
    for token_id in (5, 6, 7):
        b.append_token(token_id)
        manager.may_append(b)
        manager.hash_blocks(b)
        assert b.num_cached_tokens == 2
    manager.deallocate(b)
    assert b.num_cached_tokens == 0
    manager.allocate(b)
    assert b.num_cached_tokens == 4
