"""Append: a token joins the sequence, can_append checks for its block, may_append takes it; and the empty queue."""

from __future__ import annotations

from collections.abc import Callable

from lab.activities.cases.case import Case
from lab.activities.cases.preemption import find_preemption
from lab.activities.question import Question, Rule, build_options
from lab.activities.trace_points import Outcome, TracePoint
from lab.trace.config import Config, Request
from lab.trace.events import AppendChecked, BlockTaken, PageHasRoom, Refused
from lab.trace.operations import Allocate, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.snapshot import SequenceView

QUEUE = (5, 2, 7, 0, 4, 1, 6, 3)
A_TEXT = tuple(range(1, 12))
B_TEXT = tuple(range(12, 22))

TAKES = ("nothing", "head", "again")
LEFT = ("nothing", "entry", "withdrawn", "other")
SCHEDULER = ("wait", "raise", "preempt", "overwrite")


def _build_config(queue: tuple[int, ...], a: int, b: int = 0) -> Config:
    """A, and B if `b` is not 0; their prompts are the first `a` and `b` tokens of their texts."""
    requests = [Request("A", A_TEXT[:a], A_TEXT[a:])]
    if b:
        requests.append(Request("B", B_TEXT[:b], B_TEXT[b:]))
    return Config(len(queue), 4, queue, tuple(requests))


def _append_one_token(seq_id: str, *, first: bool = False) -> tuple[Operation, ...]:
    """One more token: append, check, act; with `first`, also a check before the append."""
    early = (CanAppend(seq_id),) if first else ()
    return (*early, AppendToken(seq_id), CanAppend(seq_id), MayAppend(seq_id))


# --- what the run shows ---------------------------------------------------------------------------------------------


def _find_checked(point: TracePoint, tokens: int, *, waiting: bool = True) -> SequenceView | None:
    """A at that length, if can_append has just answered for it."""
    view = point.snapshot.sequence("A")
    asked = isinstance(point.event, AppendChecked) and point.event.seq_id == "A"
    return view if asked and view and (view.num_tokens, view.waiting) == (tokens, waiting) else None


def _needs(tokens: int) -> Callable[[TracePoint], Outcome | None]:
    """How many blocks does can_append say A needs, while its last token waits?"""

    def observe(point: TracePoint) -> Outcome | None:
        if isinstance(point.event, AppendChecked) and _find_checked(point, tokens):
            return Outcome(point.event.needs, point.step)
        return None

    return observe


def _observe_taken(tokens: int) -> Callable[[TracePoint], Outcome | None]:
    """What does may_append take for that token of A? An index of TAKES."""

    def observe(point: TracePoint) -> Outcome | None:
        view = point.snapshot.sequence("A")
        if point.operation != MayAppend("A") or view is None or view.num_tokens != tokens:
            return None
        if not isinstance(point.event, BlockTaken | PageHasRoom):
            return None
        took = isinstance(point.event, BlockTaken)
        kind = "nothing" if not took else "head" if view.block_table.count(point.event.block_id) == 1 else "again"
        named = (("block", point.event.block_id), ("page", point.event.page))
        return Outcome(TAKES.index(kind), point.step, point.snapshot.free_block_ids[:1], named)

    return observe


def _observe_table_after_check(point: TracePoint) -> Outcome | None:
    view = _find_checked(point, 5)
    return Outcome(len(view.block_table), point.step, view.block_table) if view else None


def _observe_new_block(point: TracePoint) -> Outcome | None:
    if point.operation == MayAppend("A") and isinstance(point.event, BlockTaken):
        return Outcome(point.event.block_id, point.step, (), (("page", point.event.page),))
    return None


def _observe_answer(tokens: int, *, waiting: bool) -> Callable[[TracePoint], Outcome | None]:
    """What does can_append answer for A at that length while no block is free?"""

    def observe(point: TracePoint) -> Outcome | None:
        event = point.event
        if isinstance(event, AppendChecked) and _find_checked(point, tokens, waiting=waiting) and not event.free:
            return Outcome(int(event.answer), point.step, (), (("needs", event.needs), ("tokens", tokens)))
        return None

    return observe


def _observe_goes_through(point: TracePoint) -> Outcome | None:
    """Does may_append find a slot for the waiting token? Yes if the token has one, no if it was refused."""
    if not isinstance(point.operation, MayAppend):
        return None
    if isinstance(point.event, Refused):
        return Outcome(0, point.step, (), _name_refusal(point.event))
    if isinstance(point.event, BlockTaken):
        return Outcome(1, point.step, (point.event.block_id,))
    return None


def _observe_left_behind(point: TracePoint) -> Outcome | None:
    """What has a refused may_append changed? An index of LEFT."""
    view = point.snapshot.sequence(point.operation.seq_id)
    if not (isinstance(point.operation, MayAppend) and isinstance(point.event, Refused) and view):
        return None
    short = [s.seq_id for s in point.snapshot.sequences if len(s.block_table) < s.num_blocks]
    kind = "nothing"
    if view.seq_id not in short:
        kind = "entry" if view.waiting else "withdrawn"
    elif len(short) > 1:
        kind = "other"
    return Outcome(LEFT.index(kind), point.step, view.block_table, _name_refusal(point.event))


