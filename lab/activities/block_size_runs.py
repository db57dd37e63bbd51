"""Requests at every block_size: how many slots they leave empty, and the task's A, measured by running the engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.trace.config import MAX_BLOCK_SIZE
from lab.trace.operations import Allocate
from lab.trace.presets import build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline

LENGTHS = range(1, 65)  # tokens; compute_mean_empty averages over these
SIZES = range(1, MAX_BLOCK_SIZE + 1)


@dataclass(frozen=True)
class SlotUse:
    """One request right after allocate, in slots; `last` is the number of tokens in its last page."""

    block_size: int
    num_tokens: int
    blocks: int
    last: int
    slots: int

    @property
    def empty(self) -> int:
        """Slots in the request's own blocks that hold no token."""
        return self.slots - self.num_tokens


@cache
def measure_use(num_tokens: int, block_size: int) -> SlotUse:
    """Allocate a request of that length on its own pool and read its block_table. Pure."""
    seq = Sequence("A", range(num_tokens), block_size)
    manager = BlockManager(seq.num_blocks, block_size)
    manager.allocate(seq)
    blocks = len(seq.block_table)
    return SlotUse(block_size, num_tokens, blocks, seq.last_block_num_tokens, blocks * manager.block_size)


@cache
def compute_mean_empty(block_size: int) -> float:
    """Mean empty slots over requests of every length in LENGTHS."""
    return sum(measure_use(length, block_size).empty for length in LENGTHS) / len(LENGTHS)


@cache
def run_at_all_sizes(free_block_ids: tuple[int, ...]) -> tuple[Snapshot, ...]:
    """The state right after A's allocate in the task, tensor included, from that free queue at every size. Pure."""
    return tuple(
        Timeline.replay(build_task_config(size, free_block_ids), [Allocate("A")]).snapshot(1) for size in SIZES
    )
