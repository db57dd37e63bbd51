"""Code: the chapter's four anchors in the engine's own source. A learner predicts what a line does; then it runs."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.cases.case import Case
from lab.activities.question import Question, build_options
from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.trace.config import Config, Request
from lab.trace.engine_source import find_anchors, find_changers
from lab.trace.events import AppendChecked, BlockTaken, PageHasRoom, ReferenceDropped, RequestEnded
from lab.trace.operations import Allocate, AppendToken, CanAppend, MayAppend, Release

QUEUE = (8, 2, 11, 5, 0, 9, 3, 7, 10, 1, 6, 4)
TEXT = tuple(range(1, 12))
MORE = tuple(range(17, 22))


@dataclass(frozen=True)
class CodeReading:
    """What to read in a case: the anchor (its name in engine_source.py), and methods in the order of the calls."""

    anchor: str
    methods: tuple[str, ...]


# --- block_table: which id is added ----------------------------------------------------------------------------------


def _observe_second_id(point: TracePoint) -> Outcome | None:
    """Which id does the line for the second page add to A's table?"""
    if not isinstance(point.event, BlockTaken) or point.event.page != 1:
        return None
    view = point.snapshot.sequence("A")
    return Outcome(view.block_table[1], point.step, view.block_table) if view else None


def _get_table(values: TemplateValues) -> tuple[int, ...]:
    return values.own.block_table if values.own else ()


SECOND_ID = Question(
    "second_id",
    "number",
    _observe_second_id,
    cell="block",
    rules=(
        ("id_is_index", lambda f: f.answer == len(_get_table(f)) - 1),
        ("slip_same_block", lambda f: f.answer == _get_table(f)[0]),
        ("ids_consecutive", lambda f: f.answer == _get_table(f)[0] + 1),
        ("slip_from_tail", lambda f: f.answer in f.snapshot.free_block_ids[-2:]),
        ("slip_not_head", lambda f: f.answer == f.snapshot.free_block_ids[0]),
    ),
)


# --- can_append: what it sees ----------------------------------------------------------------------------------------


def _observe_pages_seen(point: TracePoint) -> Outcome | None:
    """num_blocks of A when can_append answers."""
    view = point.snapshot.sequence("A")
    if view is None or not isinstance(point.event, AppendChecked) or not view.waiting:
        return None
    return Outcome(view.num_blocks, point.step)


PAGES_SEEN = Question(
    "pages_seen",
    "number",
    _observe_pages_seen,
    rules=(
        ("check_before_append", lambda f: f.own is not None and f.answer == len(f.own.block_table)),
        ("slip_block_per_token", lambda f: f.own is not None and f.answer in (f.own.num_tokens, f.own.num_tokens - 1)),
        ("slip_needed", lambda f: f.own is not None and f.answer == f.own.num_blocks - len(f.own.block_table)),
        ("slip_size_for_count", lambda f: f.answer == f.snapshot.block_size),
    ),
)


# --- may_append: called twice ----------------------------------------------------------------------------------------


def _observe_ids_after_second(point: TracePoint) -> Outcome | None:
    """The length of A's table when may_append runs and no token waits: the second call for the same token."""
    view = point.snapshot.sequence("A")
    if view is None or not isinstance(point.event, PageHasRoom) or view.waiting:
        return None
    return Outcome(len(view.block_table), point.step, view.block_table)


SECOND_CALL = Question(
    "second_call",
    "number",
    _observe_ids_after_second,
    rules=(
        ("slip_acts_each_time", lambda f: f.answer == f.outcome.value + 1),
        ("slip_never_acts", lambda f: f.answer == f.outcome.value - 1),
        ("slip_entry_per_token", lambda f: f.own is not None and f.answer == f.own.num_tokens),
        ("slip_only_new", 1),
    ),
)


# --- deallocate and ref_count ----------------------------------------------------------------------------------------

COUNTERS = ("deallocate", "_drop_reference", "_free_block", "_add_reference")


