"""What must hold between two operations, stated once. Used by BlockManager.check and by the lab's lights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lab.engine.errors import InvariantError


class _BlockLike(Protocol):
    @property
    def block_id(self) -> int: ...
    @property
    def ref_count(self) -> int: ...


class _PoolLike(Protocol):
    """What the manager and a snapshot of it have in common."""

    @property
    def blocks(self) -> Sequence[_BlockLike]: ...
    @property
    def free_block_ids(self) -> Iterable[int]: ...
    @property
    def used_block_ids(self) -> Iterable[int]: ...


class _TableLike(Protocol):
    @property
    def seq_id(self) -> str: ...
    @property
    def block_table(self) -> Sequence[int]: ...
    @property
    def num_blocks(self) -> int: ...


@dataclass(frozen=True)
class Finding:
    """What disagrees, about one block, one table or the pool. `numbers`: the values to show, by name."""

    invariant: str
    numbers: tuple[tuple[str, int | str | tuple[int, ...]], ...]

    def __str__(self) -> str:
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in self.numbers}
        return _MESSAGES[self.invariant].format(**values)


_MESSAGES = {
    "free_used": "free {free}, used {used}, blocks {blocks}",
    "ref_count": "ref_count[{block}] = {ref_count}, held by {held}",
    "table_length": "{seq_id}: {entries} of {pages} pages",
    "used_ref": "used {used}, ref_count > 0 {counted}",
    "kv": "{seq_id}",  # found by lab.misconceptions, on the tensor
}


def find_broken_invariants(pool: _PoolLike, tables: Iterable[_TableLike], first_id: int = 0) -> dict[str, str]:
    """Name -> what disagrees, as text, for each broken invariant; empty when all hold. Pure. See collect_findings."""
    return {name: ", ".join(map(str, found)) for name, found in collect_findings(pool, tables, first_id).items()}


def collect_findings(
    pool: _PoolLike, tables: Iterable[_TableLike], first_id: int = 0
) -> dict[str, tuple[Finding, ...]]:
    """Name -> what disagrees, for each broken invariant; empty when all hold. Pure.

    `first_id`: the first block that can be handed out; vLLM keeps block 0 back.

    `free_used`: free and used are disjoint and together are all blocks. `ref_count`: each block's ref_count is the
    number of tables that hold it. `table_length`: each table has a block for every page. `used_ref`: used blocks
    are those with ref_count > 0.
    """
    tables = list(tables)
    free, used = list(pool.free_block_ids), set(pool.used_block_ids)
    held = Counter(block_id for table in tables for block_id in table.block_table)
    found: list[Finding] = []

    def note(invariant: str, **numbers: int | str | tuple[int, ...]) -> None:
        found.append(Finding(invariant, tuple(numbers.items())))

    if sorted([*free, *used]) != list(range(first_id, len(pool.blocks))):
        note("free_used", free=tuple(free), used=tuple(sorted(used)), blocks=len(pool.blocks))
    for block in pool.blocks:
        if block.ref_count != held[block.block_id]:
            note("ref_count", block=block.block_id, ref_count=block.ref_count, held=held[block.block_id])
    for table in tables:
        if len(table.block_table) != table.num_blocks:
            note("table_length", seq_id=table.seq_id, entries=len(table.block_table), pages=table.num_blocks)
    counted = {b.block_id for b in pool.blocks if b.ref_count > 0}
    if counted != used:
        note("used_ref", used=tuple(sorted(used)), counted=tuple(sorted(counted)))
    names = dict.fromkeys(each.invariant for each in found)
    return {name: tuple(each for each in found if each.invariant == name) for name in names}


def check_invariants(pool: _PoolLike, tables: Iterable[_TableLike], first_id: int = 0) -> None:
    """Raise InvariantError for the first broken invariant. Pure."""
    for name, detail in find_broken_invariants(pool, tables, first_id).items():
        raise InvariantError(name=name, detail=detail)
