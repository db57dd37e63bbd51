"""A case's plan: what remains of it after a run, and whether the rest still answers the questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lab.activities.question import Question, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import LabError
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.timeline import Step, Timeline


def remaining(plan: Sequence[Operation], steps: Sequence[Step]) -> tuple[Operation, ...]:
    """The plan without the operations that were done. A refused operation counts as done only if it was next. Pure."""
    rest = list(plan)
    for step in steps:
        if rest[:1] == [step.operation] or (step.refusal is None and step.operation in rest):
            rest.remove(step.operation)
    return tuple(rest)


@lru_cache(maxsize=64)
def compute_ahead(config: Config, operations: tuple[Operation, ...]) -> Timeline | None:
    """Run these operations on an engine of their own, which nobody changes; None if a limit refuses one.

    Who follows a plan asks about the same operations before each of them, and so does everybody else.
    """
    try:
        return Timeline.replay(config, operations)
    except LabError:
        return None


def answers_all(
    config: Config, operations: tuple[Operation, ...], rest: tuple[Operation, ...], questions: Sequence[Question]
) -> bool:
    """Would these operations, followed by the rest, answer every question?"""
    timeline = compute_ahead(config, (*operations, *rest))
    if timeline is None:
        return False
    return len(observe_outcomes(list(iterate_trace_points(timeline.steps)), questions)) == len(questions)
