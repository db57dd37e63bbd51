"""The task's A at every block_size: runs of the engine, with the tensor (block_size_runs only counts)."""

from __future__ import annotations

from functools import cache

from lab.block_size_runs import SIZES
from lab.operations import Allocate
from lab.scenarios import task_config
from lab.snapshot import Snapshot
from lab.timeline import Timeline


@cache
def paged(free_block_ids: tuple[int, ...]) -> tuple[Snapshot, ...]:
    """The task's A, right after its allocate from that free queue, at every block_size in SIZES."""
    return tuple(Timeline.replay(task_config(size, free_block_ids), [Allocate("A")]).snapshot(1) for size in SIZES)
