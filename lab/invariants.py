"""What must hold between two operations, stated once. Used by BlockManager.check and by the lab's lights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from lab.errors import InvariantError


class _Block(Protocol):
    @property
    def block_id(self) -> int: ...
    @property
    def ref_count(self) -> int: ...


class _Pool(Protocol):
    """What the manager and a snapshot of it have in common."""

    @property
    def blocks(self) -> Sequence[_Block]: ...
    @property
    def free_block_ids(self) -> Iterable[int]: ...
    @property
    def used_block_ids(self) -> Iterable[int]: ...


class _Table(Protocol):
    @property
    def seq_id(self) -> str: ...
    @property
    def block_table(self) -> Sequence[int]: ...
    @property
    def num_blocks(self) -> int: ...


def broken_invariants(pool: _Pool, tables: Iterable[_Table]) -> dict[str, str]:
    """Name -> what disagreed, for each broken invariant; empty when all hold. Pure.

    `free_used`: free and used are disjoint and together are all blocks. `ref_count`: each block's ref_count is the
    number of tables that hold it. `table_length`: each table has a block for every page. `used_ref`: used blocks
    are those with ref_count > 0.
    """
    tables = list(tables)
    free, used = list(pool.free_block_ids), set(pool.used_block_ids)
    held = Counter(block_id for table in tables for block_id in table.block_table)
    broken: dict[str, str] = {}
    if sorted([*free, *used]) != list(range(len(pool.blocks))):
        broken["free_used"] = f"free {free}, used {sorted(used)}, blocks {len(pool.blocks)}"
    if wrong := [b for b in pool.blocks if b.ref_count != held[b.block_id]]:
        broken["ref_count"] = ", ".join(
            f"ref_count[{b.block_id}] = {b.ref_count}, held by {held[b.block_id]}" for b in wrong
        )
    if short := [t for t in tables if len(t.block_table) != t.num_blocks]:
        broken["table_length"] = ", ".join(f"{t.seq_id}: {len(t.block_table)} of {t.num_blocks} pages" for t in short)
    counted = {b.block_id for b in pool.blocks if b.ref_count > 0}
    if counted != used:
        broken["used_ref"] = f"used {sorted(used)}, ref_count > 0 {sorted(counted)}"
    return broken


def check_invariants(pool: _Pool, tables: Iterable[_Table]) -> None:
    """Raise InvariantError for the first broken invariant. Pure."""
    for name, detail in broken_invariants(pool, tables).items():
        raise InvariantError(name=name, detail=detail)
