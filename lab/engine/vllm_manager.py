"""VLLMBlockManager: the block pool of vLLM's v1 engine, with BlockManager's methods. Read the two side by side.

Follows vLLM 0.33.0 (commit 4ba787ec9: vllm/v1/core/block_pool.py and single_type_kv_cache_manager.py) for one group of
layers with full attention. It leaves out several KV groups, sliding windows, offloading, and several new tokens at
once. The differences from nano-vLLM:

1. Block 0 is a null block that nobody gets, so ids begin at 1.
2. Released blocks that nobody can find go to the FRONT of the queue, to be used at once; those that hold a findable
   page go to the end, where they wait longest (since vLLM's pull request 42656, May 2026; before, all went to the end).
3. A full block is findable at once, from allocate and may_append on, before its KV is written.
4. Of several blocks with the same page the first one is found, not the newest.
5. Prefix caching can be turned off: then no block has a hash.
"""

from __future__ import annotations

from collections.abc import Iterable

from lab.engine.block_manager import BlockManager
from lab.engine.errors import NotAllocatedError
from lab.engine.invariants import check_invariants
from lab.engine.sequence import Sequence

VERSION = "0.33.0"
FIRST_ID = 1


class VLLMBlockManager(BlockManager):
    """Hands out `num_blocks` blocks, ids 1..num_blocks; `blocks[0]` is the null block. Refusals as in BlockManager."""

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        prefix_caching: bool = True,
        free_block_ids: Iterable[int] | None = None,
    ) -> None:
        order = range(FIRST_ID, num_blocks + FIRST_ID) if free_block_ids is None else free_block_ids
        super().__init__(num_blocks + FIRST_ID, block_size, (0, *order))
        self.prefix_caching = prefix_caching
        del self.free_block_ids[0]

    def allocate(self, seq: Sequence) -> None:
        """Do what BlockManager's method does; full blocks are findable afterwards."""
        super().allocate(seq)
        self.hash_blocks(seq)

    def hash_blocks(self, seq: Sequence) -> None:
        """Make every full block findable, if caching is on. Nothing is left to do after allocate or may_append."""
        if self.prefix_caching:
            super().hash_blocks(seq)

    def may_append(self, seq: Sequence) -> int | None:
        """Do what BlockManager's method does; a block that the token has filled is findable afterwards."""
        block_id = super().may_append(seq)
        self.hash_blocks(seq)
        return block_id

    def deallocate(self, seq: Sequence) -> None:
        """Drop seq's references, last block first. A block that no table holds any more goes to the front of the queue
        if it has no hash, else to the tail; each group keeps the order in which it was dropped.

        Mutates the pool, seq.block_table and seq.num_cached_tokens. Raises NotAllocatedError.
        """
        if not seq.block_table:
            raise NotAllocatedError(seq_id=seq.seq_id)
        freed: list[int] = []
        while seq.block_table:
            block_id = self._drop_reference(seq)
            if self.blocks[block_id].ref_count == 0:
                freed.append(block_id)
        for block_id in reversed(freed):
            if self.blocks[block_id].hash == -1:
                self._free_block_first(block_id)
        for block_id in freed:
            if self.blocks[block_id].hash != -1:
                self._free_block(block_id)
        seq.num_cached_tokens = 0

    def check(self, sequences: Iterable[Sequence]) -> None:
        """Raise InvariantError with numbers if the state contradicts itself. The null block belongs to nobody."""
        check_invariants(self, sequences, first_id=FIRST_ID)

    def _holder(self, block_hash: int, token_ids: list[int]) -> int | None:
        """The first block that holds this page, if one does."""
        for block_id in self.hash_to_block_ids.get(block_hash, ()):
            if self.blocks[block_id].token_ids == token_ids:
                return block_id
        return None

    def _free_block_first(self, block_id: int) -> None:
        self.used_block_ids.remove(block_id)
        self.free_block_ids[block_id] = None
        self.free_block_ids.move_to_end(block_id, last=False)
