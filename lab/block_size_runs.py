"""How many slots a request leaves empty at each block_size: runs of the engine, nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lab.block_manager import BlockManager
from lab.config import MAX_BLOCK_SIZE
from lab.sequence import Sequence

LENGTHS = range(1, 65)  # tokens; the average is taken over these
SIZES = range(1, MAX_BLOCK_SIZE + 1)


@dataclass(frozen=True)
class Use:
    """One request right after allocate, in slots; `last` is the number of tokens in its last page."""

    block_size: int
    num_tokens: int
    blocks: int
    last: int
    slots: int

    @property
    def empty(self) -> int:
        """Slots in the request's own blocks that no token has."""
        return self.slots - self.num_tokens

    @property
    def percent(self) -> float:
        """Empty slots in percent of the slots in the request's own blocks."""
        return 100 * self.empty / self.slots


@cache
def use(num_tokens: int, block_size: int) -> Use:
    """Allocate a request of that length on a pool of its own and read its block_table."""
    seq = Sequence("A", range(num_tokens), block_size)
    manager = BlockManager(seq.num_blocks, block_size)
    manager.allocate(seq)
    blocks = len(seq.block_table)
    return Use(block_size, num_tokens, blocks, seq.last_block_num_tokens, blocks * manager.block_size)


@cache
def average_empty(block_size: int) -> float:
    """Mean empty slots over requests of every length in LENGTHS."""
    return sum(use(length, block_size).empty for length in LENGTHS) / len(LENGTHS)
