"""The engine under a wrong idea: subclasses of Sequence and BlockManager that replace one thing each.

Each subclass is as wrong as its idea, on purpose, and checks nothing that the idea ignores. Ids stay inside the pool.
"""

from __future__ import annotations

from lab.activities.ideas import NeighbourTakenError, NoNeighboursError
from lab.engine.block_manager import BlockManager
from lab.engine.errors import SlotOutOfRangeError
from lab.engine.sequence import Sequence

# --- counting pages -------------------------------------------------------------------------------------------------


class FloorForCeil(Sequence):
    """Rounds the number of pages down."""

    @property
    def num_blocks(self) -> int:
        """Tokens divided by block_size, the remainder ignored."""
        return self.num_tokens // self.block_size


class WholePageEmpty(Sequence):
    """After an exact multiple one more page is ready, with block_size empty slots."""

    @property
    def num_blocks(self) -> int:
        """Always one page more than there are full pages."""
        return self.num_tokens // self.block_size + 1


# --- which block ----------------------------------------------------------------------------------------------------


class IdsConsecutive(BlockManager):
    """A request's blocks are adjacent. If no such blocks are free it waits, however many others are free."""

    def can_allocate(self, seq: Sequence) -> bool:
        """As in the engine, and also: is a row of adjacent blocks free?"""
        return super().can_allocate(seq) and _find_row(self, seq) is not None

    def allocate(self, seq: Sequence) -> None:
        """As in the engine. Raises NoNeighboursError as well."""
        if not seq.block_table and super().can_allocate(seq) and _find_row(self, seq) is None:
            longest = max(_measure_row(self, start) for start in range(len(self.blocks)))
            raise NoNeighboursError(needed=seq.num_blocks, free=len(self.free_block_ids), longest=longest)
        super().allocate(seq)

    def can_append(self, seq: Sequence) -> bool:
        """As in the engine, and also: is the block next to the last one free?"""
        return super().can_append(seq) and (
            not self.blocks_to_append(seq) or _measure_row(self, seq.block_table[-1] + 1) > 0
        )

    def may_append(self, seq: Sequence) -> int | None:
        """As in the engine. Raises NeighbourTakenError as well."""
        if self.blocks_to_append(seq) and self.free_block_ids and not _measure_row(self, seq.block_table[-1] + 1):
            raise NeighbourTakenError(block=seq.block_table[-1] + 1, free=len(self.free_block_ids))
        return super().may_append(seq)

    def _take_block(self, seq: Sequence) -> int:
        first = seq.block_table[-1] + 1 if seq.block_table else _find_row(self, seq)
        if first is not None:
            self.free_block_ids.move_to_end(first, last=False)
        return super()._take_block(seq)


def _find_row(manager: BlockManager, seq: Sequence) -> int | None:
    """The start of a free row for the request's pages: after its cached blocks, else nearest to the queue's head."""
    cached = manager._cached_blocks(seq)
    starts = [cached[-1] + 1] if cached else manager.free_block_ids
    return next((start for start in starts if _measure_row(manager, start) >= seq.num_blocks - len(cached)), None)


def _measure_row(manager: BlockManager, start: int) -> int:
    """How many adjacent blocks are free from this one on."""
    end = next(block for block in range(start, len(manager.blocks) + 1) if block not in manager.free_block_ids)
    return end - start


class IdIsIndex(BlockManager):
    """Logical page i is in physical block i, whoever holds that block."""

    def _take_block(self, seq: Sequence) -> int:
        _put_first(self, len(seq.block_table))
        return super()._take_block(seq)


def _put_first(manager: BlockManager, block_id: int) -> None:
    """Make this block the head of the free queue, free or not. Raises SlotOutOfRangeError outside the pool."""
    size, blocks = manager.block_size, manager.blocks
    if block_id >= len(blocks):
        raise SlotOutOfRangeError(slot=block_id * size, num_slots=len(blocks) * size)
    manager.free_block_ids[block_id] = None
    manager.free_block_ids.move_to_end(block_id, last=False)


class ReleaseErases(BlockManager):
    """A released block loses its content and can no longer be found."""

    def _free_block(self, block_id: int) -> None:
        super()._free_block(block_id)
        if self.blocks[block_id].hash != -1:
            self._forget(block_id)


