"""One quick question after an operation: what just happened? Options and answer are read from the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.trace.events import BlockFreed, BlockTaken, KVWritten, PageHasRoom
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.snapshot import difference

if TYPE_CHECKING:
    from lab.trace.timeline import Step


@dataclass(frozen=True)
class Option:
    """One choice: `id` is language-neutral and names its idea; `ids` are the block ids it mentions."""

    id: str
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class QuickCheck:
    """A question with its options, in the order shown; `answer` is the id of the right one."""

    kind: str
    seq_id: str
    options: tuple[Option, ...]
    answer: str


def quick_check(step: Step) -> QuickCheck:
    """The question that fits what this step did. Pure."""
    after: dict[type[Operation], Callable[[Step], QuickCheck]] = {
        Allocate: _after_allocate,
        Append: _after_append,
        AppendToken: _after_append_token,
        CanAppend: _after_can_append,
        MayAppend: _after_may_append,
        Release: _after_release,
    }
    return _after_refusal(step) if step.refusal else after[type(step.operation)](step)


def _after_allocate(step: Step) -> QuickCheck:
    view = step.after.sequence(step.operation.seq_id)
    table = view.block_table if view else ()
    options = [
        Option("table", table),
        Option("logical_index", tuple(range(len(table)))),
        Option("sorted", tuple(sorted(table))),
        Option("still_free", step.after.free_block_ids[: len(table)]),
    ]
    return _check("allocated", step, options)


def _after_append(step: Step) -> QuickCheck:
    taken = [event.block_id for event in step.events if isinstance(event, BlockTaken)]
    room = [event.block_id for event in step.events if isinstance(event, PageHasRoom)]
    head = step.before.free_block_ids[:1]
    if taken:
        options = [Option("may_took", tuple(taken)), Option("can_took", tuple(taken)), Option("nothing_taken")]
    else:
        options = [Option("nothing_taken"), Option("may_took", head), Option("can_took", head)]
        options = options if head else options[:1]
    return _check("appended", step, [*options, Option("moved", tuple(taken or room))])


def _after_append_token(step: Step) -> QuickCheck:
    options = [Option("longer"), Option("written")]
    if head := step.before.free_block_ids[:1]:
        options.append(Option("took", head))
    return _check("token_added", step, options)


def _after_can_append(step: Step) -> QuickCheck:
    options = [Option("nothing"), Option("token_gone")]
    if head := step.before.free_block_ids[:1]:
        options.append(Option("claimed", head))
    return _check("checked", step, options)


def _after_may_append(step: Step) -> QuickCheck:
    """Which block has the token's KV, and was it taken for it? Or did no token wait?"""
    taken = tuple(event.block_id for event in step.events if isinstance(event, BlockTaken))
    room = tuple(event.block_id for event in step.events if isinstance(event, PageHasRoom))
    wrote = any(isinstance(event, KVWritten) for event in step.events)
    view = step.before.sequence(step.operation.seq_id)
    last = view.block_table[-1:] if view else ()
    options = [
        Option("took", taken or step.before.free_block_ids[:1]),
        Option("room", room or last),
        Option("idle"),
    ]
    happened = "took" if taken else "room" if wrote else "idle"
    options.sort(key=lambda option: option.id != happened)
    return _check("placed", step, [option for option in options if option.ids or option.id == "idle"])


def _after_release(step: Step) -> QuickCheck:
    freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
    view = step.before.sequence(step.operation.seq_id)
    table = view.block_table if view else ()
    options = [
        Option("joined", freed),
        Option("table_order", table),
        Option("sorted", tuple(sorted(table))),
    ]
    if freed:
        options.append(Option("nowhere"))
    if freed and step.before.free_block_ids:  # in an empty queue head and tail are the same place
        options.append(Option("to_head", freed))
    return _check("released", step, options, same_ids_allowed="to_head")


def _after_refusal(step: Step) -> QuickCheck:
    unchanged = step.before == step.after
    changed = difference(step.before, step.after)
    options = [Option("nothing"), Option("lost")]
    if step.before.free_block_ids:
        options.append(Option("partly", step.before.free_block_ids[:1]))
    answer = "nothing" if unchanged and not changed.blocks else "partly"
    return QuickCheck("refused", step.operation.seq_id, _rotated(options, step.index), answer)


def _check(kind: str, step: Step, options: list[Option], same_ids_allowed: str = "") -> QuickCheck:
    """The first option is what happened; those that say the same are dropped."""
    kept: list[Option] = []
    for option in options:
        lists_ids = kind in ("allocated", "released") and option.id != same_ids_allowed
        if not (lists_ids and any(option.ids == other.ids for other in kept)):
            kept.append(option)
    return QuickCheck(kind, step.operation.seq_id, _rotated(kept, step.index), options[0].id)


def _rotated(options: Iterable[Option], by: int) -> tuple[Option, ...]:
    """Same options, another first one, so that the right one is not always on top. Deterministic."""
    items = list(options)
    by = (by + 1) % len(items)
    return (*items[by:], *items[:by])
