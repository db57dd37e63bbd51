"""A case's plan: what remains of it after a run, and whether the rest still answers the questions."""

from __future__ import annotations

from collections.abc import Sequence

from lab.activities.question import Question, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import LabError
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.timeline import Step, Timeline, run_whole


def remaining(plan: Sequence[Operation], steps: Sequence[Step]) -> tuple[Operation, ...]:
    """The plan without the operations that were done. A refused operation counts as done only if it was next. Pure."""
    rest = list(plan)
    for step in steps:
        if rest[:1] == [step.operation] or (step.refusal is None and step.operation in rest):
            rest.remove(step.operation)
    return tuple(rest)


def compute_ahead(config: Config, operations: tuple[Operation, ...]) -> Timeline | None:
    """The run of operations that are still ahead, on an engine of its own, which nobody changes.

    None if a limit refuses it. Who follows a plan gets the same one before each operation.
    """
    try:
        return run_whole(config, operations)
    except LabError:
        return None


def answers_all(timeline: Timeline, rest: tuple[Operation, ...], questions: Sequence[Question]) -> bool:
    """Would this run, followed by the rest, answer every question?"""
    ahead = compute_ahead(timeline.config, (*timeline.operations, *rest))
    if ahead is None:
        return False
    return len(observe_outcomes(list(iterate_trace_points(ahead.steps)), questions)) == len(questions)
