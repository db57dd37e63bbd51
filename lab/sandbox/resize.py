"""The same operations at another block_size, and which of them now end differently. Read from two runs.

The number of blocks stays, and the free queue with it, so that block ids can be compared; the pool's slots become more
or fewer with block_size.
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
    """How one operation ended: block ids in the order of the events.

    refused  the code of what refused it, empty if nothing did;  answer  what can_append said, if asked.
    """

    refused: str
    answer: bool | None
    taken: tuple[int, ...]
    shared: tuple[int, ...]
    returned: tuple[int, ...]


@dataclass(frozen=True)
class Changed:
    """An operation that ends differently. `step`: its place in the log, from 0.

    what  all that differs, in this order: "refused" or "accepted" (now, and was not), "reason" (refused both times),
          "answer", "taken", "shared", "returned".
    """

    step: int
    operation: Operation
    before: Ending
    after: Ending
    what: tuple[str, ...]


def replay_within_limits(scenario: Scenario) -> tuple[Timeline, LabError | None]:
    """The scenario's run, as far as the limits of the lab let it go, and the limit that stopped it, if any.

    What one size refuses another may accept, and so come to a limit.
    """
    timeline = Timeline(scenario.config)
    for operation in scenario.operations:
        try:
            timeline.apply(operation)
        except LabError as limit:
            return timeline, limit
    return timeline, None


def compare_runs(before: Iterable[Step], after: Iterable[Step]) -> Iterable[Changed]:
    """The steps of two runs of one log that end differently, as far as both go. Pure."""
    for old, new in zip(before, after, strict=False):
        was, now = describe_ending(old), describe_ending(new)
        if what := tuple(_list_differences(was, now)):
            yield Changed(old.index, old.operation, was, now, what)


def describe_ending(step: Step) -> Ending:
    """How a step ended. Pure."""
    events = step.events
    # Allocate's can_allocate says no more than whether it was refused, so only an answer that was asked for counts.
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
