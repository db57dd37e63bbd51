"""The same operations at another block_size, and the operations that now end differently. Read from two runs.

The number of blocks and the free queue stay, so that block ids can be compared; the number of slots changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.engine.errors import LabError
from lab.sandbox.scenario import Scenario
from lab.trace.events import AppendChecked, BlockFreed, BlockShared, BlockTaken
from lab.trace.operations import Operation
from lab.trace.timeline import Step, Timeline


@dataclass(frozen=True)
class Ending:
    """How one operation ended; block ids are in the order of the events.

    refused  the code of the refusal, empty if there was none;  answer  what can_append returned, if it was called.
    """

    refused: str
    answer: bool | None
    taken: tuple[int, ...]
    shared: tuple[int, ...]
    returned: tuple[int, ...]


@dataclass(frozen=True)
class Changed:
    """An operation that ends differently. `step`: its index in the log, from 0.

    what  all differences, in this order: "refused" or "accepted" (now, and not before), "reason" (refused both times),
          "answer", "taken", "shared", "returned".
    """

    step: int
    operation: Operation
    before: Ending
    after: Ending
    what: tuple[str, ...]


def replay_within_limits(scenario: Scenario) -> tuple[Timeline, LabError | None]:
    """The scenario's run until a limit of the lab stops it, and that limit, or None.

    An operation that is refused at one size may succeed at another, so a limit may be met at one size only.
    """
    timeline = Timeline(scenario.config)
    for operation in scenario.operations:
        try:
            timeline.apply(operation)
        except LabError as limit:
            return timeline, limit
    return timeline, None


def compare_runs(before: Iterable[Step], after: Iterable[Step]) -> Iterable[Changed]:
    """The steps of two runs of one log that end differently, as far as both runs go. Pure."""
    for old, new in zip(before, after, strict=False):
        was, now = describe_ending(old), describe_ending(new)
        if what := tuple(_list_differences(was, now)):
            yield Changed(old.index, old.operation, was, now, what)


def describe_ending(step: Step) -> Ending:
    """How a step ended. Pure."""
    events = step.events
    # For Allocate, can_allocate repeats whether it was refused, so only the answers of can_append count.
    answers = [event.answer for event in events if isinstance(event, AppendChecked)]
    return Ending(
        refused=step.refusal.reason if step.refusal else "",
        answer=answers[0] if answers else None,
        taken=tuple(event.block_id for event in events if isinstance(event, BlockTaken)),
        shared=tuple(event.block_id for event in events if isinstance(event, BlockShared)),
        returned=tuple(event.block_id for event in events if isinstance(event, BlockFreed)),
    )


def _list_differences(was: Ending, now: Ending) -> Iterable[str]:
    if bool(was.refused) != bool(now.refused):
        yield "refused" if now.refused else "accepted"
    elif was.refused != now.refused:
        yield "reason"
    if was.answer is not None and now.answer is not None and was.answer != now.answer:
        yield "answer"
    for name in ("taken", "shared", "returned"):
        if getattr(was, name) != getattr(now, name):
            yield name
