"""KVCache: the tensor behind the block ids, and what the model says when it reads its KV from there.

One tensor of shape (2, num_layers, num_blocks, block_size, num_kv_heads, head_dim): index 0 of the first axis is K,
1 is V, so keys and values of one token share a block id and a slot, in every layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.engine.errors import LengthMismatchError, SlotOutOfRangeError
from lab.engine.sequence import Sequence as Tokens
from lab.trace.attention import attend_each, compute_contiguous
from lab.trace.late_imports import torch
from lab.trace.tiny_lm import TinyLM, get_default_model
from lab.trace.vocabulary import NO_WORD, RELIABLE, get_word, is_known


def extend_prefix(before: int | None, token_id: int) -> int:
    """A number for these tokens, from that of the tokens before (None: there are none). Equal only for equal ones."""
    return hash((before or 0, token_id))


@dataclass(frozen=True)
class PagedMemory:
    """K and V in the pool, read through the block_table. `slots`: where those of each position are kept."""

    cache: KVCache
    block_table: Sequence[int]
    slots: Mapping[int, int]

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """As in KVMemory. Mutates the pool."""
        index = torch.tensor([self.slots[position] for position in at], device=keys_values.device)
        self.cache.pool.flatten(2, 3)[:, layer].index_copy_(1, index, keys_values)

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """As in KVMemory."""
        return attend_each(queries, at, KVCache.gather(self.cache, self.block_table, at[-1] + 1)[:, layer])


@dataclass(frozen=True)
class ReadOnly:
    """K and V that are there already, for that many tokens."""

    keys_values: torch.Tensor
    num_tokens: int

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """As in KVMemory, but nothing is kept."""

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """As in KVMemory."""
        return attend_each(queries, at, self.keys_values[:, layer], self.num_tokens)


class KVCache:
    """The pool's KV. A new pool is filled with NaN, so that an unwritten slot shows; release erases nothing.

    `words`: the model's word for each token id; None: token ids are those of the lab's own vocabulary.
    """

    def __init__(
        self, num_blocks: int, block_size: int, model: TinyLM | None = None, words: Sequence[int] | None = None
    ) -> None:
        self.model = model or get_default_model()
        self.block_size = block_size
        self.num_slots = num_blocks * block_size
        self._words = words
        shape = (2, self.model.num_layers, num_blocks, block_size, self.model.num_kv_heads, self.model.head_dim)
        self.pool = torch.full(shape, torch.nan, device=self.model.device)
        self.slot_contents: list[tuple[int, int] | None] = [None] * self.num_slots
        self.slot_prefixes: list[int | None] = [None] * self.num_slots

    def get_words(self, token_ids: Sequence[int]) -> tuple[int, ...]:
        """The model's word for each of these tokens."""
        return tuple(get_word(i) if self._words is None else self._words[i] for i in token_ids)

    def write(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        slot_mapping: Sequence[int],
        block_table: Sequence[int],
    ) -> None:
        """Compute K and V of these tokens and write them to these slots. Mutates pool and slot_contents.

        In the second layer they depend on all tokens before, whose KV is read through `block_table`: always as this
        class reads, so that a wrong reader writes what is right. `slot_contents[slot]` is the (token id, position) that
        was written there last, and `slot_prefixes[slot]` stands for all tokens up to it, see extend_prefix. All or
        nothing. Raises SlotOutOfRangeError, LengthMismatchError, and what TinyLM.run raises.
        """
        if not len(token_ids) == len(positions) == len(slot_mapping):
            raise LengthMismatchError(tokens=len(token_ids), slots=len(slot_mapping))
        for slot in slot_mapping:
            self._check_slot(slot)
        if not token_ids:
            return
        KVCache.gather(self, block_table, max(positions) + 1)  # raises before anything is written
        memory = PagedMemory(self, block_table, dict(zip(positions, slot_mapping, strict=True)))
        self.model.run(self.get_words(token_ids), positions, memory, say=False)
        for slot, token_id, position in zip(slot_mapping, token_ids, positions, strict=True):
            self.slot_contents[slot] = (token_id, position)
            page, offset = divmod(position - 1, self.block_size)
            before = self.slot_prefixes[block_table[page] * self.block_size + offset] if position else None
            self.slot_prefixes[slot] = extend_prefix(before, token_id)

    def gather(self, block_table: Sequence[int], num_tokens: int) -> torch.Tensor:
        """K and V in logical order: (2, num_layers, num_tokens, num_kv_heads, head_dim). Pure.

        Reads whole blocks in table order and trims to num_tokens, so the empty slots at the end never take part.
        Raises SlotOutOfRangeError, LengthMismatchError (the table has too few pages).
        """
        for block_id in block_table:
            self._check_slot(block_id * self.block_size)
        if num_tokens > len(block_table) * self.block_size:
            raise LengthMismatchError(tokens=num_tokens, slots=len(block_table) * self.block_size)
        index = torch.tensor(block_table, dtype=torch.long, device=self.pool.device)
        return self.pool.index_select(2, index).flatten(2, 3)[:, :, :num_tokens]

    def read(self, token_ids: Sequence[int], block_table: Sequence[int]) -> torch.Tensor:
        """What the model says after each of these tokens if it reads all KV through block_table. Pure.

        Logits, shape (tokens, known words). Raises what gather raises.
        """
        memory = ReadOnly(self.gather(block_table, len(token_ids)), len(token_ids))
        return self.model.run(self.get_words(token_ids), range(len(token_ids)), memory)

    def read_contiguous(self, token_ids: Sequence[int]) -> torch.Tensor:
        """The same from the tokens alone, see compute_contiguous."""
        return compute_contiguous(self.model, self.get_words(token_ids))

    def _check_slot(self, slot: int) -> None:
        if not 0 <= slot < self.num_slots:
            raise SlotOutOfRangeError(slot=slot, num_slots=self.num_slots)


