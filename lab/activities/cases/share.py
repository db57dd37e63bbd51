"""Share: full blocks of a common prefix, their ref_count, and what happens to them when nobody holds them."""

from __future__ import annotations

from collections.abc import Callable

from lab.activities.cases.case import Case
from lab.activities.question import Question, Rule, build_options
from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.trace.config import Config, Request
from lab.trace.events import BlockShared, HashForgotten, KVWritten, RequestEnded, format_hash
from lab.trace.operations import Allocate, Operation, Release
from lab.trace.snapshot import SequenceView

# Token ids; assets/model/vocabulary.toml gives each its text. The facts are common, the questions each request's own.
FACTS = (31, 32, 33, 34, 35, 36, 37, 38)  # two full pages: Ann milk , Tom | tea . So please
OTHER_FACTS = (31, 32, 33, 45, *FACTS[4:])  # with another name in page 0: page 1 has Ben's tea
ASK_TOM, ASK_OUR_ANN, ASK_ANN = (39, 40), (39, 41, 42), (39, 43)
UNRELATED = tuple(range(47, 57))  # the prompt of another request
LONG = tuple(range(57, 69))  # three full pages: they overwrite every slot of the earlier blocks
MORE = (17, 18, 19, 20, 21)


def _build_config(queue: tuple[int, ...], **prompts: tuple[int, ...]) -> Config:
    return Config(len(queue), 4, queue, tuple(Request(name, tokens, MORE) for name, tokens in prompts.items()))


# --- what the run shows ---------------------------------------------------------------------------------------------


def _find_written(point: TracePoint, seq_id: str) -> SequenceView | None:
    """The request, if its prompt's KV has just been written."""
    arrived = point.operation == Allocate(seq_id) and isinstance(point.event, KVWritten)
    return point.snapshot.sequence(seq_id) if arrived else None


def _observe_found(seq_id: str, after: str = "") -> Callable[[TracePoint], Outcome | None]:
    """How many prompt tokens did this request find in the cache? With `after`: only once that request has arrived."""

    def observe(point: TracePoint) -> Outcome | None:
        view = _find_written(point, seq_id)
        if view is None or (after and point.snapshot.sequence(after) is None):
            return None
        return Outcome(view.num_cached_tokens, point.step, view.block_table)

    return observe


def _observe_taken_by_b(point: TracePoint) -> Outcome | None:
    """How many blocks did B take from the queue? Those that A does not hold too."""
    view = _find_written(point, "B")
    if view is None:
        return None
    alone = tuple(block for block in view.block_table if len(point.snapshot.owners(block)) == 1)
    return Outcome(len(alone), point.step, alone)


def _observe_computed_of_b(point: TracePoint) -> Outcome | None:
    if _find_written(point, "B") and isinstance(point.event, KVWritten):
        return Outcome(len(point.event.token_ids), point.step)
    return None


def _observe_same_block(page: int) -> Callable[[TracePoint], Outcome | None]:
    """Do A and B have the same block for this page, once B's KV is written?"""

    def observe(point: TracePoint) -> Outcome | None:
        a, b = point.snapshot.sequence("A"), _find_written(point, "B")
        if a is None or b is None:
            return None
        ids = (a.block_table[page], b.block_table[page])
        return Outcome(int(ids[0] == ids[1]), point.step, ids)

    return observe


def _observe_same_hash(point: TracePoint) -> Outcome | None:
    a, b = point.snapshot.sequence("A"), _find_written(point, "B")
    if a is None or b is None:
        return None
    named = tuple((f"hash_{view.seq_id.lower()}", format_hash(view.hashes[1])) for view in (a, b))
    return Outcome(int(a.hashes[1] == b.hashes[1]), point.step, named=named)


def _find_first_release(point: TracePoint) -> tuple[int, SequenceView] | None:
    """The block of page 0 and the request that still runs, right after the first of A and B has ended."""
    left = point.snapshot.sequences
    if isinstance(point.event, RequestEnded) and len(left) == 1:
        return left[0].block_table[0], left[0]
    return None


