"""A free queue by its beginning: the rest follows in order."""

from __future__ import annotations

from collections.abc import Sequence


def complete_queue(start: Sequence[int], num_blocks: int) -> tuple[int, ...]:
    """The ids as typed, right or wrong, then those of the pool that are missing, in order. Pure."""
    typed = set(start)
    return (*start, *(block for block in range(num_blocks) if block not in typed))


def shorten_queue(queue: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest beginning, at least one id, that complete_queue makes this queue of. Pure."""
    length = len(queue)
    while length > 1 and complete_queue(queue[: length - 1], len(queue)) == queue:
        length -= 1
    return queue[:length]
