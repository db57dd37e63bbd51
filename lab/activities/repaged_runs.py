"""The task's A at every block_size: runs of the whole engine, tensor included."""

from __future__ import annotations

from functools import cache

from lab.activities.block_size_runs import SIZES
from lab.trace.operations import Allocate
from lab.trace.presets import build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline


@cache
def run_at_all_sizes(free_block_ids: tuple[int, ...]) -> tuple[Snapshot, ...]:
    """The state right after A's allocate from that free queue, at every block_size in SIZES. Pure."""
    return tuple(
        Timeline.replay(build_task_config(size, free_block_ids), [Allocate("A")]).snapshot(1) for size in SIZES
    )
