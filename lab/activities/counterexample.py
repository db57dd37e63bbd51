"""A run that answers what one learner's run cannot: on a fresh pool, ids look consecutive by luck."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lab.activities.question import observe_outcomes
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.trace.operations import Allocate
from lab.trace.presets import build_task_config
from lab.trace.timeline import Timeline


def add_counterexample(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes; if ids happened to be consecutive, with the run that shows that they need not be."""
    lucky = outcomes.get("consecutive")
    return {**outcomes, **({"consecutive": run_counterexample()} if lucky is not None and lucky.value else {})}


@cache
def run_counterexample() -> Outcome:
    """Are A's ids consecutive in the default task, on the used pool? Read from a run of the engine."""
    return observe_outcomes(list(iterate_trace_points(Timeline.replay(build_task_config(), [Allocate("A")]).steps)))[
        "consecutive"
    ]
