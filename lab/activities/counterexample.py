"""A run that answers what one learner's run cannot: on a fresh pool, ids look consecutive by luck."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lab.activities.question import observe_outcomes
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.trace.operations import Allocate
from lab.trace.presets import build_task_config
from lab.trace.timeline import Timeline


def find_counterexample(lucky: Outcome | None) -> Outcome | None:
    """The run that shows that ids need not be consecutive, if the learner's own happened to be; else None."""
    return run_counterexample() if lucky is not None and lucky.value else None


def add_counterexample(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes, with the counterexample's where the learner's own run settles nothing."""
    found = find_counterexample(outcomes.get("consecutive"))
    return {**outcomes, "consecutive": found} if found else {**outcomes}


@cache
def run_counterexample() -> Outcome:
    """Are A's ids consecutive in the default task, on the used pool? Read from a run of the engine."""
    return observe_outcomes(list(iterate_trace_points(Timeline.replay(build_task_config(), [Allocate("A")]).steps)))[
        "consecutive"
    ]