def _observe_blocks_freed(point: TracePoint) -> Outcome | None:
    """Blocks that have held KV and have no owner after A's release. B still holds all of its own."""
    if not isinstance(point.event, RequestEnded) or point.event.seq_id != "A" or not point.snapshot.sequence("B"):
        return None
    freed = [b.block_id for b in point.snapshot.blocks if b.written and b.ref_count == 0]
    return Outcome(len(freed), point.step, tuple(freed))


def _count_changed_by(point: TracePoint) -> Outcome | None:
    """Which method of the engine changes ref_count when deallocate runs? Found in the source."""
    if not isinstance(point.event, ReferenceDropped):
        return None
    (method,) = find_changers("ref_count", "deallocate")
    (line,) = (
        line for each in find_anchors() if each.name == "deallocate" for name, line in each.changes if name == method
    )
    event = point.event
    named = (
        ("line", line),
        ("block", event.block_id),
        ("ref_before", event.ref_before),
        ("ref_after", event.ref_after),
    )
    return Outcome(COUNTERS.index(method), point.step, named=named)


BLOCKS_FREED = Question(
    "blocks_freed",
    "number",
    _observe_blocks_freed,
    rules=(
        ("released_at_first", lambda f: f.own is not None and f.answer == len(f.own.block_table)),
        ("slip_shared_only", lambda f: f.b is not None and f.answer == sum(_was_shared(f, i) for i in f.b.block_table)),
        ("slip_none", 0),
    ),
)
COUNT_CHANGED_BY = Question(
    "count_changed_by",
    "choice",
    _count_changed_by,
    build_options(
        COUNTERS, deallocate="slip_only_asks", _free_block="slip_comes_after", _add_reference="slip_counts_up"
    ),
)


def _was_shared(values: TemplateValues, block_id: int) -> bool:
    """Did both requests hold this block before the release?"""
    return values.before is not None and len(values.before.owners(block_id)) > 1


# --- the cases -------------------------------------------------------------------------------------------------------


def _build_config(queue: tuple[int, ...], *requests: Request) -> Config:
    return Config(len(queue), 4, queue, requests)


_TEN, _EIGHT = Request("A", TEXT[:10], MORE), Request("A", TEXT[:8], MORE)
_LIKE_A = Request("B", (*TEXT[:8], *MORE[:2]), MORE)
_GROWING = (Allocate("A"), AppendToken("A"))
_WHOLE = Request("A", TEXT[:8], TEXT[8:])  # it appends what the model says; _EIGHT, which the cases had before, did not

CODE = (
    Case("table", _build_config(QUEUE, _TEN), (Allocate("A"),), (SECOND_ID,)),
    Case(
        "check",
        _build_config(QUEUE[3:] + QUEUE[:3], _WHOLE),
        (*_GROWING, CanAppend("A")),
        (PAGES_SEEN,),
        prepared=1,
        earlier=_build_config(QUEUE[3:] + QUEUE[:3], _EIGHT),
    ),
    Case(
        "act",
        _build_config(QUEUE[5:] + QUEUE[:5], _WHOLE),
        (*_GROWING, MayAppend("A"), MayAppend("A")),
        (SECOND_CALL,),
        prepared=2,
        offered=(CanAppend("A"),),
        earlier=_build_config(QUEUE[5:] + QUEUE[:5], _EIGHT),
    ),
    Case(
        "free",
        _build_config(QUEUE[7:] + QUEUE[:7], _TEN, _LIKE_A),
        (Allocate("A"), Allocate("B"), Release("A")),
        (BLOCKS_FREED, COUNT_CHANGED_BY),
        prepared=2,
    ),
)
READINGS: dict[str, CodeReading] = {
    "table": CodeReading("block_table", ("allocate", "_take_block", "_add_reference")),
    "check": CodeReading("can_append", ("can_append", "blocks_to_append")),
    "act": CodeReading("may_append", ("may_append", "blocks_to_append", "_take_block", "_add_reference")),
    "free": CodeReading("deallocate", ("deallocate", "_drop_reference", "_free_block")),
}
