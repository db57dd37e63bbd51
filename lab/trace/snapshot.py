"""Frozen views of the whole state at one moment, and the difference of two. Every picture is drawn from these."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from lab.engine.block_manager import BlockManager
from lab.engine.invariants import Finding, collect_findings
from lab.engine.sequence import Sequence
from lab.engine.vllm_manager import FIRST_ID, VLLMBlockManager


@dataclass(frozen=True)
class BlockView:
    """One physical block. `slots[i]`: the (token id, position) whose KV is in its slot i, or None if never written."""

    block_id: int
    ref_count: int
    hash: int
    token_ids: tuple[int, ...]
    slots: tuple[tuple[int, int] | None, ...]

    @property
    def findable(self) -> bool:
        """Can a later request find this block by its content?"""
        return self.hash != -1

    @property
    def written(self) -> bool:
        """Has any slot of this block ever been written? (Release erases nothing.)"""
        return any(slot is not None for slot in self.slots)


@dataclass(frozen=True)
class SequenceView:
    """One live request. `slots[pos]` is the slot of token pos; tokens without a page have none.

    `waiting`: the last token has been appended, and its KV is not written yet. `hashes[i]`: the chained hash of full
    page i, which the engine uses to look the page up; it depends on the tokens alone.
    """

    seq_id: str
    token_ids: tuple[int, ...]
    block_table: tuple[int, ...]
    num_cached_tokens: int
    block_size: int
    num_blocks: int
    last_block_num_tokens: int
    slots: tuple[int, ...]
    waiting: bool = False
    hashes: tuple[int, ...] = field(default=(), compare=False)

    @property
    def num_tokens(self) -> int:
        """Tokens, the one just appended included."""
        return len(self.token_ids)

    @property
    def num_slots(self) -> int:
        """Slots in the blocks that this request holds."""
        return len(self.block_table) * self.block_size

    @property
    def used_slots(self) -> int:
        """Slots that hold this request's tokens."""
        return len(self.slots)

    @property
    def empty_slots(self) -> int:
        """Slots in its own blocks that hold none of its tokens: internal fragmentation, in tokens."""
        return self.num_slots - self.used_slots

    def page(self, i: int) -> tuple[int, ...]:
        """Token ids of logical page i."""
        return self.token_ids[i * self.block_size : (i + 1) * self.block_size]