def _observe_joins(point: TracePoint) -> Outcome | None:
    first = _find_first_release(point)
    if first is None:
        return None
    block, left = first
    joined = int(block in point.snapshot.free_block_ids)
    return Outcome(joined, point.step, left.block_table, named=(("block", block),))


def _observe_ref_left(point: TracePoint) -> Outcome | None:
    first = _find_first_release(point)
    return Outcome(point.snapshot.blocks[first[0]].ref_count, point.step, (first[0],)) if first else None


def _observe_last_back(point: TracePoint) -> Outcome | None:
    if isinstance(point.event, RequestEnded) and not point.snapshot.sequences:
        return Outcome(point.snapshot.free_block_ids[-1], point.step, point.snapshot.free_block_ids)
    return None


def _observe_block_of_c(point: TracePoint) -> Outcome | None:
    view = _find_written(point, "C")
    return Outcome(view.block_table[0], point.step, view.block_table) if view else None


def _observe_ref_back(point: TracePoint) -> Outcome | None:
    event = point.event
    if isinstance(event, BlockShared) and event.seq_id == "C" and event.page == 0:
        return Outcome(event.ref_after, point.step, (event.block_id,))
    return None


UNTIL = ("released", "taken", "never")


def _observe_until(point: TracePoint) -> Outcome | None:
    """During which operation did the block with the beginning of the prefix stop being findable?"""
    event = point.event
    if not isinstance(event, HashForgotten) or point.snapshot.blocks[event.block_id].slots[0] != (FACTS[0], 0):
        return None
    kind = {Release: "released", Allocate: "taken"}.get(type(point.operation))
    return Outcome(UNTIL.index(kind), point.step, (event.block_id,)) if kind else None


# --- the ideas behind wrong answers ---------------------------------------------------------------------------------


def _count_equal_tokens(values: TemplateValues) -> int:
    """Tokens at the beginning of A's prompt that are also in B's, whole pages or not."""
    pairs = zip(values.a.token_ids, values.b.token_ids, strict=False) if values.a and values.b else ()
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _match_b(read: Callable[[SequenceView], int]) -> Callable[[TemplateValues], bool]:
    """Does the answer equal what `read` returns for B?"""
    return lambda values: values.b is not None and values.answer == read(values.b)


