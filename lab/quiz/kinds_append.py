"""Questions about one more token: needs_page, which_id, can_append, order."""

from __future__ import annotations

from itertools import pairwise

from lab.activities.cases.preemption import make_room
from lab.activities.question import Fact, Option, Value
from lab.quiz.draw import Draft, Draw, build_choices, describe_request, find_event
from lab.quiz.run import QuizPool, QuizStep
from lab.trace.config import Config
from lab.trace.events import AppendChecked, BlockTaken, RequestEnded, TokenAppended
from lab.trace.operations import AppendToken

# The outcome that each answer about one more token claims, whatever its reason.
_OUTCOMES = {
    "needs_page": {"crosses": "yes", "every": "yes", "spare": "yes"},
    "can_append": {"none_left": "false", "every_page": "false", "pool_empty": "false"},
}

# The steps of an append, each with the idea of a learner who puts it before the step that it follows.
_TURNED_ROUND = {
    "token_appended": "",
    "append_checked": "check_before_append",
    "block_taken": "act_without_block",
    "page_has_room": "act_without_block",
    "kv_written": "slip_write_before_page",
    "block_hashed": "slip_hash_before_write",
}
_WITHOUT_FREE_BLOCK = {
    "token_appended": "",
    "append_checked": "check_before_append",
    "preempted": "slip_preempts_unasked",
    "block_taken": "act_without_block",
}


def needs_page(draw: Draw) -> Draft:
    """Does the last token that is appended to A need a new page, and why?"""
    step, config = _append_to_a(draw, full=draw.chance(0.5), spare=draw.rng.randint(3, 6))
    if find_event(step, BlockTaken):
        right, candidates = "crosses", [("full_page_reused", "reuse"), ("check_before_append", "before")]
    else:
        right, candidates = "room", [("check_before_append", "before"), ("slip_spare_page", "spare")]
    # at block_size 1 every token does take a block
    candidates.append(("slip_append_always_takes", "every") if draw.block_size > 1 else ("slip_spare_page", "spare"))
    return _draft_statements(draw, step, config, right, candidates)


def can_append(draw: Draw) -> Draft:
    """What does can_append answer for the last token that is appended to A, and why? Also when no block is free."""
    spare = 0 if draw.chance((0.3, 0.5, 0.5)[draw.level]) else draw.rng.randint(1, 3)
    step, config = _append_to_a(draw, full=draw.chance(0.5), spare=spare)
    checked = find_event(step, AppendChecked)
    if checked is None:
        raise KeyError("append_checked")
    before, counts = ("check_before_append", "before"), ("slip_counts_every_page", "every_page")
    if checked.needs and checked.answer:
        right, candidates = "one_free", [("check_allocates", "took"), before, ("full_page_reused", "reuse")]
    elif checked.needs:
        right, candidates = "none_left", [("act_without_block", "later"), counts]
        candidates.append(before if draw.chance(0.5) else ("full_page_reused", "reuse"))
    elif checked.free:
        right, candidates = "room", [("check_allocates", "took"), ("slip_append_always_takes", "one_free"), before]
    else:
        right, candidates = "room", [("slip_empty_pool_refuses", "pool_empty"), before]
        candidates.append(("slip_append_always_takes", "none_left") if draw.chance(0.5) else counts)
    return _draft_statements(draw, step, config, right, candidates)


def _draft_statements(
    draw: Draw, step: QuizStep, config: Config, right: str, candidates: list[tuple[str, str]]
) -> Draft:
    """A choice among statements about the step, by (idea, option). The right option's first word does not reveal it."""
    kind, facts = draw.name.kind, _describe_append(step)
    numbers = {name: facts[name] for name in ("seq_id", "len_before", "len_after", "block_size")}

    def stated(name: str) -> Option:
        return Option(name, f"{kind}_{name}", numbers, outcome=_OUTCOMES[kind].get(name, "else"))

    options, wrong = build_choices(stated(right), [(idea, stated(name)) for idea, name in candidates])
    return Draft("choice", config, right, wrong, numbers, facts | {"case": right}, options)


def _append_to_a(draw: Draw, full: bool, spare: int) -> tuple[QuizStep, Config]:
    """A arrives and tokens are appended; before the last one its pages are full, or have room.

    `spare`: blocks in the free queue before that last token. Returns its step, and the Config.
    """
    pages = draw.rng.randint(1, 2 + (draw.level > 0))
    length = draw.length(pages, full)  # before the last token
    times = min(draw.rng.randint(1, 1 + draw.level), length)
    held, released = pages, draw.level == 2 and spare > 0
    if released:
        draw.allocate("C", draw.length(1))
    draw.allocate("A", length - (times - 1))
    if draw.level:
        held += (others := draw.rng.randint(1, 2))
        draw.allocate("B", draw.length(others))
    draw.append("A", times - 1)
    if released:
        draw.release("C")
    draw.append("A")
    # C's block must not be needed before it comes back
    config = draw.config(draw.queue(held + max(spare, 1 if released else 0)))
    return draw.last(config), config


