"""Small sets of runs that answer one question each: which settings to run. The answers are in the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

from lab.serving import MAX_TOKENS, NUM_SLOTS, Policy, Result, Settings
from lab.workload import Lengths, Uploaded, Workload, unpacked

BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SYSTEM_PROMPT = 512  # tokens
STUDY_STEPS = 6_000
LOAD = 250  # of a step, in running requests: about that of short instructions (Alpaca); see affordable
START, PER_PROMPT = 5, 16  # a request that starts weighs as much as so many that run, and one more for 16 tokens
FEWEST_STEPS = 200
_loads: WeakKeyDictionary[Uploaded, float] = WeakKeyDictionary()  # gone with the file


def affordable(workload: Workload, steps: int) -> int:
    """So many steps at most that a file of tiny requests keeps nobody waiting for an hour. Pure.

    They run and start by the thousand in each step; the averages settle sooner, too.
    """
    if not isinstance(workload, Uploaded):
        return steps
    if workload not in _loads:
        _loads[workload] = _load(workload)
    return max(min(steps, FEWEST_STEPS), min(steps, int(steps * LOAD / _loads[workload])))


def _load(workload: Uploaded) -> float:
    """Of a step, with all slots given out, to each request as long as it runs."""
    numbers = unpacked(workload.packed)
    lengths = [Lengths(*pair).clipped(MAX_TOKENS) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    held = sum(each.final * each.output for each in lengths)
    return NUM_SLOTS * sum(each.output + START + each.prompt / PER_PROMPT for each in lengths) / held


def block_sizes(workload: Workload, steps: int = STUDY_STEPS, seed: int = 0) -> tuple[Settings, ...]:
    """How does the waste grow with block_size? Nothing else differs."""
    base = Settings(workload, Policy.PAGED, steps=steps, seed=seed)
    return tuple(replace(base, block_size=size) for size in BLOCK_SIZES)


def system_prompt(
    workload: Workload, steps: int = STUDY_STEPS, seed: int = 0, prefix: int = SYSTEM_PROMPT
) -> tuple[Settings, Settings]:
    """What does sharing one system prompt save? The same requests twice, first not shared, then shared."""
    base = Settings(workload, Policy.PAGED, steps=steps, seed=seed, prefix=prefix)
    return base, replace(base, share=True)


def waste(result: Result) -> float:
    """Slots in the requests' own pages that hold no token, in percent of all slots: what block_size decides."""
    return result.shares.reserved + result.shares.internal


def growth(results: Sequence[Result]) -> Literal["none", "steady", "uneven"]:
    """How the waste changes from each block_size to the next larger one. Pure.

    "none": no size wastes anything that one decimal shows; "steady": it grows each time; "uneven": it does not.
    """
    found = [waste(result) for result in results]
    if all(f"{each:.1f}" == "0.0" for each in found):
        return "none"
    return "steady" if all(more > less for less, more in pairwise(found)) else "uneven"


def table_entries(result: Result) -> float:
    """Blocks that a running request holds on average: entries of its block_table. For runs that share nothing."""
    held = result.shares.tokens + waste(result)  # percent of the slots
    return held / 100 * result.settings.num_slots / result.settings.block_size / result.mean_batch
