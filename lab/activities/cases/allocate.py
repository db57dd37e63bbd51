"""Allocate: from a length to pages, from the queue to ids, from a position to its slot."""

from __future__ import annotations

from lab.activities.cases.case import Case
from lab.activities.question import Question, Rule
from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.trace.config import Config, Request
from lab.trace.events import KVWritten
from lab.trace.operations import Allocate

TEXT = tuple(range(1, 12))
GREETING = tuple(range(12, 17))
MORE = tuple(range(17, 22))
ALLOCATE_A = Allocate("A")


def _build_case(
    name: str, block_size: int, prompt: tuple[int, ...], queue: tuple[int, ...], asked: Question, *others: Request
) -> Case:
    """A is allocated after the other requests. Asked: a number, and the slot of a token that the learner picks."""
    config = Config(len(queue), block_size, queue, (Request("A", prompt, MORE), *others))
    before = tuple(Allocate(other.seq_id) for other in others)
    plan = (*before, ALLOCATE_A)
    return Case(
        name, config, plan, (asked,), len(before), pick_from="A", picked=lambda pos: (build_slot_question(pos),)
    )


def _is_written(point: TracePoint) -> bool:
    return point.operation == ALLOCATE_A and isinstance(point.event, KVWritten)


# --- pages -----------------------------------------------------------------------------------------------------------


def _observe_blocks(point: TracePoint) -> Outcome | None:
    view = point.snapshot.sequence("A")
    return Outcome(len(view.block_table), point.step, view.block_table) if view and _is_written(point) else None


BLOCKS = Question(
    "pages",
    "number",
    _observe_blocks,
    rules=(
        ("floor_for_ceil", lambda f: f.a is not None and f.answer == f.a.num_tokens // f.a.block_size),
        ("slip_block_per_token", lambda f: f.a is not None and f.answer == f.a.num_tokens),
        ("slip_one_for_all", 1),
        ("slip_one_too_many", lambda f: f.answer == f.outcome.value + 1),
    ),
)

# --- empty slots -----------------------------------------------------------------------------------------------------


def _empty(point: TracePoint) -> Outcome | None:
    view = point.snapshot.sequence("A")
    return Outcome(view.empty_slots, point.step, view.block_table[-1:]) if view and _is_written(point) else None


def _expects_whole_page(f: TemplateValues) -> bool:
    """At an exact multiple: does the answer expect one more page behind it?"""
    return f.outcome.value == 0 and f.answer == f.snapshot.block_size


def _counts_free_blocks(f: TemplateValues) -> bool:
    """Does the answer count blocks that nobody owns, or their slots?"""
    free = len(f.snapshot.free_block_ids)
    return f.answer in (free, free * f.snapshot.block_size)


SPARE = Question(
    "spare",
    "number",
    _empty,
    rules=(
        ("whole_page_empty", _expects_whole_page),
        ("used_as_empty", lambda f: f.a is not None and f.answer == f.a.last_block_num_tokens),
        ("slip_whole_page", lambda f: f.answer == f.snapshot.block_size),
        ("no_fragmentation", 0),
        ("slip_free_blocks", _counts_free_blocks),
    ),
)

# --- the slot of one token -------------------------------------------------------------------------------------------


def build_slot_question(pos: int) -> Question:
    """Where is the KV of token `pos` once it is written? Read from the tensor's slot contents."""

    def observe(point: TracePoint) -> Outcome | None:
        view = point.snapshot.sequence("A")
        if view is None or not _is_written(point):
            return None
        page, offset = divmod(pos, view.block_size)
        block = view.block_table[page]
        named = {"page": page, "offset": offset, "block": block, "first": view.slots[pos - offset]}
        return Outcome(view.slots[pos], point.step, (block,), tuple(named.items()))

    return Question("slot", "slot", observe, rules=_build_slot_rules(pos), cell="slot")


def _build_slot_rules(pos: int) -> tuple[Rule, ...]:
    """The slot that each wrong idea leads to. If two ideas give the same slot, the more common one comes first."""

    def named(f: TemplateValues, name: str) -> int:
        return int(dict(f.outcome.named)[name])

    def in_block(f: TemplateValues, block: int) -> int:
        """The slot at the token's offset in another block."""
        return block * f.snapshot.block_size + named(f, "offset")

    def off_by_one(f: TemplateValues) -> bool:
        near = {f.outcome.value - 1, f.outcome.value + 1}
        return f.a is not None and f.answer in near | set(f.a.slots[max(0, pos - 1) : pos + 2])

    def consecutive(f: TemplateValues) -> bool:
        return f.a is not None and f.answer == in_block(f, f.a.block_table[0] + named(f, "page"))

    def from_the_tail(f: TemplateValues) -> bool:  # the tail, from which nothing was taken
        tail = f.snapshot.free_block_ids[::-1]
        return named(f, "page") < len(tail) and f.answer == in_block(f, tail[named(f, "page")])

    return (
        ("id_is_index", lambda f: f.answer == pos),
        ("slip_block_start", lambda f: f.answer == named(f, "first")),
        ("slip_counted_from_one", off_by_one),
        ("slip_block_id", lambda f: f.answer == named(f, "block")),
        ("slip_not_multiplied", lambda f: f.answer == named(f, "block") + named(f, "offset")),
        (
            "slip_other_page",
            lambda f: f.a is not None and f.answer in {in_block(f, block) for block in f.a.block_table},
        ),
        ("ids_consecutive", consecutive),
        ("slip_from_tail", from_the_tail),
        ("slip_no_such_slot", lambda f: f.answer >= f.snapshot.num_blocks * f.snapshot.block_size),
    )


# --- the cases -------------------------------------------------------------------------------------------------------

ALLOCATE = (
    _build_case("ten", 4, TEXT[:10], (6, 3, 10, 4, 11, 2, 8, 0, 9, 1, 7, 5), BLOCKS),
    _build_case("exact", 4, TEXT[:8], (4, 9, 2, 10, 0, 7, 5, 11, 1, 8, 6, 3), SPARE, Request("B", GREETING, MORE)),
    _build_case("single", 4, GREETING[:1], (3, 0, 5, 1, 6, 2, 7, 4), SPARE),
    _build_case("size1", 1, TEXT[:3], (2, 5, 7, 0, 3, 1, 6, 4), BLOCKS),
)
