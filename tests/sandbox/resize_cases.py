"""A scenario at its own and at another block_size, both replayed as far as the lab's limits allow."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.engine.errors import LabError
from lab.sandbox.resize import Changed, compare_runs, replay_within_limits
from lab.sandbox.scenario import Scenario
from lab.trace.timeline import Timeline


@dataclass(frozen=True)
class Resized:
    """Both runs; the steps that end differently among the first `compared`; the limit that the other run met."""

    scenario: Scenario
    before: Timeline
    after: Timeline
    changed: tuple[Changed, ...]
    compared: int
    stopped: LabError | None


def resize(scenario: Scenario, block_size: int) -> Resized:
    """Replay at `block_size`. Raises what Scenario raises for that size."""
    other = replace(scenario, block_size=block_size)
    before, _ = replay_within_limits(scenario)
    after, stopped = replay_within_limits(other)
    compared = min(len(before.steps), len(after.steps))
    return Resized(other, before, after, tuple(compare_runs(before.steps, after.steps)), compared, stopped)