def _describe_append(step: QuizStep) -> dict[str, Fact]:
    """The step's values for the texts; `page` and `block` are those of the last token before the append."""
    seq_id = step.operation.seq_id
    old, view = step.before.sequence(seq_id), step.view(seq_id)
    appended, checked = find_event(step, TokenAppended), find_event(step, AppendChecked)
    if old is None or appended is None or checked is None:
        raise KeyError(seq_id)
    return describe_request(view) | {
        "before": old.block_table,
        "page": old.num_blocks - 1,
        "block": old.block_table[-1],
        "old_last": old.last_block_num_tokens,
        "len_before": appended.len_before,
        "len_after": appended.len_after,
        "needs": checked.needs,
        "free": checked.free,
        "free_ids": step.before.free_block_ids,
        "new": view.block_table[-1],
    }


def draw_which_id(draw: Draw) -> Draft | None:
    """Which block does may_append take for A's new page?"""
    pages = draw.pages((1, 2), (1, 3), (1, 3))
    held = pages
    if draw.level == 2:  # the released block joins the tail
        held += (earlier := draw.rng.randint(1, 2))
        draw.allocate("C", draw.length(earlier))
    draw.allocate("A", pages * draw.block_size)
    if draw.level:
        held += (others := draw.rng.randint(1, 2))
        draw.allocate("B", draw.length(others))
    if draw.level == 2:
        draw.release("C")
    draw.append("A")
    config = draw.config(draw.queue(held + draw.rng.randint(*((3, 6), (2, 5), (0, 4))[draw.level])))
    step = draw.last(config)
    taken, old = find_event(step, BlockTaken), step.before.sequence("A")
    if taken is None or old is None:
        return None
    free = step.before.free_block_ids
    wrong: list[tuple[str, Value]] = [
        ("ids_consecutive", old.block_table[-1] + 1),
        ("id_is_index", taken.page),
        ("slip_from_tail", free[-1]),
        ("slip_smallest", min(free)),
        ("slip_same_block", old.block_table[-1]),
    ]
    numbers: dict[str, Fact] = {"seq_id": "A", "page": taken.page}
    return Draft("number", config, taken.block_id, wrong, numbers, _describe_append(step) | numbers, cell="block")


def order(draw: Draw) -> Draft:
    """Put the steps of an append in the order in which they happen."""
    if draw.level == 2 and draw.chance(0.5):
        return _order_without_free_block(draw)
    step, config = _append_to_a(draw, full=draw.chance(0.6), spare=draw.rng.randint(1, 4))
    answer = tuple(event.code for event in step.events if event.code in _TURNED_ROUND)
    return _draft_order(config, answer, _TURNED_ROUND, _describe_append(step) | {"case": "done"})


def _order_without_free_block(draw: Draw) -> Draft:
    """The pool is empty when A's token comes: the order is that of nano-vLLM's rule, played on the engine."""
    step, config = _append_to_a(draw, full=True, spare=0)
    facts = _describe_append(step)
    draw.operations.pop()
    pool = QuizPool(config)
    for operation in draw.operations:
        pool.act(operation)
    steps = (pool.apply(AppendToken("A")), *make_room(pool, "A"))
    draw.operations += [step.operation for step in steps]
    events = [event for step in steps for event in step.events]
    codes = ("preempted" if isinstance(event, RequestEnded) else event.code for event in events)
    answer = tuple(dict.fromkeys(code for code in codes if code in _WITHOUT_FREE_BLOCK))
    ended = tuple(event.seq_id for event in events if isinstance(event, RequestEnded))
    taken = next(event for event in events if isinstance(event, BlockTaken))
    facts |= {"case": "preempted", "ended": ended, "new": taken.block_id}
    return _draft_order(config, answer, _WITHOUT_FREE_BLOCK, facts)


def _draft_order(
    config: Config, answer: tuple[str, ...], turned_round: dict[str, str], facts: dict[str, Fact]
) -> Draft:
    """The steps in that order, and a wrong order for each pair of neighbours."""
    wrong: list[tuple[str, Value]] = []
    for i, (_, later) in enumerate(pairwise(answer)):
        wrong.append((turned_round[later], (*answer[:i], answer[i + 1], answer[i], *answer[i + 2 :])))
    numbers = {name: facts[name] for name in ("seq_id", "len_before", "len_after")}
    options = [Option(code, f"order_{code}", numbers | {"ended": facts.get("ended", ())}) for code in answer]
    return Draft("order", config, answer, wrong, numbers, facts, options)