class UnchainedHash(Sequence):
    """A page's hash is made of its own tokens only, whatever comes before them."""

    def block_hashes(self) -> list[int]:
        """As if each page were the first."""
        pages = (self.block(i) for i in range(len(self) // self.block_size))
        return [Sequence(self.seq_id, page, self.block_size).block_hashes()[0] for page in pages]


class StaleHash(BlockManager):
    """A block's hash is not forgotten when the block is taken again: its old content can still be found."""

    def _forget(self, block_id: int) -> None:
        pass

    def _remember(self, block_id: int, block_hash: int, token_ids: list[int]) -> None:
        if self.blocks[block_id].hash == -1:
            super()._remember(block_id, block_hash, token_ids)


# --- one more token -------------------------------------------------------------------------------------------------


class FullPageReused(BlockManager):
    """At a boundary the full block also becomes the next page; nothing is taken."""

    def may_append(self, seq: Sequence) -> int | None:
        """Add the last block to the table once more."""
        if self.blocks_to_append(seq):
            self._add_reference(seq, seq.block_table[-1])
        return None


class CheckAllocates(BlockManager):
    """can_append takes the block itself."""

    def can_append(self, seq: Sequence) -> bool:
        """Not pure: mutates the pool and seq.block_table."""
        answer = super().can_append(seq)
        if answer and self.blocks_to_append(seq):
            self._take_block(seq)
        return answer


class CheckBeforeAppend(BlockManager):
    """Counts pages as if the last token were not there yet."""

    def blocks_to_append(self, seq: Sequence) -> int:
        """The engine's answer for one token less; refuses what the engine refuses."""
        needed = super().blocks_to_append(seq)
        return needed if seq.num_tokens - 1 > len(seq.block_table) * self.block_size else 0


class ActWithoutBlock(BlockManager):
    """allocate and may_append never check whether enough blocks are free."""

    def _require_free(self, needed: int) -> None:
        pass


# --- sharing --------------------------------------------------------------------------------------------------------


class ReleasedAtFirst(BlockManager):
    """The first request that drops its reference to a block releases it for all."""

    def _drop_reference(self, seq: Sequence) -> int:
        block_id = seq.block_table.pop()
        self.blocks[block_id].ref_count = 0
        return block_id


class PartialShared(BlockManager):
    """A page that begins with the same tokens is shared, however few they are; the rest is written into it."""

    def hash_blocks(self, seq: Sequence) -> None:
        """As in the engine; also records the tokens in each block, full or not."""
        super().hash_blocks(seq)
        _note(self, seq)

    def _cached_blocks(self, seq: Sequence) -> list[int]:
        cached = super()._cached_blocks(seq)
        return cached + _find_most_alike(self, seq, len(cached), at_least=1)

    def _share_block(self, seq: Sequence, block_id: int) -> None:
        super()._share_block(seq, block_id)
        seq.num_cached_tokens = min(
            seq.num_cached_tokens, _count_common(_get_page_tokens(self)[block_id], seq.token_ids)
        )


class IdenticalComputesNothing(BlockManager):
    """The page of the last token is looked up too, full or not, so an earlier prompt is found whole."""

    def hash_blocks(self, seq: Sequence) -> None:
        """As in the engine; also records the tokens in each block, full or not."""
        super().hash_blocks(seq)
        _note(self, seq)

    def _cached_blocks(self, seq: Sequence) -> list[int]:
        cached = super()._cached_blocks(seq)
        last = seq.num_blocks - 1
        if len(cached) < last:
            return cached
        return cached + _find_most_alike(self, seq, last, at_least=len(seq.block(last)))

    def _share_block(self, seq: Sequence, block_id: int) -> None:
        super()._share_block(seq, block_id)
        seq.num_cached_tokens = min(seq.num_cached_tokens, len(seq))


# The engine's hashes cover full pages only. For every block, these two ideas remember the tokens of the request that
# wrote it, from that request's first token on.


def _get_page_tokens(manager: BlockManager) -> dict[int, list[int]]:
    """Block -> the tokens of its request up to the end of that page. Stored on the manager."""
    notes: dict[int, list[int]] = vars(manager).setdefault("notes", {})
    return notes


def _note(manager: BlockManager, seq: Sequence) -> None:
    for page, block_id in enumerate(seq.block_table):
        _get_page_tokens(manager)[block_id] = seq.token_ids[: (page + 1) * seq.block_size]


def _find_most_alike(manager: BlockManager, seq: Sequence, page: int, at_least: int) -> list[int]:
    """The block that follows the same pages and begins with most of this page's tokens; empty below `at_least`."""
    before = page * seq.block_size
    prompt = seq.token_ids[: before + seq.block_size]
    alike = {
        i: _count_common(tokens, prompt) - before
        for i, tokens in _get_page_tokens(manager).items()
        if len(tokens) > before
    }
    best = max(alike, key=lambda i: alike[i], default=None)
    return [] if best is None or alike[best] < at_least else [best]


def _count_common(tokens: list[int], others: list[int]) -> int:
    """The length of the common prefix."""
    pairs = zip(tokens, others, strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(tokens), len(others)))
