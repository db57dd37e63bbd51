"""Two runs that prove a statement in any scenario: the systems that pages are compared with. Each runs once."""

from __future__ import annotations

from functools import cache

from lab.activities.block_size_runs import SIZES, measure_use
from lab.trace.config import Request
from lab.trace.contiguous import ContiguousAllocator, ReservePolicy, run_contiguous
from lab.trace.operations import Allocate, Release


@cache
def run_hole() -> dict[str, int]:
    """A contiguous pool refuses a request although enough slots are free: slots free, needed, in the largest hole."""
    requests = [Request(name, tuple(range(length)), (0,)) for name, length in (("A", 5), ("B", 3), ("C", 7))]
    operations = (Allocate("A"), Allocate("B"), Release("A"), Allocate("C"))
    last = run_contiguous(ContiguousAllocator(14, 14, ReservePolicy.TRUE_LENGTH), requests, operations)[-1]
    needed = int(last.refusal.numbers["needed"]) if last.refusal else 0
    return {"hole_free": last.free, "hole_needed": needed, "hole_largest": last.largest_hole}


@cache
def find_larger_with_fewer() -> dict[str, int]:
    """The first request and pair of block sizes where the larger size leaves fewer slots empty."""
    pairs = (
        (tokens, small, large)
        for tokens in range(5, 17)
        for small in SIZES[3:]
        for large in SIZES[small:]
        if measure_use(tokens, large).empty < measure_use(tokens, small).empty
    )
    tokens, small, large = next(pairs)
    return {
        "ex_tokens": tokens,
        "ex_small": small,
        "ex_large": large,
        "ex_small_empty": measure_use(tokens, small).empty,
        "ex_large_empty": measure_use(tokens, large).empty,
    }
