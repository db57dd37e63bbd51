"""Questions about block ids and slots: table, slot."""

from __future__ import annotations

from itertools import takewhile

from lab.activities.question import Fact, Value
from lab.quiz.draw import Draft, Draw, build_choices, build_ids_option, describe_request
from lab.trace.events import BlockShared


def draw_table(draw: Draw) -> Draft:
    """What is the block_table of the request that arrived last?"""
    size, seq_id, same = draw.block_size, "A", 0
    pages = draw.pages((2, 3), (2, 4), (2, 4))
    if draw.level == 2:
        seq_id, same = "B", _request_with_shared_start(draw, pages)
    else:
        if draw.level:
            draw.allocate("B", draw.length(draw.rng.randint(1, 2)))
        draw.allocate("A", draw.length(pages))
    config = draw.config(draw.queue(12))
    step = draw.last(config)
    view, queue = step.view(seq_id), step.before.free_block_ids
    right, held = view.block_table, len(view.block_table)
    shared = tuple(event.block_id for event in step.events if isinstance(event, BlockShared))
    wrong: list[tuple[str, tuple[int, ...]]] = []
    if draw.level == 2:
        others = step.view("A").block_table
        all_alike = -(-same // size)  # pages with the same tokens as A's, the partial one included
        idea = "identical_computes_nothing" if same == view.num_tokens else "partial_shared"
        wrong.append((idea, (*others[:all_alike], *queue[: held - all_alike])))
        wrong.append(("slip_nothing_shared", queue[:held]))
    plain = [
        ("ids_consecutive", tuple(range(right[0], right[0] + held))),
        ("id_is_index", tuple(range(held))),
        ("slip_sorted_table", tuple(sorted(right))),
        ("slip_from_tail", tuple(reversed(queue[-held:]))),
    ]
    if view.empty_slots:
        plain.append(("floor_for_ceil", right[:-1]))
    draw.rng.shuffle(plain)
    options, values = build_choices(
        build_ids_option("table", right),
        [(idea, build_ids_option("table", ids)) for idea, ids in wrong + plain if max(ids) < config.num_blocks],
    )
    facts = describe_request(view) | {"queue": queue, "shared": shared, "same": same, "cached": view.num_cached_tokens}
    facts["case"] = "shared" if shared else "plain"
    if draw.level == 2 and same // size > len(shared):  # a full page with A's tokens was not found
        facts |= {"case": "last", "skipped": step.view("A").block_table[len(shared)]}
    key = build_ids_option("table", right).id
    return Draft("choice", config, key, values, {"seq_id": seq_id}, facts, options)


def _request_with_shared_start(draw: Draw, pages: int) -> int:
    """A arrives, then B with A's first tokens, partial page perhaps included; returns how many tokens are the same."""
    size = draw.block_size
    first = draw.length(pages)
    draw.allocate("A", first)
    same = draw.rng.choice([first, draw.rng.randint(size, first), min(size, first)])
    draw.allocate("B", same if draw.chance(0.4) else same + draw.rng.randint(1, size), like="A", same=same)
    return same


def draw_slot(draw: Draw) -> Draft | None:
    """Which slot of the pool holds the KV of one of A's tokens? First and last tokens of pages included."""
    size = draw.block_size
    pages = draw.pages((2, 2), (2, 3), (3, 4))
    if draw.level:
        draw.allocate("B", draw.length(draw.rng.randint(1, 2)))
    draw.allocate("A", draw.length(pages))
    if draw.level == 2:
        draw.append("A", draw.rng.randint(1, 2))
    config = draw.config(draw.queue(10))
    view = draw.last(config).view("A")
    starts = [i for i in range(view.num_tokens) if view.slots[i] % size == 0]
    edges = [*starts[1:], *(i - 1 for i in starts[1:])]
    pos = draw.rng.choice(edges) if draw.chance(0.5) else draw.rng.randrange(view.num_tokens)
    answer = view.slots[pos]
    page = len(list(takewhile(lambda start: start <= pos, starts))) - 1
    block, offset = view.block_table[page], pos - starts[page]
    wrong: list[tuple[str, Value]] = [
        ("id_is_index", pos),
        ("ids_consecutive", view.slots[0] + pos),
        ("slip_counted_from_one", view.slots[pos - 1] if pos else answer),
        ("slip_block_start", view.slots[starts[page]]),
        ("slip_offset_only", offset),
        ("slip_block_id", block),
    ]
    numbers: dict[str, Fact] = {"seq_id": "A", "pos": pos}
    facts = (
        describe_request(view)
        | numbers
        | {"page": page, "block": block, "offset": offset, "start": view.slots[starts[page]]}
    )
    return Draft("number", config, answer, wrong, numbers, facts, cell="slot")
