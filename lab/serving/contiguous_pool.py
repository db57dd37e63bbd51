"""The interface of a KV pool for the serving simulation, and the contiguous pool (for blocks see paged_pool.py).

The simulation asks a pool to admit a request, to advance every running request by one token, and to release finished
requests. The pool counts its slots by use. All counts are in slots; one slot holds the KV of one token.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple, Protocol

from lab.serving.buddy import Buddy
from lab.serving.workload import Lengths

NOBODY, SEVERAL = -1, -2  # owners of a slot besides the number of a request
START, TOKENS = 8, 16  # units of work: START for each request that starts, 1 for every TOKENS tokens; see Pool.work


class PoolUse(NamedTuple):
    """Slots by use; together they are all slots of the pool."""

    tokens: int
    reserved: int
    internal: int
    external: int


class Kind(IntEnum):
    """The use of a slot, in the order of PoolUse."""

    TOKEN = 0
    RESERVED = 1
    INTERNAL = 2
    EXTERNAL = 3


@dataclass(eq=False)
class Running:
    """One request, running or waiting: its number in order of arrival, its lengths, and whether it has ever run.

    `cut`: the request was longer than the limit and was cut.
    """

    number: int
    lengths: Lengths
    cut: bool = False
    started: bool = False


class ServingPool(Protocol):
    """The methods of a pool that the simulation calls."""

    recomputed: int  # tokens computed again after a preemption, in all
    work: int  # cost of simulating this pool in all; one unit is roughly a microsecond

    @property
    def batch(self) -> int:
        """Requests that run now."""

    @property
    def duplicates(self) -> int:
        """Slots that sharing saves now."""

    def admit(self, request: Running) -> bool:
        """Start the request if the pool has room for it now. Mutates if True."""

    def advance(self) -> list[Running]:
        """Add one token to every running request. Mutates. Returns the preempted requests, the newest first."""

    def use(self) -> PoolUse:
        """The slots by use now. Pure."""

    def sample(self, slots: list[int]) -> list[tuple[int, Kind]]:
        """Owner (number, NOBODY or SEVERAL) and Kind of each of these slots. Pure."""

    def release_finished(self) -> None:
        """Release the requests that have all their tokens. Mutates."""


@dataclass(frozen=True)
class _Piece:
    """The piece of one request: `length` slots from `start`, `asked` of them without rounding; started at `since`."""

    start: int
    length: int
    asked: int
    since: int
    request: Running


class ContiguousPool:
    """One piece a request, from a buddy allocator. `ask`: how many slots a request asks for."""

    def __init__(self, num_slots: int, ask: Callable[[Lengths], int]) -> None:
        self.buddy = Buddy(num_slots)
        self.recomputed = self.work = 0
        self._ask = ask
        self._now = 0
        self._pieces: dict[int, _Piece] = {}  # by start
        self._ends: list[tuple[int, int]] = []  # a heap: (time of the last token, start)
        self._tokens = self._final = self._asked = 0  # sums over the running requests

    @property
    def batch(self) -> int:
        """See Pool."""
        return len(self._pieces)

    @property
    def duplicates(self) -> int:
        """See Pool. Nothing is shared."""
        return 0

    def admit(self, request: Running) -> bool:
        """See Pool."""
        asked = self._ask(request.lengths)
        if not self.buddy.can_allocate(asked):
            return False
        start = self.buddy.allocate(asked)
        self._pieces[start] = _Piece(start, self.buddy.pieces[start], asked, self._now, request)
        heappush(self._ends, (self._now + request.lengths.output, start))
        self._tokens += request.lengths.prompt
        self._final += request.lengths.final
        self._asked += asked
        self.work += START
        return True

    def advance(self) -> list[Running]:
        """See Pool. Preempts nothing: each request has reserved what it needs."""
        self._now += 1
        self._tokens += self.batch
        return []

    def use(self) -> PoolUse:
        """See Pool."""
        return PoolUse(
            tokens=self._tokens,
            reserved=self._final - self._tokens,
            internal=self._asked - self._final,
            external=self.buddy.num_slots - self._asked,
        )

    def sample(self, slots: list[int]) -> list[tuple[int, Kind]]:
        """See Pool. Slots added by rounding belong to the request, but count as external."""
        starts = sorted(self._pieces)
        sampled = []
        for slot in slots:
            i = bisect_right(starts, slot) - 1
            piece = self._pieces[starts[i]] if i >= 0 else None
            sampled.append(self._slot(piece, slot - piece.start) if piece else (NOBODY, Kind.EXTERNAL))
        return sampled

    def release_finished(self) -> None:
        """See Pool."""
        while self._ends and self._ends[0][0] <= self._now:
            piece = self._pieces.pop(heappop(self._ends)[1])
            self.buddy.release(piece.start)
            self._tokens -= piece.request.lengths.final
            self._final -= piece.request.lengths.final
            self._asked -= piece.asked

    def _slot(self, piece: _Piece, place: int) -> tuple[int, Kind]:
        lengths = piece.request.lengths
        if place >= piece.length:
            return NOBODY, Kind.EXTERNAL
        bounds = (lengths.prompt + self._now - piece.since, lengths.final, piece.asked)
        return piece.request.number, Kind(bisect_right(bounds, place))
