"""The reader under a wrong idea: subclasses of KVCache that override gather. The manager and the writes stay right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.trace.kv_cache import KVCache


class UsedAsEmpty(KVCache):
    """Takes the used slots of the last page for its empty slots, and reads the empty ones."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """As in KVCache, but of the last page only the slots after the last token."""
        full = (num_tokens - 1) // self.block_size * self.block_size
        whole = super().gather(block_table, max(num_tokens, full + self.block_size))
        return whole[:, :, [*range(full), *range(num_tokens, full + self.block_size)]]


class TailNotTrimmed(KVCache):
    """Reads the last block whole."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """As in KVCache, but without trimming."""
        return super().gather(block_table, max(num_tokens, len(block_table) * self.block_size))


class PagesSorted(KVCache):
    """Reads the blocks in the order of their ids."""

    def gather(self, block_table: Sequence[int], num_tokens: int) -> Any:
        """As in KVCache, but sorts the blocks first."""
        return super().gather(sorted(block_table), num_tokens)
