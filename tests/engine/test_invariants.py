"""Each invariant, broken by hand, is named with its numbers; manager and snapshots use the same check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from lab.engine.block_manager import BlockManager
from lab.engine.errors import InvariantError
from lab.engine.invariants import check_invariants, find_broken_invariants
from lab.engine.sequence import Sequence
from lab.trace.snapshot import take_snapshot


@dataclass
class Engine:
    """Pool of 6 blocks of 2 slots. A holds 0 1 2 (the last with one token), B shares 0 1 and holds 3; 4 5 are free."""

    manager: BlockManager
    a: Sequence
    b: Sequence


@pytest.fixture
def engine() -> Engine:
    """A healthy state with a shared prefix."""
    manager = BlockManager(6, 2)
    a, b = Sequence("A", [1, 2, 3, 4, 5], 2), Sequence("B", [1, 2, 3, 4, 6], 2)
    for seq in (a, b):
        manager.allocate(seq)
        manager.hash_blocks(seq)
    return Engine(manager, a, b)


def test_a_healthy_state_passes(engine: Engine) -> None:
    """A healthy state has no findings, also after a release and in an empty pool."""
    engine.manager.check([engine.a, engine.b])
    assert find_broken_invariants(engine.manager, [engine.a, engine.b]) == {}
    engine.manager.deallocate(engine.a)
    engine.manager.check([engine.b])
    engine.manager.deallocate(engine.b)
    engine.manager.check([])


def free_and_used(engine: Engine) -> None:
    engine.manager.free_block_ids[3] = None


def neither_free_nor_used(engine: Engine) -> None:
    del engine.manager.free_block_ids[4]


def count_too_high(engine: Engine) -> None:
    engine.manager.blocks[0].ref_count += 1


def count_too_low(engine: Engine) -> None:
    engine.manager.blocks[0].ref_count -= 1


def token_without_page(engine: Engine) -> None:
    engine.b.token_ids.extend([7, 8])


def page_without_token(engine: Engine) -> None:
    engine.a.token_ids.pop()


def held_but_free(engine: Engine) -> None:
    engine.manager.used_block_ids.remove(2)
    engine.manager.free_block_ids[2] = None


def used_but_not_held(engine: Engine) -> None:
    del engine.manager.free_block_ids[5]
    engine.manager.used_block_ids.add(5)


@pytest.mark.parametrize(
    ("damage", "name", "detail"),
    [
        (free_and_used, "free_used", "free [4, 5, 3], used [0, 1, 2, 3], blocks 6"),
        (neither_free_nor_used, "free_used", "free [5], used [0, 1, 2, 3], blocks 6"),
        (count_too_high, "ref_count", "ref_count[0] = 3, held by 2"),
        (count_too_low, "ref_count", "ref_count[0] = 1, held by 2"),
        (token_without_page, "table_length", "B: 3 of 4 pages"),
        (page_without_token, "table_length", "A: 3 of 2 pages"),
        (held_but_free, "used_ref", "used [0, 1, 3], ref_count > 0 [0, 1, 2, 3]"),
        (used_but_not_held, "used_ref", "used [0, 1, 2, 3, 5], ref_count > 0 [0, 1, 2, 3]"),
    ],
)
def test_a_broken_invariant_is_named_with_its_numbers(
    engine: Engine, damage: Callable[[Engine], None], name: str, detail: str
) -> None:
    """Exactly the broken invariant is reported, by check and on a snapshot."""
    damage(engine)
    with pytest.raises(InvariantError) as caught:
        engine.manager.check([engine.a, engine.b])
    assert caught.value.numbers == {"name": name, "detail": detail}
    assert str(caught.value) == f"invariant {name} broken: {detail}"
    assert find_broken_invariants(engine.manager, [engine.a, engine.b]) == {name: detail}
    snapshot = take_snapshot(engine.manager, [None] * 12, [engine.a, engine.b])
    assert find_broken_invariants(snapshot, snapshot.sequences) == {name: detail}


def test_a_forgotten_request_shows_as_a_wrong_count(engine: Engine) -> None:
    """Every block that only the forgotten request holds is listed."""
    with pytest.raises(InvariantError) as caught:
        engine.manager.check([engine.b])
    expected = "ref_count[0] = 2, held by 1, ref_count[1] = 2, held by 1, ref_count[2] = 1, held by 0"
    assert caught.value.numbers == {"name": "ref_count", "detail": expected}


def test_a_swapped_table_entry_is_caught(engine: Engine) -> None:
    """The counts are compared for each block, not as a sum."""
    engine.b.block_table[2] = 2
    broken = find_broken_invariants(engine.manager, [engine.a, engine.b])
    assert broken == {"ref_count": "ref_count[2] = 1, held by 2, ref_count[3] = 1, held by 0"}


def test_a_damaged_snapshot_is_checked_by_itself(engine: Engine) -> None:
    """A snapshot is checked without the manager that it came from."""
    snapshot = take_snapshot(engine.manager, [None] * 12, [engine.a, engine.b])
    check_invariants(snapshot, snapshot.sequences)
    damaged = replace(snapshot, free_block_ids=(4, 4))
    with pytest.raises(InvariantError, match=r"free_used broken: free \[4, 4\]"):
        check_invariants(damaged, damaged.sequences)
    assert snapshot.findings() == {}
