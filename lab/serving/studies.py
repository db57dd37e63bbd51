"""Small sets of runs that answer one question each. Here are the settings; the answers are in the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from lab.serving.simulation import ServingPolicy, ServingResult, Settings
from lab.serving.workload import Uploaded, Workload

BLOCK_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SYSTEM_PROMPT = 512  # tokens
STUDY_STEPS = 6_000
FILE_BUDGET = 2_000_000  # work for an uploaded file, about two seconds: very short requests start by the thousand


def compute_budget(workload: Workload) -> int | None:
    """The work that a run of these requests may cost (see Settings); None for the lab's own workloads. Pure."""
    return FILE_BUDGET if isinstance(workload, Uploaded) else None


def build_block_size_study(workload: Workload, steps: int = STUDY_STEPS, seed: int = 0) -> tuple[Settings, ...]:
    """How does the waste grow with block_size? Nothing else differs between the runs."""
    base = Settings(workload, ServingPolicy.PAGED, steps=steps, seed=seed, budget=compute_budget(workload))
    return tuple(replace(base, block_size=size) for size in BLOCK_SIZES)


def build_system_prompt_study(
    workload: Workload, steps: int = STUDY_STEPS, seed: int = 0, prefix: int = SYSTEM_PROMPT
) -> tuple[Settings, Settings]:
    """What does sharing one system prompt save? The same requests twice, first without sharing, then with it."""
    base = Settings(
        workload, ServingPolicy.PAGED, steps=steps, seed=seed, prefix=prefix, budget=compute_budget(workload)
    )
    return base, replace(base, share=True)


def measure_waste(result: ServingResult) -> float:
    """Slots in the requests' own pages that hold no token, in percent of all slots; block_size decides it."""
    return result.shares.reserved + result.shares.internal


def classify_growth(results: Sequence[ServingResult]) -> Literal["none", "steady", "uneven"]:
    """How the waste changes from each block_size to the next larger one. Pure.

    "none": it rounds to 0.0 at every size; "steady": it grows each time; "uneven": it does not.
    """
    wastes = [measure_waste(result) for result in results]
    if all(f"{each:.1f}" == "0.0" for each in wastes):
        return "none"
    return "steady" if all(more > less for less, more in pairwise(wastes)) else "uneven"


def measure_table_entries(result: ServingResult) -> float:
    """Blocks that a running request holds on average: entries of its block_table. For runs that share nothing."""
    held = result.shares.tokens + measure_waste(result)  # percent of the slots
    return held / 100 * result.settings.num_slots / result.settings.block_size / result.mean_batch
