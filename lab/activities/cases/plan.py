"""A case's plan: what of it is left after a run, and whether that still settles what was predicted."""

from __future__ import annotations

from collections.abc import Sequence

from lab.activities.question import Question, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import LabError
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.timeline import Step, Timeline


def remaining(plan: Sequence[Operation], steps: Sequence[Step]) -> tuple[Operation, ...]:
    """The plan without what was done. Pure. One that was refused counts as done only where it was the next one."""
    rest = list(plan)
    for step in steps:
        if rest[:1] == [step.operation] or (step.refusal is None and step.operation in rest):
            rest.remove(step.operation)
    return tuple(rest)


def answers_all(
    config: Config, operations: tuple[Operation, ...], rest: tuple[Operation, ...], questions: Sequence[Question]
) -> bool:
    """Do these operations, and then the rest, answer every question? Runs the engine on a pool of its own."""
    try:
        timeline = Timeline.replay(config, (*operations, *rest))
    except LabError:  # a limit
        return False
    return len(observe_outcomes(list(iterate_trace_points(timeline.steps)), questions)) == len(questions)
