"""A run that settles what one learner's run cannot: a fresh pool's ids look consecutive by luck."""

from __future__ import annotations

from functools import cache

from lab.activities.question import observe_outcomes
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.trace.operations import Allocate
from lab.trace.presets import build_task_config
from lab.trace.timeline import Timeline


def find_counterexample(lucky: Outcome | None) -> Outcome | None:
    """The run that shows that ids need not be consecutive, where a learner's own happened to be; None elsewhere."""
    return run_counterexample() if lucky is not None and lucky.value else None


@cache
def run_counterexample() -> Outcome:
    """Were A's ids consecutive in the default task, on the used pool? Read from a run of the engine."""
    return observe_outcomes(list(iterate_trace_points(Timeline.replay(build_task_config(), [Allocate("A")]).steps)))[
        "consecutive"
    ]
