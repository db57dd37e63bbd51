"""Questions about a shared prefix: released, ref_count, cached, mark_released."""

from __future__ import annotations

from lab.activities.question import Fact, Value
from lab.quiz.draw import Draft, Draw, build_choices, build_ids_option, describe_request
from lab.quiz.run import QuizStep, run_last_step
from lab.trace.events import BlockFreed, BlockShared
from lab.trace.operations import Release

_NUM_BLOCKS = 14


def _add_sharers(draw: Draw, names: str, nested: bool = False) -> int:
    """Requests arrive with the same first tokens; returns how many tokens. Full pages of them are shared.

    The common tokens may reach into a page that is not full. `nested`: the first request consists only of full pages,
    and all others begin with them.
    """
    size = draw.block_size
    full = draw.pages((1, 1), (1, 2), (1, 2))
    partial = draw.rng.randint(1, size - 1) if size > 1 and draw.level and draw.chance(0.6) and not nested else 0
    same = full * size + partial
    for i, name in enumerate(names):
        own = draw.rng.randint(1, 2 * size) if draw.level < 2 or draw.chance(0.8) else draw.rng.randint(0, 1)
        if nested:
            own = draw.rng.randint(1, 2 * size) if i else 0
        draw.allocate(name, same + own, like=names[0] if i else "", same=same if i else 0)
    return same


def _draw_ending(draw: Draw) -> tuple[Draft, QuizStep] | None:
    """Two or three requests share a prefix and one of them ends: the draft, and the step in which it ends."""
    names = "ABC" if draw.level == 2 else "AB"
    nested = draw.level == 2 and draw.chance(0.2)
    _add_sharers(draw, names, nested)
    seq_id = names[0] if nested else draw.rng.choice(names)
    if draw.level and not nested:
        draw.append(seq_id, draw.rng.randint(0, 2))
    draw.release(seq_id)
    config = draw.config(draw.queue(_NUM_BLOCKS))
    step = draw.last(config)
    before = step.before.sequence(seq_id)
    if before is None or step.after.sequence(seq_id) is not None:
        return None
    table = before.block_table
    freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
    still_used = tuple(block_id for block_id in table if block_id not in freed)
    facts = describe_request(before) | {
        "case": "some" if freed else "none",
        "answer": freed,
        "kept": still_used,
        "reversed": tuple(reversed(table)),
    }
    return Draft("set", config, frozenset(freed), [], {"seq_id": seq_id}, facts), step


def draw_released(draw: Draw) -> Draft | None:
    """Which ids join the free queue when one of the sharers ends, and in which order?"""
    if (made := _draw_ending(draw)) is None:
        return None
    draft, step = made
    freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
    table = step.view(step.operation.seq_id).block_table
    still_used = tuple(block_id for block_id in table if block_id not in freed)
    slips: list[tuple[str, tuple[int, ...]]] = [
        ("slip_table_order", tuple(reversed(freed))),
        ("slip_shared_only", tuple(reversed(still_used)) or freed),  # no block is shared: not an answer here
        ("slip_sorted", tuple(sorted(freed))),
        ("slip_none", ()),
        ("slip_last_page", table[-1:]),
    ]
    draw.rng.shuffle(slips)
    candidates = [("released_at_first", tuple(reversed(table))), *slips]
    right = build_ids_option("released", freed)
    draft.options, draft.wrong = build_choices(
        right, [(idea, build_ids_option("released", ids)) for idea, ids in candidates]
    )
    draft.form, draft.answer = "choice", right.id
    return draft


def mark_released(draw: Draw) -> Draft | None:
    """Mark every block that joins the free queue when one of the sharers ends."""
    if (made := _draw_ending(draw)) is None:
        return None
    draft, step = made
    freed = {event.block_id for event in step.events if isinstance(event, BlockFreed)}
    table = step.view(step.operation.seq_id).block_table
    draft.wrong = [
        ("released_at_first", frozenset(table)),
        ("id_is_index", frozenset(page for page, block_id in enumerate(table) if block_id in freed)),
        ("slip_shared_only", frozenset(table) - freed or frozenset(freed)),  # no block is shared: not an answer here
        ("slip_none", frozenset()),
        ("slip_all_used", step.before.used_block_ids),
    ]
    draft.cell, draft.cells = "block", range(_NUM_BLOCKS)
    return draft