def _name_refusal(event: Refused) -> tuple[tuple[str, int], ...]:
    """The numbers of a refusal."""
    return tuple((f"refused_{name}", value) for name, value in event.numbers if isinstance(value, int))


def _observe_scheduler(config: Config) -> Callable[[TracePoint], Outcome | None]:
    """What does nano-vLLM's rule do for A when no block is free? An index of SCHEDULER; answered once A has its block.

    `config` is that of the run: the rule is played on it, from the state in which A was refused.
    """

    def observe(point: TracePoint) -> Outcome | None:
        if point.operation != MayAppend("A") or not isinstance(point.event, BlockTaken):
            return None
        name = find_preemption("A", config, point.done)
        return Outcome(SCHEDULER.index(name), point.step, (point.event.block_id,)) if name in SCHEDULER else None

    return observe


# Answers that count something else.
ALL_PAGES: Rule = ("slip_counts_every_page", lambda f: f.own is not None and f.answer == f.own.num_blocks)
TOKENS: Rule = ("slip_block_per_token", lambda f: f.own is not None and f.answer == f.own.num_tokens)


# --- the questions --------------------------------------------------------------------------------------------------

MID_NEEDS = Question("mid_needs", "number", _needs(7), rules=(("slip_append_always_takes", 1), ALL_PAGES, TOKENS))
MID_TAKES = Question(
    "mid_takes",
    "choice",
    _observe_taken(7),
    build_options(TAKES, head="slip_append_always_takes", again="slip_same_block"),
)
EDGE_NEEDS = Question("edge_needs", "number", _needs(5), rules=(("full_page_reused", 0), ALL_PAGES, TOKENS))
EDGE_TABLE = Question(
    "edge_table",
    "number",
    _observe_table_after_check,
    rules=(
        ("check_allocates", lambda f: f.answer == f.outcome.value + 1),
        ("slip_table_empty", 0),
        ("slip_entry_per_token", TOKENS[1]),
    ),
)
EDGE_ID = Question(
    "edge_id",
    "number",
    _observe_new_block,
    cell="block",
    rules=(
        ("full_page_reused", lambda f: f.own is not None and f.answer in f.own.block_table[:-1]),
        ("id_is_index", lambda f: f.own is not None and f.answer == f.own.num_blocks - 1),
        ("ids_consecutive", lambda f: f.own is not None and f.answer == f.own.block_table[-2] + 1),
        ("slip_from_tail", lambda f: f.before is not None and f.answer == f.before.free_block_ids[-1]),
        ("slip_not_head", lambda f: f.before is not None and f.answer in f.before.free_block_ids[1:-1]),
    ),
)
EARLY_ANSWER = Question("early_answer", "yes_no", _observe_answer(4, waiting=False), rules=(("slip_sees_coming", 0),))
EARLY_AGAIN = Question("early_again", "yes_no", _observe_answer(5, waiting=True), rules=(("check_before_append", 1),))
SKIP_WORKS = Question("skip_works", "yes_no", _observe_goes_through, rules=(("slip_check_reserves", 0),))
SKIP_LEFT = Question(
    "skip_left",
    "choice",
    _observe_left_behind,
    build_options(LEFT, entry="act_without_block", withdrawn="slip_withdrawn", other="slip_steals"),
)
FULL_ANSWER = Question("full_answer", "yes_no", _observe_answer(5, waiting=True), rules=(("slip_room_elsewhere", 1),))
_FULL = _build_config((1, 2, 0), 4, 7)
FULL_NEXT = Question(
    "full_next",
    "choice",
    _observe_scheduler(_FULL),
    build_options(SCHEDULER, wait="slip_waits", **{"raise": "slip_raises"}, overwrite="slip_overwrites"),
    said_by="nano_vllm",
)

_A, _B = (Allocate("A"),), (Allocate("B"),)
APPEND = (
    Case("middle", _build_config(QUEUE, 6), (*_A, *_append_one_token("A")), (MID_NEEDS, MID_TAKES), 1),
    Case(
        "boundary",
        _build_config(QUEUE[1:] + QUEUE[:1], 4),
        (*_A, *_append_one_token("A")),
        (EDGE_NEEDS, EDGE_TABLE, EDGE_ID),
        1,
    ),
    Case(
        "early",
        _build_config((1, 0), 4, 3),
        (*_A, *_B, *_append_one_token("A", first=True)),
        (EARLY_ANSWER, EARLY_AGAIN),
        2,
    ),
    Case(
        "unchecked",
        _build_config((2, 0, 1), 4, 4),
        (*_A, *_B, AppendToken("A"), MayAppend("A"), AppendToken("B"), MayAppend("B")),
        (SKIP_WORKS, SKIP_LEFT),
        2,
    ),
    Case(
        "empty", _FULL, (*_A, *_B, *_append_one_token("A"), Release("B"), MayAppend("A")), (FULL_ANSWER, FULL_NEXT), 2
    ),
)
