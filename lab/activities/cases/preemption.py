"""What nano-vLLM's scheduler does when no block is free for a running request: its rule, played on the lab's engine.

The lab has no scheduler of its own. The rule is in nanovllm/engine/scheduler.py at commit bb823b3 (the decoding part
of schedule, and preempt): while can_append is False, preempt the running request that came last: release its blocks
and put it back among the waiting requests. If only the request itself is left, preempt that. Then may_append.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

from lab.engine.errors import NoFreeBlocksError, NotAllocatedError
from lab.trace.config import Config
from lab.trace.events import AppendChecked, BlockTaken, Event, Refused, RequestEnded
from lab.trace.operations import CanAppend, MayAppend, Operation, Release
from lab.trace.timeline import Step, Timeline


class Stepped(Protocol):
    """One operation's events."""

    @property
    def events(self) -> tuple[Event, ...]:
        """The operation's events, in order."""


S_co = TypeVar("S_co", bound=Stepped, covariant=True)


class PreemptionPool(Protocol[S_co]):
    """A running engine: lab.trace.timeline, or lab.quiz.run without a tensor."""

    @property
    def live(self) -> Collection[str]:
        """The running requests, in order of arrival."""

    def apply(self, operation: Operation) -> S_co:
        """Run one operation."""


@lru_cache(maxsize=64)
def find_preemption(seq_id: str, config: Config, operations: tuple[Operation, ...]) -> str | None:
    """What the rule does for a request, from the state in which no block was free for it.

    Returns a name as describe_preemption does; None if there has been no such state. Runs the engine on its own pool.
    Raises what Timeline.apply raises.
    """
    short = next((step.index for step in Timeline.replay(config, operations).steps if _is_short(step, seq_id)), None)
    if short is None:
        return None
    timeline = Timeline.replay(config, operations[: short + 1])
    return describe_preemption(make_room(timeline, seq_id), seq_id)


def make_room(pool: PreemptionPool[S_co], seq_id: str) -> tuple[S_co, ...]:
    """Play the rule for a running request and return the steps. Mutates the pool.

    Raises NotAllocatedError for a request that holds no blocks.
    """
    if seq_id not in pool.live:
        raise NotAllocatedError(seq_id=seq_id)
    steps = [pool.apply(CanAppend(seq_id))]
    while not _says_yes(steps[-1]):
        latest = list(pool.live)[-1]
        steps.append(pool.apply(Release(latest)))
        if latest == seq_id:
            return tuple(steps)
        steps.append(pool.apply(CanAppend(seq_id)))
    return (*steps, pool.apply(MayAppend(seq_id)))


def describe_preemption(steps: Sequence[Step], seq_id: str) -> str | None:
    """How these steps dealt with the missing block, read from their events and slots. Pure.

    "raise": an operation was refused. "overwrite": KV that another request still reads has changed. "preempt": the
    newest requests were released. "wait": nothing was released and no block was taken. None: none of these.
    """
    before, after = steps[0].before, steps[-1].after
    others = [view for view in before.sequences if view.seq_id != seq_id and after.sequence(view.seq_id)]
    read = [block_id for view in others for block_id in view.block_table]
    events = [event for step in steps for event in step.events]
    gone = [event.seq_id for event in events if isinstance(event, RequestEnded)]
    came_last = [view.seq_id for view in reversed(before.sequences)][: len(gone)]
    name = None
    if any(isinstance(event, Refused) for event in events):
        name = "raise"
    elif any(before.blocks[block_id].slots != after.blocks[block_id].slots for block_id in read):
        name = "overwrite"
    elif gone:
        name = "preempt" if gone == came_last else None
    elif not any(isinstance(event, BlockTaken) for event in events):
        name = "wait"
    return name


def _is_short(step: Step, seq_id: str) -> bool:
    """Was no block free for this request: did can_append return False, or was may_append refused?"""
    if step.operation == MayAppend(seq_id):
        return step.refusal is not None and step.refusal.reason == NoFreeBlocksError.code
    return step.operation == CanAppend(seq_id) and step.refusal is None and not _says_yes(step)


def _says_yes(step: Stepped) -> bool:
    return any(isinstance(event, AppendChecked) and event.answer for event in step.events)
