"""The engine under a wrong idea: subclasses of Sequence and BlockManager that define exactly one thing each.

Every one is on purpose as wrong as its idea; none checks what the idea does not think of. Ids stay inside the pool.
"""

from __future__ import annotations

from lab.block_manager import Block, BlockManager
from lab.errors import SlotOutOfRangeError
from lab.sequence import Sequence

# --- counting pages -------------------------------------------------------------------------------------------------


class FloorForCeil(Sequence):
    """Pages are rounded down."""

    @property
    def num_blocks(self) -> int:
        """Tokens through block_size, the rest forgotten."""
        return self.num_tokens // self.block_size


class WholePageEmpty(Sequence):
    """After an exact multiple one more page stands ready, with block_size empty slots."""

    @property
    def num_blocks(self) -> int:
        """One page more than there are full ones, always."""
        return self.num_tokens // self.block_size + 1


# --- which block ----------------------------------------------------------------------------------------------------


class IdsConsecutive(BlockManager):
    """After the first block of a request come its neighbours, whoever has them."""

    def _take_block(self, seq: Sequence) -> int:
        return _take(self, seq, seq.block_table[-1] + 1 if seq.block_table else next(iter(self.free_block_ids)))


class IdIsIndex(BlockManager):
    """Logical page i lies in physical block i, whoever has it."""

    def _take_block(self, seq: Sequence) -> int:
        return _take(self, seq, len(seq.block_table))


def _take(manager: BlockManager, seq: Sequence, block_id: int) -> int:
    """The engine's _take_block, for a block of the idea's choosing. Raises SlotOutOfRangeError outside the pool."""
    size, blocks = manager.block_size, manager.blocks
    if block_id >= len(blocks):
        raise SlotOutOfRangeError(slot=block_id * size, num_slots=len(blocks) * size)
    if blocks[block_id].hash != -1:
        manager._forget(block_id)
    manager._add_reference(seq, block_id)
    return block_id


class ReleaseErases(BlockManager):
    """Release is thought to have erased the block: nothing is forgotten when it is taken again."""

    def _take_block(self, seq: Sequence) -> int:
        block_id = next(iter(self.free_block_ids))
        self._add_reference(seq, block_id)
        return block_id


# --- one more token -------------------------------------------------------------------------------------------------


class FullPageReused(BlockManager):
    """At a boundary the full block becomes the next page too; nothing is taken."""

    def may_append(self, seq: Sequence) -> int | None:
        """Name the last block once more."""
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
    """Pages are counted as if the last token were not there yet."""

    def blocks_to_append(self, seq: Sequence) -> int:
        """The engine's answer for one token less; it refuses what the engine refuses."""
        needed = super().blocks_to_append(seq)
        return needed if seq.num_tokens - 1 > len(seq.block_table) * self.block_size else 0


class ActWithoutBlock(BlockManager):
    """The actions never look whether there are enough free blocks."""

    def _require_free(self, needed: int) -> None:
        pass


# --- sharing --------------------------------------------------------------------------------------------------------


class ReleasedAtFirst(BlockManager):
    """Whoever lets go of a block first releases it for all."""

    def _drop_reference(self, seq: Sequence) -> int:
        block_id = seq.block_table.pop()
        self.blocks[block_id].ref_count = 0
        return block_id


class PartialShared(BlockManager):
    """The last, partial page is looked up too: a block that begins with its tokens is shared."""

    def _cached_blocks(self, seq: Sequence) -> list[int]:
        found = super()._cached_blocks(seq)
        rest = seq.block(len(found))
        if len(found) == seq.num_blocks - 1 and len(rest) < self.block_size:
            found += [block.block_id for block in self.blocks if _begins_with(block, seq, rest)][:1]
        return found


def _begins_with(block: Block, seq: Sequence, rest: list[int]) -> bool:
    """Do these tokens begin the block, and does its hash say that it follows the same pages as in seq?"""
    if block.hash == -1 or block.token_ids[: len(rest)] != rest:
        return False
    before = seq.token_ids[: len(seq) - len(rest)]
    full = Sequence(seq.seq_id, [*before, *block.token_ids], seq.block_size)
    return full.block_hash(full.num_blocks - 1) == block.hash


class IdenticalComputesNothing(BlockManager):
    """The page of the last token is looked up too, where it is full."""

    def _cached_blocks(self, seq: Sequence) -> list[int]:
        return super()._cached_blocks(_one_longer(seq))


def _one_longer(seq: Sequence) -> Sequence:
    """The same tokens and one more, so that a full last page is not the last."""
    return Sequence(seq.seq_id, [*seq.token_ids, 0], seq.block_size)
