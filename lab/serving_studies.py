"""Small sets of runs that answer one question each: which settings to run. The answers are in the results."""

from __future__ import annotations

from dataclasses import replace

from lab.serving import Policy, Result, Settings
from lab.workload import Workload

BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SYSTEM_PROMPT = 512  # tokens
STUDY_STEPS = 6_000


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


def table_entries(result: Result) -> float:
    """Blocks that a running request holds on average: entries of its block_table. For runs that share nothing."""
    held = result.shares.tokens + waste(result)  # percent of the slots
    return held / 100 * result.settings.num_slots / result.settings.block_size / result.mean_batch
