"""The conceptual questions: statements to judge. The quiz's only typed key; each names the test that proves it.

The tests are in tests/quiz/test_quiz_concepts.py. The numbers in a statement's feedback are read from a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lab.activities.question import Fact, Option, Value
from lab.quiz.draw import Draft, Draw, describe_request, find_event
from lab.quiz.examples import find_larger_with_fewer, run_hole
from lab.trace.events import BlockShared


@dataclass(frozen=True)
class Statement:
    """One statement. `idea`: the idea behind a wrong judgement. `proof`: the test that shows it true or false.

    `least_size`: the smallest block_size at which the key holds and the feedback has something to show.
    """

    id: str
    true: bool
    idea: str
    proof: str
    least_size: int = 1


STATEMENTS: dict[str, tuple[Statement, ...]] = {
    "block_table_is": (
        Statement("maps", True, "id_is_index", "test_entry_i_is_the_block_of_page_i"),
        Statement("any_order", True, "ids_consecutive", "test_ids_come_in_any_order"),
        Statement("same_id", True, "slip_one_owner", "test_two_tables_may_hold_the_same_id"),
        Statement("address", False, "ids_consecutive", "test_ids_come_in_any_order"),
        Statement("index", False, "id_is_index", "test_an_entry_is_not_its_own_index"),
        Statement("sorted", False, "pages_sorted", "test_a_sorted_table_reads_other_kv"),
        Statement("free_list", False, "slip_free_list", "test_no_block_of_a_table_is_free"),
        Statement("per_token", False, "slip_entry_per_token", "test_one_entry_a_page_not_a_token", least_size=2),
        Statement("grown_by_check", False, "check_allocates", "test_the_check_adds_nothing_to_the_table"),
    ),
    "release_not_erase": (
        Statement("stays", True, "release_erases", "test_release_leaves_the_kv_in_the_tensor"),
        Statement("found_again", True, "release_erases", "test_a_released_full_block_can_be_found_again"),
        Statement("tail", True, "slip_joins_head", "test_released_blocks_join_the_tail_last_page_first"),
        Statement("zeroed", False, "release_erases", "test_release_leaves_the_kv_in_the_tensor"),
        Statement("all_go", False, "released_at_first", "test_a_block_that_another_counts_on_stays"),
        Statement("head", False, "slip_joins_head", "test_released_blocks_join_the_tail_last_page_first"),
        Statement("compacted", False, "slip_compaction", "test_release_moves_no_other_request"),
    ),
    "fragmentation_kinds": (
        Statement("last_page", True, "slip_any_page", "test_empty_slots_are_in_the_last_page_only", least_size=2),
        Statement("any_free_block", True, "slip_external", "test_any_free_blocks_will_do"),
        Statement("hole", True, "slip_external", "test_a_contiguous_pool_refuses_although_enough_is_free"),
        Statement("none", False, "no_fragmentation", "test_pages_leave_empty_slots", least_size=2),
        Statement("full_leaves_page", False, "whole_page_empty", "test_an_exact_multiple_leaves_nothing_empty"),
        Statement("free_blocks", False, "slip_free_is_waste", "test_free_blocks_serve_whoever_comes"),
        Statement("larger_more", False, "slip_larger_wastes_more", "test_a_larger_size_may_leave_fewer_empty"),
        Statement("read", False, "tail_not_trimmed", "test_the_empty_tail_is_not_read", least_size=2),
    ),
    # The same ideas in other statements, for a retry of a missed question.
    "block_table_is_more": (
        Statement("tells", True, "id_is_index", "test_an_entry_is_not_its_own_index"),
        Statement("order_counts", True, "pages_sorted", "test_a_sorted_table_reads_other_kv"),
        Statement("in_use", True, "slip_free_list", "test_no_block_of_a_table_is_free"),
        Statement("after_check", True, "check_allocates", "test_the_check_adds_nothing_to_the_table"),
        Statement("neighbours", False, "ids_consecutive", "test_ids_come_in_any_order"),
        Statement("only_here", False, "slip_one_owner", "test_two_tables_may_hold_the_same_id"),
        Statement("by_size", False, "slip_sorted_table", "test_a_new_id_goes_to_the_end_of_the_table"),
        Statement("each_token", False, "slip_entry_per_token", "test_one_entry_a_page_not_a_token", least_size=2),
    ),
    "release_not_erase_more": (
        Statement("same_numbers", True, "release_erases", "test_release_leaves_the_kv_in_the_tensor"),
        Statement("in_line", True, "slip_table_order", "test_released_blocks_join_the_tail_last_page_first"),
        Statement("counted_on", True, "released_at_first", "test_a_block_that_another_counts_on_stays"),
        Statement("unfindable", False, "release_erases", "test_a_released_full_block_can_be_found_again"),
        Statement("next", False, "slip_joins_head", "test_released_blocks_join_the_tail_last_page_first"),
        Statement("all_zero", False, "released_at_first", "test_a_block_that_another_counts_on_stays"),
        Statement("tables", False, "slip_compaction", "test_release_moves_no_other_request"),
    ),
    "fragmentation_kinds_more": (
        Statement("scattered", True, "slip_external", "test_any_free_blocks_will_do"),
        Statement("at_most", True, "no_fragmentation", "test_at_most_a_page_but_one_slot_is_empty", least_size=2),
        Statement("exact", True, "whole_page_empty", "test_an_exact_multiple_leaves_nothing_empty"),
        Statement("not_counted", True, "slip_free_is_waste", "test_free_blocks_serve_whoever_comes"),
        Statement("one_hole", False, "slip_external", "test_any_free_blocks_will_do"),
        Statement("never_fewer", False, "slip_larger_wastes_more", "test_a_larger_size_may_leave_fewer_empty"),
        Statement("of_the_request", False, "slip_free_is_waste", "test_free_blocks_serve_whoever_comes"),
        Statement("middle", False, "slip_any_page", "test_empty_slots_are_in_the_last_page_only", least_size=2),
        Statement("changes", False, "tail_not_trimmed", "test_the_empty_tail_is_not_read", least_size=2),
    ),
}
_MORE = "_more"


def get_base_kind(kind: str) -> str:
    """The kind without its suffix: a retry with other statements has the name and the question of the first. Pure."""
    return kind.removesuffix(_MORE)


def find_other_kind(kind: str) -> str | None:
    """The kind with other statements on the same ideas; None if a kind has no statements. Pure."""
    if kind not in STATEMENTS:
        return None
    return get_base_kind(kind) if kind.endswith(_MORE) else kind + _MORE


def draw_block_table_meaning(draw: Draw) -> Draft | None:
    """What is a block_table?"""
    size = draw.block_size
    draw.allocate("A", draw.length(3, full=False))
    draw.allocate("B", size + draw.rng.randint(1, size), like="A", same=size)
    config = draw.config(draw.queue(9))
    state = draw.last(config).after
    a, b = state.sequence("A"), state.sequence("B")
    if a is None or b is None or list(a.block_table) == sorted(a.block_table):
        return None
    facts: dict[str, Fact] = describe_request(a) | {
        "table_b": b.block_table,
        "second": a.block_table[1],
        "sorted": tuple(sorted(a.block_table)),
        "common": tuple(block_id for block_id in a.block_table if block_id in b.block_table),
        "free_ids": state.free_block_ids,
    }
    return _draw_statements(draw, Draft("several", config, frozenset(), [], facts=facts))


def release_not_erase(draw: Draw) -> Draft | None:
    """What does release do, and what does it not do?"""
    size = draw.block_size
    draw.allocate("A", 2 * size + draw.rng.randint(1, size))
    draw.allocate("B", size + draw.rng.randint(1, size), like="A", same=size)
    draw.release("A")
    draw.allocate("C", 2 * size + 1, like="A", same=2 * size)
    config = draw.config(draw.queue(8))
    steps = draw.run(config)
    gone, back = steps[-2], steps[-1]
    a, b = gone.before.sequence("A"), gone.after.sequence("B")
    if a is None or b is None or find_event(back, BlockShared) is None:
        return None
    freed = tuple(block_id for block_id in reversed(a.block_table) if block_id in gone.after.free_block_ids)
    facts: dict[str, Fact] = describe_request(a) | {
        "returned": freed,
        "kept": tuple(block_id for block_id in a.block_table if block_id not in freed),
        "still": sum(slot is not None for block_id in freed for slot in gone.after.blocks[block_id].slots),
        "found": tuple(e.block_id for e in back.events if isinstance(e, BlockShared) and e.was_free),
        "head": gone.after.free_block_ids[0],
        "queue": gone.after.free_block_ids,
        "table_b": b.block_table,
    }
    return _draw_statements(draw, Draft("several", config, frozenset(), [], facts=facts))


def draw_fragmentation_kinds(draw: Draw) -> Draft:
    """Which space is lost with pages, and which is not?"""
    size = draw.block_size
    draw.allocate("A", draw.length(2, full=False))
    draw.allocate("B", 2 * size)
    config = draw.config(draw.queue(8))
    state = draw.last(config).after
    a, b = state.sequence("A"), state.sequence("B")
    if a is None or b is None:
        raise KeyError("A")
    facts: dict[str, Fact] = describe_request(a) | {
        "case": "some" if a.empty_slots else "none",
        "tokens_b": b.num_tokens,
        "empty_b": b.empty_slots,
        "free": len(state.free_block_ids),
        "free_ids": state.free_block_ids,
        **run_hole(),
        **find_larger_with_fewer(),
    }
    return _draw_statements(draw, Draft("several", config, frozenset(), [], facts=facts))


def _draw_statements(draw: Draw, draft: Draft) -> Draft:
    """The draft with some of the kind's statements: at least one true and at least two false."""
    kind = draw.name.kind
    usable = [statement for statement in STATEMENTS[kind] if draw.block_size >= statement.least_size]
    true, false = ([s for s in usable if s.true is value] for value in (True, False))
    count = min(4 + draw.level, len(usable))
    how_many = draw.rng.randint(max(1, count - len(false)), min(len(true), count - 2))
    chosen = [*draw.rng.sample(true, how_many), *draw.rng.sample(false, count - how_many)]
    draw.rng.shuffle(chosen)
    answer = frozenset(statement.id for statement in chosen if statement.true)
    # Without the last true statement, the answer would be empty, and an empty answer is refused.
    wrong: list[tuple[str, Value]] = [(s.idea, answer ^ {s.id}) for s in chosen if answer != {s.id}]
    options = [Option(s.id, f"{kind}_{s.id}", {"block_size": draw.block_size}) for s in chosen]
    numbers: dict[str, Fact] = {"block_size": draw.block_size}
    return replace(draft, answer=answer, wrong=wrong, options=options, numbers=numbers, shows_queue=False)


MAKERS: dict[str, Callable[[Draw], Draft | None]] = {
    "block_table_is": draw_block_table_meaning,
    "release_not_erase": release_not_erase,
    "fragmentation_kinds": draw_fragmentation_kinds,
}
MORE_MAKERS = {kind + _MORE: make for kind, make in MAKERS.items()}
