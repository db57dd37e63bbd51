"""The real managers, reporting what they do. They add no behaviour: every method calls the engine's, then emits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.engine.vllm_manager import FIRST_ID, VLLMBlockManager
from lab.trace.events import (
    AllocateChecked,
    AppendChecked,
    BlockFreed,
    BlockHashed,
    BlockShared,
    BlockTaken,
    Event,
    HashForgotten,
    PageHasRoom,
    ReferenceDropped,
)


class RecordingBlockManager(BlockManager):
    """A BlockManager that calls `emit` with an event after each of its changes and answers."""

    def __init__(
        self, num_blocks: int, block_size: int, free_block_ids: Iterable[int] | None, emit: Callable[[Event], None]
    ) -> None:
        super().__init__(num_blocks, block_size, free_block_ids)
        self._emit = emit
        self._taking_for = "allocate"

    def can_allocate(self, seq: Sequence) -> bool:
        answer = super().can_allocate(seq)
        free = len(self.free_block_ids)
        self._emit(AllocateChecked(seq.seq_id, seq.num_blocks, self.blocks_to_take(seq), free, answer))
        return answer

    def can_append(self, seq: Sequence) -> bool:
        answer = super().can_append(seq)
        self._emit(AppendChecked(seq.seq_id, self.blocks_to_append(seq), len(self.free_block_ids), answer))
        return answer

    def may_append(self, seq: Sequence) -> int | None:
        self._taking_for = "may_append"
        try:
            block_id = super().may_append(seq)
        finally:
            self._taking_for = "allocate"
        if block_id is None:
            page = len(seq.block_table) - 1
            self._emit(PageHasRoom(seq.seq_id, page, seq.block_table[page]))
        return block_id

    def _take_block(self, seq: Sequence) -> int:
        counts = [block.ref_count for block in self.blocks]
        block_id = super()._take_block(seq)
        after = self.blocks[block_id].ref_count
        page = len(seq.block_table) - 1
        self._emit(BlockTaken(seq.seq_id, page, block_id, counts[block_id], after, self._taking_for))
        return block_id

    def _share_block(self, seq: Sequence, block_id: int) -> None:
        was_free = block_id in self.free_block_ids
        before = self.blocks[block_id].ref_count
        super()._share_block(seq, block_id)
        after = self.blocks[block_id].ref_count
        self._emit(BlockShared(seq.seq_id, len(seq.block_table) - 1, block_id, before, after, was_free))

    def _drop_reference(self, seq: Sequence) -> int:
        before = self.blocks[seq.block_table[-1]].ref_count
        block_id = super()._drop_reference(seq)
        after = self.blocks[block_id].ref_count
        self._emit(ReferenceDropped(seq.seq_id, len(seq.block_table), block_id, before, after))
        return block_id

    def _free_block(self, block_id: int) -> None:
        super()._free_block(block_id)
        self._emit(BlockFreed(block_id, len(self.free_block_ids)))

    def _remember(self, block_id: int, block_hash: int, token_ids: list[int]) -> None:
        super()._remember(block_id, block_hash, token_ids)
        self._emit(BlockHashed(block_id, block_hash, tuple(token_ids)))

    def _forget(self, block_id: int) -> None:
        super()._forget(block_id)
        self._emit(HashForgotten(block_id))


class RecordingVLLMBlockManager(RecordingBlockManager, VLLMBlockManager):
    """The same for vLLM's manager. `num_blocks` counts the null block, so that both pools have the same size."""

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        free_block_ids: Iterable[int] | None,
        emit: Callable[[Event], None],
        prefix_caching: bool = True,
    ) -> None:
        VLLMBlockManager.__init__(self, num_blocks - FIRST_ID, block_size, prefix_caching, free_block_ids)
        self._emit = emit
        self._taking_for = "allocate"

    def _free_block_first(self, block_id: int) -> None:
        super()._free_block_first(block_id)
        self._emit(BlockFreed(block_id, len(self.free_block_ids), first=True))
