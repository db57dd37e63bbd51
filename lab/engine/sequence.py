"""Sequence: the tokens of one request and the block_table that says where their KV lies.

Mirrors nanovllm/engine/sequence.py (commit bb823b3), except that block_size belongs to the sequence.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from xxhash import xxh64_intdigest

from lab.engine.errors import EmptyPromptError, InvalidSizeError, InvalidTokenError

TOKEN_ID_LIMIT = 1 << 64  # in the hash a token takes 8 bytes


class Sequence:
    """One request. Lengths are in tokens; `block_table[i]` is the physical block of logical page i.

    Raises EmptyPromptError, InvalidTokenError, InvalidSizeError.
    """

    def __init__(self, seq_id: str, token_ids: Iterable[int], block_size: int) -> None:
        if block_size < 1:
            raise InvalidSizeError(name="block_size", value=block_size, minimum=1)
        self.seq_id = seq_id
        self.token_ids = list(token_ids)
        self.block_size = block_size
        self.block_table: list[int] = []
        self.num_cached_tokens = 0
        self.num_hashed_blocks = 0  # pages from the first on that hash_blocks need not look at
        self._hashes: list[int] = []
        if not self.token_ids:
            raise EmptyPromptError(seq_id=seq_id)
        self._hash_pages()

    def __len__(self) -> int:
        return len(self.token_ids)

    @property
    def num_tokens(self) -> int:
        """Tokens so far, the one just appended included."""
        return len(self.token_ids)

    @property
    def num_blocks(self) -> int:
        """Logical pages that these tokens need, whether or not they have them yet."""
        return (len(self.token_ids) + self.block_size - 1) // self.block_size

    @property
    def last_block_num_tokens(self) -> int:
        """Tokens in the last logical page: 1..block_size."""
        return self.num_tokens - (self.num_blocks - 1) * self.block_size

    def block(self, i: int) -> list[int]:
        """Token ids of logical page i (fewer than block_size on the last page)."""
        start = i * self.block_size
        return self.token_ids[start : start + self.block_size]

    def block_hashes(self) -> list[int]:
        """64-bit hash of each FULL page, chained over everything before it, so pages match only after the same prefix.

        The same values as nano-vLLM's compute_hash. Each page is hashed once in the life of the sequence.
        """
        if len(self._hashes) < len(self.token_ids) // self.block_size:
            self._hash_pages()
        return self._hashes

    def slots(self, start: int = 0, stop: int | None = None) -> list[int]:
        """slot_mapping of the tokens start..stop-1: where in the pool the KV of each position lies. Pure.

        Positions that have no page yet are left out.
        """
        stop = min(self.num_tokens if stop is None else stop, len(self.block_table) * self.block_size)
        size, table = self.block_size, self.block_table
        return [table[pos // size] * size + pos % size for pos in range(start, stop)]

    def append_token(self, token_id: int) -> None:
        """Add one token. Mutates token_ids only; its page is may_append's business. Raises InvalidTokenError."""
        if not 0 <= token_id < TOKEN_ID_LIMIT:
            raise InvalidTokenError(seq_id=self.seq_id, value=token_id)
        self.token_ids.append(token_id)

    def withdraw_token(self) -> int:
        """Take back the last token, whose KV was never written (difference 8). Mutates token_ids; returns the token."""
        token_id = self.token_ids.pop()
        del self._hashes[self.num_tokens // self.block_size :]
        return token_id

    def _hash_pages(self) -> None:
        """Hash the full pages that have no hash yet. Raises InvalidTokenError."""
        rest = self.token_ids[len(self._hashes) * self.block_size :]
        try:
            data = array("Q", rest).tobytes()  # in the machine's byte order, as upstream
        except OverflowError:
            wrong = next(token_id for token_id in rest if not 0 <= token_id < TOKEN_ID_LIMIT)
            raise InvalidTokenError(seq_id=self.seq_id, value=wrong) from None
        page = 8 * self.block_size
        prefix = self._hashes[-1].to_bytes(8, "little") if self._hashes else b""
        for end in range(page, len(data) + 1, page):
            page_hash = xxh64_intdigest(prefix + data[end - page : end])
            self._hashes.append(page_hash)
            prefix = page_hash.to_bytes(8, "little")
