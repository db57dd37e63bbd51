"""What attention reads through a block_table: which slots, whose KV is in them, and how this changes the output."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

from lab.engine.errors import LabError
from lab.engine.sequence import Sequence
from lab.trace.events import Refused
from lab.trace.kv_cache import KVCache, compute_contiguous_attention


@dataclass(frozen=True)
class Misread:
    """At `position`, the KV of another token was read, or of the same token at another position.

    `token_id` and `token_position` are what the tensor holds there; None if it was never written. Positions from
    num_tokens on are after the last token: they should not have been read at all.
    """

    position: int
    token_id: int | None
    token_position: int | None


@dataclass(frozen=True)
class Read:
    """What one request's attention reads now, and how far its output is from the right one.

    errors     largest absolute difference at each position, over layers and heads; NaN where a NaN was read.
    misreads   positions that were read in the wrong place.
    unread     positions whose KV was left out.
    refusal    why nothing could be read; then everything else is empty.
    """

    seq_id: str
    errors: tuple[float, ...] = ()
    misreads: tuple[Misread, ...] = ()
    unread: tuple[int, ...] = ()
    refusal: Refused | None = None

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


def find_misreads(cache: KVCache, seq: Sequence) -> tuple[tuple[Misread, ...], tuple[int, ...]]:
    """(positions read in the wrong place, positions left out). Pure. Raises what gather raises."""
    slots = trace_read_slots(cache, seq)
    right = list(zip(seq.token_ids, range(seq.num_tokens), strict=True))
    wrong = []
    for position, slot in enumerate(slots):
        content = cache.slot_contents[slot]
        if content is None or position >= len(right) or content != right[position]:
            wrong.append(Misread(position, *(content or (None, None))))
    return tuple(wrong), tuple(range(len(slots), seq.num_tokens))


def read(cache: KVCache, seq: Sequence) -> Read:
    """Run seq's attention through its block_table and over contiguous KV, on the tensor. Pure."""
    try:
        wrong, unread = find_misreads(cache, seq)
        output = cache.compute_attention(seq.token_ids, seq.block_table)
    except LabError as error:
        return Read(seq.seq_id, refusal=build_refusal(seq.seq_id, error))
    apart = (output.double() - compute_contiguous_attention(cache.model, seq.token_ids).double()).abs()
    return Read(seq.seq_id, tuple(apart.amax(dim=(0, 2, 3)).tolist()), wrong, unread)


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
