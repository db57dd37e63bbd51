"""A buddy allocator: pieces are powers of two, split into halves; a freed half is merged with its other half.

All counts are in slots. Kwon et al. (SOSP 2023, section 6.1) assume it for the systems that they compare with.
Source of the algorithm: Knowlton, "A fast storage allocator", CACM 8(10), 1965.
"""

from __future__ import annotations

from lab.engine.errors import InvalidSizeError, LabError


class NoPieceError(LabError):
    """No free piece is large enough. Numbers: `needed` (after rounding), `free`, `largest` (slots)."""

    code = "no_piece"
    message = "needs a piece of {needed} slots, {free} free, the largest piece has {largest}"


def round_up(size: int) -> int:
    """The next power of two: the slots that the allocator hands out for `size`. Pure. Raises InvalidSizeError."""
    if size < 1:
        raise InvalidSizeError(name="size", value=size, minimum=1)
    return 1 << (size - 1).bit_length()


class Buddy:
    """Hands out aligned pieces of one pool of any size. Every refusal is a LabError and leaves everything unchanged."""

    def __init__(self, num_slots: int) -> None:
        if num_slots < 1:
            raise InvalidSizeError(name="num_slots", value=num_slots, minimum=1)
        self.num_slots = num_slots
        self.free = num_slots
        self.pieces: dict[int, int] = {}  # taken: start -> length
        self.holes: dict[int, set[int]] = {}  # length -> starts
        start = 0
        for order in reversed(range(num_slots.bit_length())):  # a pool of 13 slots begins as pieces of 8, 4 and 1
            if num_slots >> order & 1:
                self.holes[1 << order] = {start}
                start += 1 << order

    @property
    def largest(self) -> int:
        """Slots in the largest hole."""
        return max((length for length, starts in self.holes.items() if starts), default=0)

    def can_allocate(self, size: int) -> bool:
        """Would allocate(size) succeed now? Pure."""
        return round_up(size) <= self.largest

    def allocate(self, size: int) -> int:
        """Take a piece of round_up(size) slots and return its first slot: the lowest of the smallest holes that fit.

        Mutates. Raises InvalidSizeError, NoPieceError.
        """
        length = round_up(size)
        fitting = [hole for hole, starts in self.holes.items() if starts and hole >= length]
        if not fitting:
            raise NoPieceError(needed=length, free=self.free, largest=self.largest)
        hole = min(fitting)
        start = min(self.holes[hole])
        self.holes[hole].remove(start)
        while hole > length:
            hole //= 2
            self.holes.setdefault(hole, set()).add(start + hole)
        self.pieces[start] = length
        self.free -= length
        return start

    def release(self, start: int) -> None:
        """Free the piece that starts there and merge it with its buddy while that is free. Mutates. Raises KeyError."""
        length = self.pieces.pop(start)
        self.free += length
        while (buddy := start ^ length) in self.holes.get(length, ()):
            self.holes[length].remove(buddy)
            start = min(start, buddy)
            length *= 2
        self.holes.setdefault(length, set()).add(start)
