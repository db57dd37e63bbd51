"""The same operations at another block_size, and which of them now end differently. Read from two runs.

The number of blocks stays, and the free queue with it, so that block ids can be compared; the pool's slots become more
or fewer with block_size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lab.errors import LabError
from lab.events import AppendChecked, BlockFreed, BlockShared, BlockTaken
from lab.operations import Operation
from lab.sandbox.scenario import Scenario
from lab.timeline import Step, Timeline


@dataclass(frozen=True)
class Ending:
    """How one operation ended: block ids in the order of the events.

    refused  the code of what refused it, empty if nothing did;  answer  what can_append or can_allocate said, if asked.
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


@dataclass(frozen=True)
class Resized:
    """A scenario at its own and at another block_size.

    stopped  the limit of the lab that the replay met, if any: from `compared` on, operations were not run again.
    """

    scenario: Scenario
    before: Timeline
    after: Timeline
    changed: tuple[Changed, ...]
    compared: int
    stopped: LabError | None


def resize(scenario: Scenario, block_size: int, before: Timeline | None = None) -> Resized:
    """Replay at `block_size`. `before`: the scenario's own run, if there is one already; it stays as it is.

    Raises what Scenario raises for that size, and what the scenario's own run raises.
    """
    other = replace(scenario, block_size=block_size)
    if before is None:
        before = Timeline.replay(scenario.config, scenario.operations)
    after = Timeline(other.config, before.cache.model)
    stopped = None
    for operation in other.operations:
        try:
            after.apply(operation)
        except LabError as error:  # what one size refuses the other may accept, and so come to a limit
            stopped = error
            break
    compared = min(len(before.steps), len(after.steps))
    return Resized(other, before, after, tuple(changes(before.steps, after.steps)), compared, stopped)


def changes(before: Iterable[Step], after: Iterable[Step]) -> Iterable[Changed]:
    """The steps of two runs of one log that end differently, as far as both go. Pure."""
    for old, new in zip(before, after, strict=False):
        was, now = ending(old), ending(new)
        if what := tuple(_differing(was, now)):
            yield Changed(old.index, old.operation, was, now, what)


def ending(step: Step) -> Ending:
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


def _differing(was: Ending, now: Ending) -> Iterable[str]:
    if bool(was.refused) != bool(now.refused):
        yield "refused" if now.refused else "accepted"
    elif was.refused != now.refused:
        yield "reason"
    if was.answer is not None and now.answer is not None and was.answer != now.answer:
        yield "answer"
    for name in ("taken", "shared", "returned"):
        if getattr(was, name) != getattr(now, name):
            yield name
