"""One quick question after an operation: what happened? Options and answer are read from the step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.activities.question import Option, Question
from lab.trace.events import BlockFreed, BlockTaken, KVWritten, PageHasRoom
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Step


@dataclass(frozen=True, kw_only=True)
class Checkpoint(Question):
    """A question about a step of request `seq_id`; `answer` is the id of the right option."""

    seq_id: str
    answer: str


def _build_option(option_id: str, ids: tuple[int, ...] = (), idea: str = "") -> Option:
    """One choice: the record keeps its id; `ids` are the block ids in its text; `idea` is behind a wrong choice."""
    return Option(option_id, numbers={"ids": ids}, idea=idea)


def build_checkpoint(step: Step) -> Checkpoint:
    """The question that fits what this step did. Pure."""
    after: dict[type[Operation], Callable[[Step], Checkpoint]] = {
        Allocate: _ask_after_allocate,
        Append: _ask_after_append,
        AppendToken: _ask_after_append_token,
        CanAppend: _ask_after_can_append,
        MayAppend: _ask_after_may_append,
        Release: _ask_after_release,
    }
    return _ask_after_refusal(step) if step.refusal else after[type(step.operation)](step)


def _ask_after_allocate(step: Step) -> Checkpoint:
    view = step.after.sequence(step.operation.seq_id)
    table = view.block_table if view else ()
    options = [
        _build_option("table", table),
        _build_option("logical_index", tuple(range(len(table))), "id_is_index"),
        _build_option("sorted", tuple(sorted(table)), "slip_sorted_table"),
        _build_option("still_free", step.after.free_block_ids[: len(table)], "slip_not_head"),
    ]
    return _check("allocated", step, options)


def _ask_after_append(step: Step) -> Checkpoint:
    taken = [event.block_id for event in step.events if isinstance(event, BlockTaken)]
    room = [event.block_id for event in step.events if isinstance(event, PageHasRoom)]
    head = step.before.free_block_ids[:1]
    if taken:
        options = [
            _build_option("may_took", tuple(taken)),
            _build_option("can_took", tuple(taken), "check_allocates"),
            _build_option("nothing_taken", idea="full_page_reused"),
        ]
    else:
        options = [
            _build_option("nothing_taken"),
            _build_option("may_took", head, "slip_append_always_takes"),
            _build_option("can_took", head, "check_allocates"),
        ]
        options = options if head else options[:1]
    return _check("appended", step, [*options, _build_option("moved", tuple(taken or room), "slip_moves")])


def _ask_after_append_token(step: Step) -> Checkpoint:
    options = [_build_option("longer"), _build_option("written", idea="slip_write_before_page")]
    if head := step.before.free_block_ids[:1]:
        options.append(_build_option("took", head, "slip_token_takes"))
    return _check("token_added", step, options)


def _ask_after_can_append(step: Step) -> Checkpoint:
    options = [_build_option("nothing"), _build_option("token_gone", idea="slip_withdrawn")]
    if head := step.before.free_block_ids[:1]:
        options.append(_build_option("claimed", head, "slip_check_reserves"))
    return _check("checked", step, options)


def _ask_after_may_append(step: Step) -> Checkpoint:
    """Which block holds the token's KV, and was it taken just now? Or did no token wait?"""
    taken = tuple(event.block_id for event in step.events if isinstance(event, BlockTaken))
    room = tuple(event.block_id for event in step.events if isinstance(event, PageHasRoom))
    wrote = any(isinstance(event, KVWritten) for event in step.events)
    view = step.before.sequence(step.operation.seq_id)
    last = view.block_table[-1:] if view else ()
    happened = "took" if taken else "room" if wrote else "idle"
    options = [
        _build_option(
            "took",
            taken or step.before.free_block_ids[:1],
            "slip_acts_each_time" if happened == "idle" else "slip_append_always_takes",
        ),
        _build_option("room", room or last, "full_page_reused" if happened == "took" else ""),
        _build_option("idle", idea="slip_never_acts"),
    ]
    options.sort(key=lambda option: option.id != happened)
    return _check("placed", step, [option for option in options if option.ids or option.id == "idle"])


def _ask_after_release(step: Step) -> Checkpoint:
    freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
    view = step.before.sequence(step.operation.seq_id)
    table = view.block_table if view else ()
    every = "released_at_first" if len(freed) < len(table) else ""  # also the blocks that another request holds
    options = [
        _build_option("joined", freed),
        _build_option("table_order", table, every or "slip_table_order"),
        _build_option("sorted", tuple(sorted(table)), every or "slip_sorted"),
    ]
    if freed:
        options.append(_build_option("nowhere", idea="slip_none"))
    if freed and step.before.free_block_ids:  # with an empty queue, head and tail are the same place
        options.append(_build_option("to_head", freed, "slip_joins_head"))
    return _check("released", step, options, same_ids_allowed="to_head")


def _ask_after_refusal(step: Step) -> Checkpoint:
    unchanged = step.before == step.after
    changed = compare_snapshots(step.before, step.after)
    options = [_build_option("nothing"), _build_option("lost")]
    if step.before.free_block_ids:
        options.append(_build_option("partly", step.before.free_block_ids[:1], "act_without_block"))
    answer = "nothing" if unchanged and not changed.blocks else "partly"
    return _build("refused", step, options, answer)


def _check(kind: str, step: Step, options: list[Option], same_ids_allowed: str = "") -> Checkpoint:
    """Build the checkpoint. The first option is what happened; later options with the same ids are dropped."""
    distinct: list[Option] = []
    for option in options:
        lists_ids = kind in ("allocated", "released") and option.id != same_ids_allowed
        if not (lists_ids and any(option.ids == other.ids for other in distinct)):
            distinct.append(option)
    return _build(kind, step, distinct, options[0].id)


def _build(kind: str, step: Step, options: list[Option], answer: str) -> Checkpoint:
    """The question with another option first, so that the right one is not always on top. Deterministic."""
    by = (step.index + 1) % len(options)
    shown = (*options[by:], *options[:by])
    return Checkpoint(kind, "choice", options=shown, seq_id=step.operation.seq_id, answer=answer)