@dataclass(frozen=True)
class Word:
    """The word that the model would say next, and its probability; NO_WORD if there is none, with the `reason`.

    reason   "nan": a NaN was read. "unknown": the request has words that the model was not trained on. "long": it has
             more than RELIABLE tokens, beyond which the model is often wrong. Empty if there is a word.
    """

    number: int
    probability: float = 0.0
    reason: str = ""


def find_silence(words: Sequence[int]) -> str:
    """Why there is no next word after these words, whatever is read; empty if there is one. Pure."""
    if not all(map(is_known, words)):
        return "unknown"
    return "long" if len(words) > RELIABLE else ""


def find_word_said(logits: torch.Tensor, words: Sequence[int]) -> Word:
    """The most probable next word after these words. `logits`: those after the last one. Pure."""
    if reason := find_silence(words):
        return Word(NO_WORD, reason=reason)
    if logits.isnan().any():
        return Word(NO_WORD, reason="nan")
    probability, number = logits.softmax(dim=0).max(dim=0)
    return Word(int(number), float(probability))


@dataclass(frozen=True)
class Proof:
    """What the model says for one request, read through its block_table and computed from contiguous KV.

    `difference`: the largest absolute difference over all positions and words (logits; NaN if a NaN was read).
    `paged`, `contiguous`: the next word in both.
    """

    seq_id: str
    slots: tuple[int, ...]
    difference: float
    bit_equal: bool
    paged: Word
    contiguous: Word


def prove(cache: KVCache, seq: Tokens) -> Proof:
    """Compute both on the cache's device and compare them. Pure. Raises what KVCache.gather raises."""
    paged, reference = cache.read(seq.token_ids, seq.block_table), cache.read_contiguous(seq.token_ids)
    words = cache.get_words(seq.token_ids)
    return Proof(
        seq_id=seq.seq_id,
        slots=tuple(seq.slots()),
        difference=float((paged.double() - reference.double()).abs().max()),
        bit_equal=bool(torch.equal(paged, reference)),
        paged=find_word_said(paged[-1], words),
        contiguous=find_word_said(reference[-1], words),
    )
