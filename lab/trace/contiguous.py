"""A KV pool where every request takes one contiguous piece, first fit: the design that paging replaced.

All counts are in slots; one slot holds the KV of one token. Source: Kwon et al., "Efficient Memory Management for
Large Language Model Serving with PagedAttention", SOSP 2023. Existing systems reserve the maximum length in one piece,
because an output's length is not known in advance (sections 1 and 3.1); in its Figure 3, 2038 of 2048 slots are never
used. The three wastes have the paper's names: "reserved" (`later`), "internal" (`never_used`) and "external"
fragmentation (`NoHoleError.external`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from lab.engine.errors import InvalidSizeError, LabError, LimitError, RequestExistsError, UnknownRequestError
from lab.trace.config import Request
from lab.trace.operations import Allocate, Append, AppendToken, Operation, Release


class ReservePolicy(StrEnum):
    """How many slots a request reserves when it arrives."""

    MAXIMUM = "maximum"  # max_tokens, however long the request will be
    TRUE_LENGTH = "true_length"  # its final length, which no real system knows in advance


class NoHoleError(LabError):
    """No hole is large enough. Numbers: `seq_id`, `needed`, `free`, `largest_hole` (slots)."""

    code = "no_hole"
    message = "{seq_id} needs {needed} slots in one piece, {free} free, largest hole {largest_hole}"

    @property
    def external(self) -> bool:
        """Was the request refused although enough slots are free? That is external fragmentation."""
        return int(self.numbers["needed"]) <= int(self.numbers["free"])


class RequestCompleteError(LabError):
    """The request already has all its tokens. Numbers: `seq_id`, `tokens`."""

    code = "request_complete"
    message = "{seq_id} is complete with {tokens} tokens"


@dataclass(frozen=True)
class Segment:
    """Slots start..end-1: the piece of one request, or a hole (owner None)."""

    start: int
    length: int
    owner: str | None

    @property
    def end(self) -> int:
        """The first slot after the piece."""
        return self.start + self.length


@dataclass(frozen=True)
class Reservation:
    """One live request and its piece of the pool: `reserved` slots from `start`, the first `used` with tokens."""

    request: Request
    start: int
    reserved: int
    used: int

    @property
    def token_ids(self) -> tuple[int, ...]:
        """The tokens so far; token i is in slot start + i."""
        return (self.request.prompt + self.request.continuation)[: self.used]

    @property
    def later(self) -> int:
        """Empty slots that later tokens will use: "reserved"."""
        return get_final_length(self.request) - self.used

    @property
    def never_used(self) -> int:
        """Empty slots that stay empty until the request ends: internal fragmentation."""
        return self.reserved - get_final_length(self.request)


@dataclass(frozen=True)
class ContiguousSnapshot:
    """The whole state: segments from slot 0 on without a gap, requests in order of arrival, and the last refusal."""

    segments: tuple[Segment, ...]
    requests: tuple[Reservation, ...]
    refusal: LabError | None = None

    @property
    def num_slots(self) -> int:
        """Slots in the pool."""
        return self.segments[-1].end

    @property
    def holes(self) -> tuple[Segment, ...]:
        """Free segments; two holes never touch."""
        return tuple(segment for segment in self.segments if segment.owner is None)

    @property
    def free(self) -> int:
        """All free slots, in every hole together."""
        return sum(hole.length for hole in self.holes)

    @property
    def largest_hole(self) -> int:
        """Slots in the largest hole: the longest piece that a request could get now."""
        return max((hole.length for hole in self.holes), default=0)


class ContiguousAllocator:
    """Hands out the slots of one pool. Every refusal is a LabError and leaves everything unchanged."""

    def __init__(self, num_slots: int, max_tokens: int, policy: ReservePolicy) -> None:
        for name, value in (("num_slots", num_slots), ("max_tokens", max_tokens)):
            if value < 1:
                raise InvalidSizeError(name=name, value=value, minimum=1)
        self.max_tokens = max_tokens
        self.policy = policy
        self.segments = [Segment(0, num_slots, None)]
        self.live: dict[str, Reservation] = {}

    def needed(self, request: Request) -> int:
        """Slots that allocate(request) would reserve. Pure. Raises LimitError if it will exceed max_tokens."""
        if (length := get_final_length(request)) > self.max_tokens:
            raise LimitError(name="tokens", value=length, limit=self.max_tokens)
        return self.max_tokens if self.policy is ReservePolicy.MAXIMUM else length

    def allocate(self, request: Request) -> None:
        """Reserve the head of the first hole that is large enough; the prompt takes its first slots. Mutates.

        Raises RequestExistsError, LimitError, NoHoleError.
        """
        if request.seq_id in self.live:
            raise RequestExistsError(seq_id=request.seq_id)
        needed = self.needed(request)
        for i, hole in enumerate(self.segments):
            if hole.owner is None and hole.length >= needed:
                rest = [Segment(hole.start + needed, hole.length - needed, None)] if hole.length > needed else []
                self.segments[i : i + 1] = [Segment(hole.start, needed, request.seq_id), *rest]
                self.live[request.seq_id] = Reservation(request, hole.start, needed, len(request.prompt))
                return
        now = self.snapshot()
        raise NoHoleError(seq_id=request.seq_id, needed=needed, free=now.free, largest_hole=now.largest_hole)

    def append(self, seq_id: str) -> None:
        """Put the next token into the next slot of the request's piece. Mutates.

        Raises UnknownRequestError, RequestCompleteError.
        """
        view = self._find(seq_id)
        if not view.later:
            raise RequestCompleteError(seq_id=seq_id, tokens=view.used)
        self.live[seq_id] = replace(view, used=view.used + 1)

    def release(self, seq_id: str) -> None:
        """Turn the request's whole piece into a hole, merged with the holes next to it. Mutates.

        Raises UnknownRequestError.
        """
        del self.live[self._find(seq_id).request.seq_id]
        runs = groupby(self.segments, key=lambda s: None if s.owner == seq_id else s.owner)
        pieces = [(owner, list(run)) for owner, run in runs]
        self.segments = [Segment(run[0].start, run[-1].end - run[0].start, owner) for owner, run in pieces]

    def snapshot(self) -> ContiguousSnapshot:
        """The state now. Pure."""
        return ContiguousSnapshot(tuple(self.segments), tuple(self.live.values()))

    def _find(self, seq_id: str) -> Reservation:
        if seq_id not in self.live:
            raise UnknownRequestError(seq_id=seq_id)
        return self.live[seq_id]


def run_contiguous(
    allocator: ContiguousAllocator, requests: Iterable[Request], operations: Iterable[Operation]
) -> tuple[ContiguousSnapshot, ...]:
    """The state after each operation; a refused operation is a step too. Mutates the allocator.

    Raises KeyError for an unknown request.
    """
    by_name = {request.seq_id: request for request in requests}
    snapshots = []
    for operation in operations:
        request, refusal = by_name[operation.seq_id], None
        try:
            if isinstance(operation, Allocate):
                allocator.allocate(request)
            elif isinstance(operation, Append | AppendToken):
                allocator.append(request.seq_id)
            elif isinstance(operation, Release):
                allocator.release(request.seq_id)  # the other operations take nothing: the slots are reserved
        except LabError as error:
            refusal = error
        snapshots.append(replace(allocator.snapshot(), refusal=refusal))
    return tuple(snapshots)


def get_final_length(request: Request) -> int:
    """Tokens that a request has when it ends: in the lab, its prompt and its whole continuation."""
    return len(request.prompt) + len(request.continuation)