@dataclass(frozen=True)
class Snapshot:
    """The whole state: pool, queue (head first), requests in order of arrival."""

    block_size: int
    blocks: tuple[BlockView, ...]
    free_block_ids: tuple[int, ...]
    used_block_ids: frozenset[int]
    sequences: tuple[SequenceView, ...]
    first_id: int = 0  # the first block that can be handed out; below it vLLM's null block

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool."""
        return len(self.blocks)

    def sequence(self, seq_id: str) -> SequenceView | None:
        """The live request of that name, if any."""
        return next((s for s in self.sequences if s.seq_id == seq_id), None)

    def owners(self, block_id: int) -> tuple[tuple[str, int], ...]:
        """(request, logical page) of every table entry that names this block."""
        return tuple(
            (s.seq_id, page) for s in self.sequences for page, held in enumerate(s.block_table) if held == block_id
        )

    @property
    def waiting(self) -> tuple[str, ...]:
        """Requests whose last token waits for its KV."""
        return tuple(s.seq_id for s in self.sequences if s.waiting)

    def findings(self) -> dict[str, tuple[Finding, ...]]:
        """Broken invariant -> what disagrees. Empty between operations, but for a request that waits for a block."""
        return collect_findings(self, self.sequences, self.first_id)

    @property
    def tables_in_progress(self) -> bool:
        """Does every table that is too short belong to a request whose last token waits for its page?"""
        return all(s.waiting for s in self.sequences if len(s.block_table) != s.num_blocks)


def take_snapshot(
    manager: BlockManager,
    slot_contents: list[tuple[int, int] | None],
    sequences: Iterable[Sequence],
    previous: Snapshot | None = None,
    waiting: Container[str] = (),
) -> Snapshot:
    """Read the engine's state. Pure. Views equal to those of `previous` are shared with it, to keep a log small.

    `waiting`: the requests whose last token has no KV yet.
    """
    size = manager.block_size
    blocks = tuple(
        BlockView(
            block.block_id,
            block.ref_count,
            block.hash,
            tuple(block.token_ids),
            tuple(slot_contents[block.block_id * size : (block.block_id + 1) * size]),
        )
        for block in manager.blocks
    )
    views = tuple(
        SequenceView(
            seq.seq_id,
            tuple(seq.token_ids),
            tuple(seq.block_table),
            seq.num_cached_tokens,
            seq.block_size,
            seq.num_blocks,
            seq.last_block_num_tokens,
            tuple(seq.slots()),
            seq.seq_id in waiting,
            tuple(seq.block_hashes()),
        )
        for seq in sequences
    )
    free, used = tuple(manager.free_block_ids), frozenset(manager.used_block_ids)
    if previous is not None:
        blocks = tuple(old if old == new else new for old, new in zip(previous.blocks, blocks, strict=True))
        earlier = {view.seq_id: view for view in previous.sequences}
        views = tuple(earlier[view.seq_id] if earlier.get(view.seq_id) == view else view for view in views)
        free = previous.free_block_ids if previous.free_block_ids == free else free
        used = previous.used_block_ids if previous.used_block_ids == used else used
    first_id = FIRST_ID if isinstance(manager, VLLMBlockManager) else 0
    return Snapshot(size, blocks, free, used, views, first_id)


@dataclass(frozen=True)
class Difference:
    """What differs between two snapshots of one pool.

    `ref_counts`: block -> (before, after). `slots`: slots whose content changed. `pages`: (request, page) entries that
    are new or point elsewhere. `tokens`: (request, position) that are new. `taken`/`returned`: block ids that left or
    joined the free queue. `ended`: requests that are gone.
    """

    ref_counts: dict[int, tuple[int, int]]
    slots: frozenset[int]
    pages: frozenset[tuple[str, int]]
    tokens: frozenset[tuple[str, int]]
    taken: tuple[int, ...]
    returned: tuple[int, ...]
    ended: tuple[str, ...]

    @property
    def blocks(self) -> frozenset[int]:
        """Blocks whose ref_count or state (used, free) changed."""
        return frozenset(self.ref_counts) | frozenset(self.taken) | frozenset(self.returned)


def compare_snapshots(before: Snapshot, after: Snapshot) -> Difference:
    """Compare two snapshots of one pool. Pure."""
    ref_counts: dict[int, tuple[int, int]] = {}
    slots: set[int] = set()
    for old, new in zip(before.blocks, after.blocks, strict=True):
        if old.ref_count != new.ref_count:
            ref_counts[new.block_id] = (old.ref_count, new.ref_count)
        if old.slots != new.slots:
            first = new.block_id * after.block_size
            slots.update(first + i for i, (x, y) in enumerate(zip(old.slots, new.slots, strict=True)) if x != y)
    pages: set[tuple[str, int]] = set()
    tokens: set[tuple[str, int]] = set()
    for view in after.sequences:
        was = before.sequence(view.seq_id)
        table, length = (was.block_table, was.num_tokens) if was else ((), 0)
        pages.update((view.seq_id, i) for i, b in enumerate(view.block_table) if table[i : i + 1] != (b,))
        tokens.update((view.seq_id, pos) for pos in range(length, view.num_tokens))
    return Difference(
        ref_counts=ref_counts,
        slots=frozenset(slots),
        pages=frozenset(pages),
        tokens=frozenset(tokens),
        taken=tuple(b for b in before.free_block_ids if b not in set(after.free_block_ids)),
        returned=tuple(b for b in after.free_block_ids if b not in set(before.free_block_ids)),
        ended=tuple(s.seq_id for s in before.sequences if after.sequence(s.seq_id) is None),
    )
