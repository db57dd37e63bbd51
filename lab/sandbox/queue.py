"""The free queue of a scenario at its beginning: by name, or block by block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from lab.trace.config import MAX_BLOCKS
from lab.trace.presets import USED_QUEUE

Queue = Literal["fresh", "used"] | tuple[int, ...]

_NAMED = 16  # ids of a queue that an error lists


def build_used_queue(num_blocks: int) -> tuple[int, ...]:
    """The queue of a pool that has served many requests, head first; for 16 blocks, the task's own. At most 64."""
    size = len(USED_QUEUE)
    if num_blocks <= size:
        return tuple(block for block in USED_QUEUE if block < num_blocks)
    turns = MAX_BLOCKS // size
    mixed = (block + size * ((i + turn) % turns) for turn in range(turns) for i, block in enumerate(USED_QUEUE))
    return tuple(block for block in mixed if block < num_blocks)


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


def describe_wrong_ids(queue: tuple[int, ...], num_blocks: int) -> dict[str, str]:
    """The ids that are missing, repeated or unknown in a queue, as the numbers of QueueIdsError."""
    counts = Counter(queue)
    off = {
        "missing": [block for block in range(num_blocks) if block not in counts],
        "twice": [block for block, count in counts.items() if count > 1],
        "unknown": [block for block in counts if block >= num_blocks],
    }
    return {name: " ".join(map(str, ids[:_NAMED])) for name, ids in off.items()}
