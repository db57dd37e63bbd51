"""The reader under a wrong idea: subclasses of KVCache that override gather. The manager and what is written stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.kv_cache import KVCache


class UsedAsEmpty(KVCache):
    """Takes the used slots of the last page for its empty ones: reads as many there as are in truth empty."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """Trims to the full pages and that many more."""
        used = (num_tokens - 1) % self.block_size + 1
        return super().gather(block_table, num_tokens - used + (self.block_size - used))


class TailNotTrimmed(KVCache):
    """Reads the last block whole."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """Trims nothing."""
        return super().gather(block_table, max(num_tokens, len(block_table) * self.block_size))


class PagesSorted(KVCache):
    """Reads the blocks in the order of their ids."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """Trims as the engine does, after sorting."""
        return super().gather(sorted(block_table), num_tokens)
