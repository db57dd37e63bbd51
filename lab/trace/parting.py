"""One history, two engines: the first operation after which they differ, and the rule why. Read from the two runs.

vLLM's ids begin at 1, so ids alone say little. The runs are compared place by place: the block at place i of vLLM's
first free queue stands for the block at place i of nano-vLLM's. The engines part where, after an operation, a table,
the tokens found, the order of the free queue, a refusal or an answer of can_append differ. That vLLM makes a full block
findable before its KV is written shows only inside an operation, and at most len - 1 tokens are looked up in both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from lab.trace.events import AllocateChecked, AppendChecked, BlockFreed, BlockShared, BlockTaken
from lab.trace.operations import Release
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline

# null_block    vLLM has one block fewer to hand out.
# to_the_head   blocks that nobody can find go to the head of vLLM's queue;  all_to_the_head  without caching all do.
# first_holder  of several blocks with the same page vLLM uses the first, nano-vLLM the newest.
# nothing_found without caching vLLM finds no prefix.
Rule = Literal["null_block", "to_the_head", "all_to_the_head", "first_holder", "nothing_found"]


@dataclass(frozen=True)
class Parting:
    """Where two runs part. `step`: index of the operation. `ours`, `theirs`: the blocks that the rule is about, by the
    ids that nano-vLLM and vLLM gave them."""

    step: int
    rule: Rule
    ours: tuple[int, ...]
    theirs: tuple[int, ...]


def find_parting(ours: Timeline, theirs: Timeline) -> Parting | None:
    """The first operation after which nano-vLLM's run and vLLM's differ; None if they never do. Pure."""
    twins = match_blocks(ours.start, theirs.start)
    extra = set(ours.start.free_block_ids) - set(twins.values())
    for mine, other in zip(ours.steps, theirs.steps, strict=False):
        if _describe_outcome(mine, {i: i for i in range(mine.after.num_blocks)}, extra) != _describe_outcome(
            other, twins
        ):
            rule = _find_rule(mine, other, twins, caching=theirs.config.engine == "vllm")
            return Parting(mine.index, rule, *_find_blocks(rule, mine, other, extra))
    return None


def match_blocks(ours: Snapshot, theirs: Snapshot) -> dict[int, int]:
    """vLLM's block -> nano-vLLM's block at the same place of the first free queue. Pure."""
    return dict(zip(theirs.free_block_ids, ours.free_block_ids, strict=False))


def _describe_outcome(step: Step, names: Mapping[int, int], extra: Collection[int] = ()) -> object:
    """What an operation left, with vLLM's blocks under nano-vLLM's names; without `extra` blocks in the queue."""
    return (
        step.refusal is None,
        [event.answer for event in step.events if isinstance(event, AppendChecked)],
        [(view.seq_id, [names[i] for i in view.block_table], view.num_cached_tokens) for view in step.after.sequences],
        [names[i] for i in step.after.free_block_ids if i not in extra],
    )


def _find_rule(mine: Step, other: Step, twins: Mapping[int, int], *, caching: bool) -> Rule:
    if isinstance(mine.operation, Release):
        return "to_the_head" if caching else "all_to_the_head"
    found, found_there = _list_shared(mine), [twins[i] for i in _list_shared(other)]
    is_refused = mine.refusal is not None or other.refusal is not None  # then nothing was shared
    if _count_needs(mine) != _count_needs(other) or (found != found_there and not is_refused):
        return "first_holder" if caching else "nothing_found"
    return "null_block"


def _find_blocks(rule: Rule, mine: Step, other: Step, extra: set[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    match rule:
        case "to_the_head" | "all_to_the_head":
            ours = tuple(event.block_id for event in mine.events if isinstance(event, BlockFreed))
            heads = {event.block_id for event in other.events if isinstance(event, BlockFreed) and event.first}
            return ours, tuple(i for i in other.after.free_block_ids if i in heads)
        case "nothing_found":
            theirs = tuple(event.block_id for event in other.events if isinstance(event, BlockTaken))
            return tuple(_list_shared(mine)), theirs
        case "first_holder":
            return tuple(_list_shared(mine)), tuple(_list_shared(other))
        case _:
            return tuple(extra), tuple(range(other.after.first_id))


def _list_shared(step: Step) -> list[int]:
    return [event.block_id for event in step.events if isinstance(event, BlockShared)]


def _count_needs(step: Step) -> list[int]:
    return [event.needs for event in step.events if isinstance(event, AllocateChecked)]
