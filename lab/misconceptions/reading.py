"""What attention reads through a block_table: which slots, whose KV is in them, and how this changes the output."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from math import isnan

from lab.engine.errors import LabError
from lab.engine.sequence import Sequence
from lab.trace.events import Refused
from lab.trace.kv_cache import KVCache, Word, extend_prefix, find_word_said
from lab.trace.vocabulary import NO_WORD

NOTHING_SAID = Word(NO_WORD)


@dataclass(frozen=True)
class Misread:
    """At `position`, the KV of another token was read, or of the same token at another position.

    `token_id` and `token_position` are what the tensor holds there; None if it was never written. Positions from
    num_tokens on are after the last token: they should not have been read at all.
    """

    position: int
    token_id: int | None
    token_position: int | None
    slot: int = field(default=-1, compare=False)
    prefix: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class WordSource:
    """The slot in which the word that was said stands, and the token and position whose KV is there.

    `prefix`, here and in Misread: what stands for the tokens up to it, see lab.trace.kv_cache.extend_prefix.
    """

    slot: int
    token_id: int
    position: int
    prefix: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ReadSlots:
    """What is wrong with the slots that are read.

    misreads      positions that were read in the wrong place.
    unread        positions whose KV was left out.
    after_others  positions with the right token at the right position, but computed after other tokens: its KV in the
                  layers above the first is another one.
    """

    misreads: tuple[Misread, ...] = ()
    unread: tuple[int, ...] = ()
    after_others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Read:
    """What one request's attention reads now, what the model says then, and how far that is from what is right.

    errors     largest absolute difference (logits) at each position; NaN where a NaN was read.
    slots      what is wrong with the slots that were read.
    said       the next word.
    expected   the next word from contiguous KV.
    source     where the said word stands, if it is not the expected one and stands in a slot that was read.
    refusal    why nothing could be read; then everything else is empty.
    """

    seq_id: str
    errors: tuple[float, ...] = ()
    slots: ReadSlots = ReadSlots()
    said: Word = NOTHING_SAID
    expected: Word = NOTHING_SAID
    source: WordSource | None = None
    refusal: Refused | None = None

    @property
    def misreads(self) -> tuple[Misread, ...]:
        """Positions that were read in the wrong place."""
        return self.slots.misreads

    @property
    def unread(self) -> tuple[int, ...]:
        """Positions whose KV was left out."""
        return self.slots.unread

    @property
    def says_wrong(self) -> bool:
        """Is there a right word, and another one or none was said?"""
        return not self.expected.reason and self.said.number != self.expected.number

    @property
    def error(self) -> float:
        """Largest absolute difference at the positions that are numbers; 0.0 if none is."""
        return max((error for error in self.errors if not isnan(error)), default=0.0)

    @property
    def nan(self) -> bool:
        """Did a NaN reach the output?"""
        return any(map(isnan, self.errors))

    @property
    def right(self) -> bool:
        """Is the output right, to the last bit?"""
        return self.refusal is None and not self.nan and self.error == 0


def trace_read_slots(cache: KVCache, seq: Sequence) -> list[int]:
    """The slots that cache.gather reads for seq, in order: gathered from a pool that holds slot numbers. Pure.

    Raises what gather raises.
    """
    numbered = copy.copy(cache)
    size = cache.block_size
    numbered.pool = cache.pool.new_tensor(range(cache.num_slots)).double().reshape(1, 1, -1, size, 1, 1)
    return [int(slot) for slot in numbered.gather(seq.block_table, seq.num_tokens).flatten().tolist()]


def list_prefixes(token_ids: Iterable[int]) -> list[int]:
    """What stands for the tokens up to each of these. Pure."""
    return list(accumulate(token_ids, extend_prefix, initial=0))[1:]


def find_misreads(cache: KVCache, seq: Sequence) -> ReadSlots:
    """What is wrong with the slots that are read for seq. Pure. Raises what gather raises."""
    slots = trace_read_slots(cache, seq)
    right = list(zip(seq.token_ids, range(seq.num_tokens), strict=True))
    prefixes = list_prefixes(seq.token_ids)
    wrong, after_others = [], []
    for position, slot in enumerate(slots):
        content = cache.slot_contents[slot]
        if content is None or position >= len(right) or content != right[position]:
            token_id, token_position = content or (None, None)
            wrong.append(Misread(position, token_id, token_position, slot, cache.slot_prefixes[slot]))
        elif cache.slot_prefixes[slot] != prefixes[position]:
            after_others.append(position)
    return ReadSlots(tuple(wrong), tuple(range(len(slots), seq.num_tokens)), tuple(after_others))


def read(cache: KVCache, seq: Sequence) -> Read:
    """Run the model for seq through its block_table and over contiguous KV, on the tensor. Pure."""
    try:
        slots = find_misreads(cache, seq)
        said = cache.read(seq.token_ids, seq.block_table)
    except LabError as error:
        return Read(seq.seq_id, refusal=build_refusal(seq.seq_id, error))
    right, words = cache.read_contiguous(seq.token_ids), cache.get_words(seq.token_ids)
    apart = (said.double() - right.double()).abs().amax(dim=1)
    word, expected = (find_word_said(logits[-1], words) for logits in (said, right))
    source = _find_source(cache, seq, word) if word.number != expected.number else None
    return Read(seq.seq_id, tuple(apart.tolist()), slots, word, expected, source)


def _find_source(cache: KVCache, seq: Sequence, word: Word) -> WordSource | None:
    """The slot that holds this word, among those that are read; of several the one with the latest position."""
    found = []
    for slot in trace_read_slots(cache, seq):
        content = cache.slot_contents[slot]
        if content is not None and cache.get_words(content[:1]) == (word.number,):
            found.append(WordSource(slot, *content, cache.slot_prefixes[slot]))
    return max(found, key=lambda source: source.position, default=None)


def collect_read_slots(cache: KVCache, sequences: Iterable[Sequence]) -> dict[str, object]:
    """By request, what find_misreads returns, or why nothing can be read. Pure; computes no attention."""
    misreads: dict[str, object] = {}
    for seq in sequences:
        try:
            misreads[seq.seq_id] = find_misreads(cache, seq)
        except LabError as error:
            misreads[seq.seq_id] = error.code
    return misreads


def build_refusal(seq_id: str, error: LabError) -> Refused:
    """A refusal, as an event like the engine's own."""
    return Refused(seq_id, error.code, tuple(sorted(error.numbers.items())))