def draw_ref_count(draw: Draw) -> Draft | None:
    """What is a block's ref_count after requests have come and gone?"""
    names = "ABCD"[: draw.pages((2, 2), (2, 3), (3, 4))]
    same = _add_sharers(draw, names)
    if draw.level and draw.chance(0.4):
        draw.allocate("E", draw.length(1))
    ending = draw.rng.sample(names, draw.rng.randint(0 if draw.level < 2 else 1, len(names) - 1))
    for name in ending:
        draw.release(name)
    config = draw.config(draw.queue(24))
    arrivals = [operation for operation in draw.operations if not isinstance(operation, Release)]
    everyone = run_last_step(config, arrivals).after  # nothing is released yet, so every count is at its highest
    state = draw.last(config).after if ending else everyone
    view = draw.rng.choice([v for v in state.sequences if v.seq_id in names])
    page = draw.rng.randrange((same - 1) // draw.block_size + 1) if draw.level else 0
    block_id = view.block_table[page]
    answer = state.blocks[block_id].ref_count
    owners = [owner for owner, _ in state.owners(block_id)]
    peak = everyone.blocks[block_id].ref_count
    alike = sum(other.seq_id in names for other in state.sequences)  # live requests that begin with these tokens
    partial = same < (page + 1) * draw.block_size
    wrong: list[tuple[str, Value]] = []
    if alike != answer:
        wrong.append(("partial_shared" if partial else "identical_computes_nothing", alike))
    if peak > answer:
        wrong += [("slip_forgot_release", peak), ("released_at_first", 0)]
    wrong += [
        ("slip_one_owner", 1),
        ("slip_every_request", len(state.sequences)),
        ("slip_cache_counts", answer + 1),
        ("slip_not_used", 0),
    ]
    numbers: dict[str, Fact] = {"seq_id": view.seq_id, "page": page, "block": block_id}
    facts = numbers | {
        "alike": alike,
        "owners": tuple(owners),
        "peak": peak,
        "live": len(state.sequences),
        "same": same,
        "block_size": draw.block_size,
        "ended": tuple(name for name in ending if name in dict(everyone.owners(block_id))),
    }
    return Draft("number", config, answer, wrong, numbers, facts, shows_queue=False)


def draw_cached(draw: Draw) -> Draft:
    """How many tokens of B does allocate find in the prefix cache?"""
    size = draw.block_size
    first = draw.length(draw.pages((1, 2), (2, 3), (2, 4)))
    draw.allocate("A", first)
    gone = draw.level == 2 and draw.chance(0.6)
    if gone:
        draw.release("A")
    same = draw.rng.choice([first, first, draw.rng.randint(1, first), min(first, size)])
    copy = same == first and draw.chance(0.6)
    draw.allocate("B", same if copy else same + draw.rng.randint(1, size + 1), like="A", same=same)
    config = draw.config(draw.queue(_NUM_BLOCKS))
    step = draw.last(config)
    view = step.view("B")
    shared = tuple(event.block_id for event in step.events if isinstance(event, BlockShared))
    answer = view.num_cached_tokens
    wrong: list[tuple[str, Value]] = [
        ("identical_computes_nothing" if copy else "partial_shared", same),
        ("release_erases" if gone else "slip_nothing_shared", 0),
        ("slip_pages", len(shared)),
        ("slip_all", view.num_tokens),
        ("slip_page_more", answer + size),
    ]
    facts = describe_request(view) | {
        "case": "last" if same // size > len(shared) else "plain",
        "same": same,
        "found": shared,
        "rest": view.num_tokens - answer,
    }
    numbers: dict[str, Fact] = {"seq_id": "B", "tokens": view.num_tokens}
    return Draft("number", config, answer, wrong, numbers, facts, shows_queue=False)
