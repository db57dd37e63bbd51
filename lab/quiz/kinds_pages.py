"""Questions about pages and empty slots: blocks, empty_slots, waste, mark_empty."""

from __future__ import annotations

from lab.activities.question import Fact, Option, Value
from lab.engine.words import format_share
from lab.quiz.draw import Draft, Draw, build_choices, describe_request
from lab.trace.config import MAX_BLOCK_SIZE
from lab.trace.snapshot import SequenceView, Snapshot

_FEW_SLOTS = 8  # in a block


def draw_blocks(draw: Draw) -> Draft:
    """How many blocks does A hold?"""
    size = draw.block_size
    draw.allocate("A", draw.length(draw.pages((1, 3), (2, 5), (2, 4))))
    added = draw.rng.randint(1, min(size + 1, 6)) if draw.level == 2 else 0
    draw.append("A", added)
    config = draw.config(range(12))
    steps = draw.run(config)
    view = steps[-1].view("A")
    answer = len(view.block_table)
    wrong: list[tuple[str, Value]] = [("floor_for_ceil", view.num_tokens // size)]
    if added:
        wrong.append(("slip_append_always_takes", len(steps[0].view("A").block_table) + added))
    wrong += [
        ("slip_block_per_token", view.num_tokens),
        ("slip_one_too_many", answer + 1),
        ("slip_size_for_count", size),
    ]
    return Draft("number", config, answer, wrong, {"seq_id": "A"}, describe_request(view), shows_queue=False)


def empty_slots(draw: Draw) -> Draft:
    """How many empty slots are in A's own blocks? Exact multiples included."""
    size = draw.block_size
    pages = draw.pages((1, 2), (2, 5), (2, 4))
    draw.allocate("A", draw.length(pages))
    if draw.level == 2:
        draw.append("A", draw.rng.randint(1, min(size + 1, 6)))
    config = draw.config(draw.queue(pages + 7))
    step = draw.last(config)
    view, free = step.view("A"), len(step.after.free_block_ids)
    wrong: list[tuple[str, Value]] = [
        ("used_as_empty", view.last_block_num_tokens),
        ("no_fragmentation", 0),
        ("slip_whole_page", size),
        ("slip_free_blocks", free),
        ("slip_free_slots", free * size),
    ]
    if not view.empty_slots:  # block_size - len % block_size, which is wrong at exact multiples
        wrong.insert(0, ("whole_page_empty", size))
    facts = describe_request(view) | {"free": free, "free_slots": free * size}
    return Draft("number", config, view.empty_slots, wrong, {"seq_id": "A"}, facts)


def draw_waste(draw: Draw) -> Draft:
    """What share of A's slots is empty at this block_size, and what share at another?"""
    size = draw.block_size
    if draw.level:
        other = draw.rng.choice([n for n in range(1, MAX_BLOCK_SIZE + 1) if n != size])
    else:
        other = size * 2 if size * 2 <= MAX_BLOCK_SIZE else size // 2
    tokens = draw.rng.randint(2, (20, 32, 48)[draw.level])
    draw.allocate("A", tokens)
    config, another = draw.config(range(tokens)), draw.config(range(tokens), other)
    here, there = (draw.last(each).view("A") for each in (config, another))
    right = _build_shares_option(_measure_percent(here), _measure_percent(there))
    slips = [
        ("slip_swapped", _build_shares_option(_measure_percent(there), _measure_percent(here))),
        ("slip_count_for_percent", _build_shares_option(str(here.empty_slots), str(there.empty_slots))),
        (
            "slip_of_tokens",
            _build_shares_option(format_share(here.empty_slots, tokens), format_share(there.empty_slots, tokens)),
        ),
    ]
    draw.rng.shuffle(slips)
    used = _build_shares_option(_measure_percent(here, used=True), _measure_percent(there, used=True))
    options, wrong = build_choices(
        right, [("no_fragmentation", _build_shares_option("0", "0")), ("used_as_empty", used), *slips]
    )
    numbers: dict[str, Fact] = {"seq_id": "A", "tokens": tokens, "block_size": size, "other": other}
    facts = describe_request(here) | {f"other_{name}": value for name, value in describe_request(there).items()}
    facts |= right.numbers
    return Draft("choice", config, right.id, wrong, numbers, facts, options, shows_queue=False, other=another)


def _measure_percent(view: SequenceView, used: bool = False) -> str:
    return format_share(view.used_slots if used else view.empty_slots, view.num_slots)


def _build_shares_option(here: str, there: str) -> Option:
    return Option(f"{here}-{there}", "waste_shares", {"here": here, "there": there})


def mark_empty(draw: Draw) -> Draft:
    """Mark every empty slot in the pool: a slot in a request's block that holds none of its tokens."""
    many = draw.block_size > _FEW_SLOTS  # four such blocks are as many as a learner can look through
    pages_of_a = draw.pages((1, 2), (1, 2 if many else 3), (1, 2))
    pages_of_b = draw.pages((0, 0), (1, 1 if many else 2), (1, 1 if many else 3))
    held = pages_of_a + pages_of_b
    if draw.level == 2:  # old KV stays in blocks that A or B will take
        draw.allocate("C", draw.length(min(2, held), full=True))
        draw.release("C")
    draw.allocate("A", draw.length(pages_of_a))
    if pages_of_b:
        draw.allocate("B", draw.length(pages_of_b))
    if draw.level and draw.chance(0.5):
        draw.append("A")
    config = draw.config(draw.queue(held + (1 if many or draw.level == 2 else 2)))
    state = draw.last(config).after
    empty = _empty_in(state)
    wrong: list[tuple[str, Value]] = [
        ("used_as_empty", frozenset(_find_last_slots(state)) - empty),
        ("slip_whole_page", frozenset(_find_last_slots(state))),
        ("slip_stale_is_used", frozenset(slot for slot in empty if not _is_written(state, slot))),
        ("no_fragmentation", frozenset()),
        ("slip_free_blocks", empty | {s for b in state.free_block_ids for s in _list_slots(state, b)}),
    ]
    facts: dict[str, Fact] = {
        "case": "some" if empty else "none",
        "block_size": state.block_size,
        "last_blocks": tuple(view.block_table[-1] for view in state.sequences),
        "last": tuple(view.last_block_num_tokens for view in state.sequences),
        "free_ids": state.free_block_ids,
        "names": tuple(view.seq_id for view in state.sequences),
        "stale": tuple(sorted(slot for slot in empty if _is_written(state, slot))),
    }
    return Draft(
        "set",
        config,
        empty,
        wrong,
        {"names": facts["names"]},
        facts,
        cell="slot",
        cells=range(config.num_blocks * config.block_size),
    )


def _list_slots(state: Snapshot, block_id: int) -> range:
    return range(block_id * state.block_size, (block_id + 1) * state.block_size)


def _empty_in(state: Snapshot) -> frozenset[int]:
    """Slots of the blocks that requests hold, without those of their tokens."""
    held = {slot for view in state.sequences for block_id in view.block_table for slot in _list_slots(state, block_id)}
    return frozenset(held.difference(*(view.slots for view in state.sequences)))


def _find_last_slots(state: Snapshot) -> set[int]:
    """Every slot of every request's last block."""
    return {slot for view in state.sequences for slot in _list_slots(state, view.block_table[-1])}


def _is_written(state: Snapshot, slot: int) -> bool:
    return state.blocks[slot // state.block_size].slots[slot % state.block_size] is not None