_FOUND_RULES: tuple[Rule, ...] = (
    ("partial_shared", lambda f: f.answer == _count_equal_tokens(f)),
    ("slip_all", _match_b(lambda b: b.num_tokens)),
    ("slip_nothing_shared", 0),
    ("slip_pages", lambda f: f.answer * f.snapshot.block_size == f.outcome.value),
)
_TAKEN_RULES: tuple[Rule, ...] = (
    ("slip_nothing_shared", _match_b(lambda b: b.num_blocks)),
    ("slip_all", 0),
    ("slip_shared_only", _match_b(lambda b: b.num_cached_tokens // b.block_size)),
)
_COMPUTED_RULES: tuple[Rule, ...] = (
    ("identical_computes_nothing", 0),
    ("slip_nothing_shared", _match_b(lambda b: b.num_tokens)),
    ("slip_only_last", 1),
    ("slip_shared_only", _match_b(lambda b: b.num_cached_tokens)),
)
_LAST_RULES: tuple[Rule, ...] = (
    ("slip_table_order", lambda f: f.own is not None and f.answer == f.own.block_table[-1]),
    ("slip_other_page", lambda f: f.own is not None and f.answer in f.own.block_table),
    ("slip_joins_head", lambda f: f.answer in f.snapshot.free_block_ids[:1]),
    ("slip_tail_unchanged", lambda f: f.before is not None and f.answer in f.before.free_block_ids[-1:]),
)
_AGAIN_RULES: tuple[Rule, ...] = (
    ("release_erases", 0),
    ("slip_all", lambda f: f.own is not None and f.answer == f.own.num_tokens),
)
_BACK_RULES: tuple[Rule, ...] = (
    ("slip_nothing_shared", lambda f: f.before is not None and f.answer in f.before.free_block_ids[:1]),
    ("slip_from_tail", lambda f: f.before is not None and f.answer in f.before.free_block_ids[-1:]),
    ("slip_other_page", lambda f: f.own is not None and f.answer in f.own.block_table),
)
_LATE_RULES: tuple[Rule, ...] = (("stale_hash", lambda f: f.answer > 0 and f.answer % f.snapshot.block_size == 0),)


QUESTIONS: dict[str, Question] = {
    question.id: question
    for question in (
        Question("found", "number", _observe_found("B"), rules=_FOUND_RULES),
        Question("takes", "number", _observe_taken_by_b, rules=_TAKEN_RULES),
        Question("computed", "number", _observe_computed_of_b, rules=_COMPUTED_RULES),
        Question("last_page", "yes_no", _observe_same_block(-1), rules=(("identical_computes_nothing", 1),)),
        Question("joins", "yes_no", _observe_joins, rules=(("released_at_first", 1),)),
        Question("ref_left", "number", _observe_ref_left, rules=(("released_at_first", 0), ("slip_forgot_release", 2))),
        Question("last_back", "number", _observe_last_back, rules=_LAST_RULES, cell="block"),
        Question("again", "number", _observe_found("C"), rules=_AGAIN_RULES),
        Question("back", "number", _observe_block_of_c, rules=_BACK_RULES, cell="block"),
        Question(
            "ref_back",
            "number",
            _observe_ref_back,
            rules=(("slip_forgot_release", lambda f: f.answer > 1), ("slip_not_used", 0)),
        ),
        Question(
            "until", "choice", _observe_until, build_options(UNTIL, released="release_erases", never="stale_hash")
        ),
        Question("late", "number", _observe_found("C", after="D"), rules=_LATE_RULES),
        Question("same_block", "yes_no", _observe_same_block(1), rules=(("unchained_hash", 1),)),
        Question("same_hash", "yes_no", _observe_same_hash, rules=(("unchained_hash", 1),)),
    )
}

# --- the cases ------------------------------------------------------------------------------------------------------

_ALIKE = _build_config((5, 2, 7, 0, 6, 3, 1, 4), A=FACTS + ASK_TOM, B=FACTS + ASK_OUR_ANN)
_TWICE = _build_config((3, 6, 0, 5, 1, 7, 2, 4), A=(*FACTS, *ASK_OUR_ANN, 46), B=(*FACTS, *ASK_OUR_ANN, 46))
_STRICT = _build_config((1, 4, 6, 2, 7, 0, 5, 3), A=FACTS + ASK_TOM, B=OTHER_FACTS + ASK_TOM)
_LATER = {"A": FACTS, "B": UNRELATED, "C": FACTS + ASK_ANN}
_REVIVE = _build_config((4, 1, 5, 0, 3, 2), **_LATER)
_TAKEN = _build_config(_REVIVE.free_block_ids, **_LATER, D=LONG)  # the pool of the case before; only D is new
_TAKEN_EARLIER = _build_config((0, 5, 2, 4, 1, 3), **_LATER, D=LONG[:9])  # left three of A's tokens visible
_BOTH: tuple[Operation, ...] = (Allocate("A"), Allocate("B"))
_ENDED: tuple[Operation, ...] = (*_BOTH, Release("A"), Release("B"))


def _build_case(
    case_id: str,
    config: Config,
    plan: tuple[Operation, ...],
    asked: str,
    *,
    prepared: int,
    earlier: Config | None = None,
) -> Case:
    questions = tuple(QUESTIONS[name] for name in asked.split())
    return Case(case_id, config, plan, questions, prepared=prepared, earlier=earlier)


SHARE = (
    _build_case("prefix", _ALIKE, _BOTH, "found takes", prepared=1),
    _build_case("identical", _TWICE, _BOTH, "computed last_page", prepared=1),
    _build_case("release", _ALIKE, _ENDED, "joins ref_left last_back", prepared=2),
    _build_case("revive", _REVIVE, (*_ENDED, Allocate("C")), "again back ref_back", prepared=4),
    _build_case(
        "taken", _TAKEN, (*_ENDED, Allocate("D"), Allocate("C")), "until late", prepared=4, earlier=_TAKEN_EARLIER
    ),
    _build_case("chain", _STRICT, _BOTH, "same_block same_hash", prepared=1),
)
