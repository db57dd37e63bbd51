"""The runs that the scenes draw: a contiguous pool of 64 slots, and the same 64 slots in 16 blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lab.trace.config import Config, Request
from lab.trace.contiguous import ContiguousAllocator, ContiguousSnapshot, ReservePolicy, run_contiguous
from lab.trace.kv_cache import Proof
from lab.trace.operations import Allocate, Append, Operation, Release
from lab.trace.presets import B_FIFTH, B_PROMPT, FURTHER
from lab.trace.timeline import Timeline

A = Request("A", (*B_PROMPT, B_FIFTH, *FURTHER, B_FIFTH), FURTHER)
B = Request("B", (*A.prompt[:8], FURTHER[3], B_FIFTH), FURTHER)
BLOCK_SIZE = 4
# not the task's queue, because the learner will predict from that one
CONFIG = Config(16, BLOCK_SIZE, (9, 4, 13, 6, 1, 11, 2, 15, 0, 8, 5, 14, 3, 10, 7, 12), (A, B))
SLOTS = CONFIG.num_blocks * CONFIG.block_size

RESERVING: tuple[Operation, ...] = (Allocate("A"), *[Append("A")] * len(A.continuation), Allocate("B"))
PAGING: tuple[Operation, ...] = (Allocate("A"), Append("A"), Append("A"), Allocate("B"), Release("A"), Release("B"))


@dataclass(frozen=True)
class IntuitionRuns:
    """The states and runs that the scenes draw.

    empty     the contiguous pool before the first operation.
    reserved  the contiguous pool after each operation of RESERVING.
    paper     the pool after the one request of the paper's Figure 3, which reserves 2048 slots.
    paged     the run of PAGING.
    proofs    attention over paged KV against contiguous KV, right after A was allocated.
    """

    empty: ContiguousSnapshot
    reserved: tuple[ContiguousSnapshot, ...]
    paper: ContiguousSnapshot
    paged: Timeline
    proofs: tuple[Proof, ...]


@cache
def run_all() -> IntuitionRuns:
    """Run everything, once per process: the scenes are the same for everybody."""
    pool = ContiguousAllocator(SLOTS, SLOTS, ReservePolicy.MAXIMUM)
    empty = pool.snapshot()
    # 7 tokens of prompt and 3 of output: Kwon et al., SOSP 2023, Figure 3, request A.
    example = Request("A", (*A.prompt[:7],), FURTHER[:3])
    (paper,) = run_contiguous(ContiguousAllocator(2048, 2048, ReservePolicy.MAXIMUM), [example], [Allocate("A")])
    paged = Timeline.replay(CONFIG, PAGING)
    return IntuitionRuns(empty, run_contiguous(pool, (A, B), RESERVING), paper, paged, paged.proofs(1))
