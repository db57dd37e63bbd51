"""The buddy allocator against a naive model: a list of slots that is searched again each time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.errors import InvalidSizeError
from lab.serving.buddy import Buddy, NoPieceError, round_up
from tests.sample import examples


class Naive:
    """A pool as a list of owners. A piece of length n may start at a multiple of n if all its n slots are free."""

    def __init__(self, num_slots: int) -> None:
        self.owners: list[int | None] = [None] * num_slots

    def hole(self, length: int, start: int) -> bool:
        """Is there a free aligned piece at start?"""
        piece = self.owners[start : start + length]
        return start % length == 0 and len(piece) == length and piece == [None] * length

    def holes(self) -> dict[int, int]:
        """The largest free aligned pieces, by start: the holes of an allocator that merges everything it can."""
        found, start = {}, 0
        while start < len(self.owners):
            lengths = [1 << k for k in range(len(self.owners).bit_length()) if self.hole(1 << k, start)]
            if lengths:
                found[start] = lengths[-1]
            start += lengths[-1] if lengths else 1
        return found

    def place(self, length: int) -> int | None:
        """Start of the smallest hole that is large enough; of equal holes the lowest."""
        fitting = [(size, start) for start, size in self.holes().items() if size >= length]
        return min(fitting)[1] if fitting else None


def holes_of(buddy: Buddy) -> dict[int, int]:
    """The allocator's holes by start."""
    return {start: length for length, starts in buddy.holes.items() for start in starts}


@settings(max_examples=examples(200))
@given(st.integers(1, 70), st.lists(st.tuples(st.booleans(), st.integers(0, 9) | st.integers(0, 100)), max_size=60))
def test_it_does_what_a_naive_search_does(num_slots: int, history: list[tuple[bool, int]]) -> None:
    """The same pieces, refusals and holes after every step of any history."""
    buddy, naive, taken = Buddy(num_slots), Naive(num_slots), list[int]()
    assert holes_of(buddy) == naive.holes()
    for take, number in history:
        if take:
            size = number % num_slots + 1
            expected = naive.place(round_up(size))
            assert buddy.can_allocate(size) == (expected is not None)
            if expected is None:
                before = holes_of(buddy)
                with pytest.raises(NoPieceError):
                    buddy.allocate(size)
                assert holes_of(buddy) == before
                continue
            start = buddy.allocate(size)
            assert start == expected
            taken.append(start)
            naive.owners[start : start + round_up(size)] = [start] * round_up(size)
        elif taken:
            start = taken.pop(number % len(taken))
            buddy.release(start)
            naive.owners = [None if owner == start else owner for owner in naive.owners]
        assert holes_of(buddy) == naive.holes()
        assert buddy.free == naive.owners.count(None)
        assert buddy.largest == max(naive.holes().values(), default=0)


def test_the_lowest_of_the_smallest_holes_is_taken() -> None:
    """By hand: of 16 slots, 4 and 12 are holes of four each; one slot splits the first, so the next piece takes 12."""
    buddy = Buddy(16)
    starts = [buddy.allocate(4) for _ in range(4)]
    assert starts == [0, 4, 8, 12]
    buddy.release(12)
    buddy.release(4)
    assert (buddy.allocate(1), buddy.allocate(3)) == (4, 12)
    assert holes_of(buddy) == {5: 1, 6: 2}


def test_rounding() -> None:
    """To the next power of two, from 1 on."""
    assert [round_up(n) for n in (1, 2, 3, 4, 5, 499, 1025, 2048)] == [1, 2, 4, 4, 8, 512, 2048, 2048]
    with pytest.raises(InvalidSizeError):
        round_up(0)


def test_refusals() -> None:
    """Sizes below one, a piece that was not taken, and no room, each with its numbers."""
    with pytest.raises(InvalidSizeError):
        Buddy(0)
    buddy = Buddy(12)
    assert (buddy.allocate(3), buddy.allocate(5)) == (8, 0)
    with pytest.raises(KeyError):
        buddy.release(4)
    with pytest.raises(NoPieceError) as refused:
        buddy.allocate(1)
    assert refused.value.numbers == {"needed": 1, "free": 0, "largest": 0}
