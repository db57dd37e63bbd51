"""BlockManager: which physical block holds which logical page. This is the code that students read.

Behaves like nanovllm/engine/block_manager.py at commit bb823b3 for every legal history; README.md lists the
deliberate differences. All counts are in blocks unless said otherwise.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from lab.engine.errors import (
    AlreadyAllocatedError,
    BlockSizeMismatchError,
    InvalidFreeQueueError,
    InvalidSizeError,
    NoFreeBlocksError,
    NotAllocatedError,
)
from lab.engine.invariants import check_invariants
from lab.engine.sequence import Sequence


class Block:
    """One physical block: who counts on it, and which full page its KV holds (hash -1: none that can be found)."""

    __slots__ = ("block_id", "hash", "ref_count", "token_ids")  # a pool's blocks lie closer together

    def __init__(self, block_id: int) -> None:
        self.block_id = block_id
        self.ref_count = 0
        self.hash = -1
        self.token_ids: list[int] = []


class BlockManager:
    """Hands out the blocks of one KV pool. Every refusal is a LabError and leaves everything unchanged."""

    def __init__(self, num_blocks: int, block_size: int, free_block_ids: Iterable[int] | None = None) -> None:
        for name, value in (("num_blocks", num_blocks), ("block_size", block_size)):
            if value < 1:
                raise InvalidSizeError(name=name, value=value, minimum=1)
        order = list(range(num_blocks)) if free_block_ids is None else list(free_block_ids)
        if sorted(order) != list(range(num_blocks)):
            raise InvalidFreeQueueError(num_blocks=num_blocks, length=len(order))
        self.block_size = block_size
        self.blocks = [Block(i) for i in range(num_blocks)]
        self.free_block_ids: OrderedDict[int, None] = OrderedDict.fromkeys(order)  # a queue with O(1) removal anywhere
        self.used_block_ids: set[int] = set()
        self.hash_to_block_ids: dict[int, list[int]] = {}  # every block with that hash, newest last

    # --- a new request -----------------------------------------------------------------------------------------

    def can_allocate(self, seq: Sequence) -> bool:
        """Would allocate(seq) succeed now? Pure."""
        return self.blocks_to_take(seq) <= len(self.free_block_ids)

    def allocate(self, seq: Sequence) -> None:
        """Give seq a block for each of its pages: found prefix blocks first, then the head of the free queue.

        All or nothing; changes pool and seq. Raises AlreadyAllocatedError, BlockSizeMismatchError, NoFreeBlocksError.
        """
        if seq.block_table:
            raise AlreadyAllocatedError(seq_id=seq.seq_id, held=len(seq.block_table))
        cached = self._cached_blocks(seq)
        self._require_free(self.blocks_to_take(seq, cached))
        for block_id in cached:
            self._share_block(seq, block_id)
        for _ in range(len(cached), seq.num_blocks):
            self._take_block(seq)
        seq.num_hashed_blocks = seq.num_cached_tokens // self.block_size

    def hash_blocks(self, seq: Sequence) -> None:
        """Make every full block of seq findable, once its KV is written. Calling it again changes nothing."""
        full = len(seq.token_ids) // self.block_size
        if full > seq.num_hashed_blocks:
            hashes = seq.block_hashes()
            for i in range(seq.num_hashed_blocks, min(full, len(seq.block_table))):  # the last page may lack a block
                self._remember(seq.block_table[i], hashes[i], seq.block(i))
                seq.num_hashed_blocks += 1

    # --- one more token ----------------------------------------------------------------------------------------

    def can_append(self, seq: Sequence) -> bool:
        """Is there a block for the last token of seq, which append_token has ALREADY added? Pure."""
        return self.blocks_to_append(seq) <= len(self.free_block_ids)

    def may_append(self, seq: Sequence) -> int | None:
        """Take a block if the last token has no page yet: its id, else None. Mutates the pool and seq.block_table.

        Raises NotAllocatedError, NoFreeBlocksError.
        """
        if self.blocks_to_append(seq) == 0:
            return None
        self._require_free(1)
        return self._take_block(seq)

    # --- the end of a request ----------------------------------------------------------------------------------

    def deallocate(self, seq: Sequence) -> None:
        """Drop seq's references, last block first; a block that nobody counts on joins the tail of the free queue.

        Mutates the pool and seq; the KV and the hash of a freed block stay. Raises NotAllocatedError.
        """
        if not seq.block_table:
            raise NotAllocatedError(seq_id=seq.seq_id)
        while seq.block_table:
            block_id = self._drop_reference(seq)
            if self.blocks[block_id].ref_count == 0:
                self._free_block(block_id)
        seq.num_cached_tokens = 0

    # --- what the answers above are made of (pure) -------------------------------------------------------------

    def blocks_to_take(self, seq: Sequence, cached: list[int] | None = None) -> int:
        """Blocks that allocate(seq) would take from the free queue; a found block costs one only if it is free."""
        found = self._cached_blocks(seq) if cached is None else cached
        return seq.num_blocks - len(self.used_block_ids.intersection(found))

    def blocks_to_append(self, seq: Sequence) -> int:
        """1 if the last token of seq has no page yet, else 0. Raises NotAllocatedError."""
        if len(seq.block_table) > len(seq.token_ids) // self.block_size:  # the last page has room
            return 0
        if not seq.block_table:
            raise NotAllocatedError(seq_id=seq.seq_id)
        return 1 if seq.num_blocks > len(seq.block_table) else 0

    def check(self, sequences: Iterable[Sequence]) -> None:
        """Raise InvariantError with numbers if the state contradicts itself. `sequences`: all that hold blocks."""
        check_invariants(self, sequences)

    def _cached_blocks(self, seq: Sequence) -> list[int]:
        """Blocks that hold the first full pages of seq; never the last token's page. Raises BlockSizeMismatchError."""
        if seq.block_size != self.block_size:
            raise BlockSizeMismatchError(seq_id=seq.seq_id, sequence_size=seq.block_size, manager_size=self.block_size)
        found: list[int] = []
        for i, page_hash in enumerate(seq.block_hashes()[: seq.num_blocks - 1]):
            block_id = self._holder(page_hash, seq.block(i))
            if block_id is None:
                break
            found.append(block_id)
        return found

    def _holder(self, block_hash: int, token_ids: list[int]) -> int | None:
        """The newest block that holds this page, if one does."""
        for block_id in reversed(self.hash_to_block_ids.get(block_hash, ())):
            if self.blocks[block_id].token_ids == token_ids:
                return block_id
        return None

    def _require_free(self, needed: int) -> None:
        if needed > len(self.free_block_ids):
            raise NoFreeBlocksError(needed=needed, free=len(self.free_block_ids))

    # --- the only places where the pool changes ----------------------------------------------------------------

    def _take_block(self, seq: Sequence) -> int:
        """Head of the free queue -> next entry of the table."""
        block_id = next(iter(self.free_block_ids))
        if self.blocks[block_id].hash != -1:
            self._forget(block_id)
        del self.free_block_ids[block_id]
        self._add_reference(seq, block_id)
        return block_id

    def _share_block(self, seq: Sequence, block_id: int) -> None:
        """Found prefix block -> next entry of the table; its KV need not be computed again."""
        seq.num_cached_tokens += self.block_size
        if self.blocks[block_id].ref_count == 0:
            del self.free_block_ids[block_id]
        self._add_reference(seq, block_id)

    def _add_reference(self, seq: Sequence, block_id: int) -> None:
        self.used_block_ids.add(block_id)
        self.blocks[block_id].ref_count += 1
        seq.block_table.append(block_id)

    def _drop_reference(self, seq: Sequence) -> int:
        block_id = seq.block_table.pop()
        self.blocks[block_id].ref_count -= 1
        return block_id

    def _free_block(self, block_id: int) -> None:
        self.used_block_ids.remove(block_id)
        self.free_block_ids[block_id] = None

    def _remember(self, block_id: int, block_hash: int, token_ids: list[int]) -> None:
        block = self.blocks[block_id]
        block.hash, block.token_ids = block_hash, token_ids
        self.hash_to_block_ids.setdefault(block_hash, []).append(block_id)

    def _forget(self, block_id: int) -> None:
        block = self.blocks[block_id]
        twins = self.hash_to_block_ids[block.hash]
        twins.remove(block_id)
        if not twins:
            del self.hash_to_block_ids[block.hash]
        block.hash, block.token_ids = -1, []
