"""The prepared scenarios: each shows its point, and its texts take their numbers from its run."""

from __future__ import annotations

import re
from dataclasses import replace
from string import Formatter

import pytest

from lab.sandbox.facts import collect_settings, collect_values, run
from lab.sandbox.library import (
    LIBRARY,
    Prepared,
    Prompt,
    get_prompt_after,
    get_prompt_before,
    get_summary_key,
    get_title_key,
    list_prompts,
    resize_prepared,
)
from lab.sandbox.link import encode_scenario
from lab.trace.config import Engine
from lab.trace.events import AppendChecked
from lab.trace.operations import Allocate, Append, Release
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Timeline
from lessons.text.sentences import format_values
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests.links import parse_scenario
from tests.sample import every_language

NOTES = [note for prepared in LIBRARY.values() for note in list_prompts(prepared)]


def view_at(key: str, step: int, name: str) -> SequenceView:
    """A request after that many operations."""
    view = run(key).snapshot(step).sequence(name)
    assert view is not None
    return view


def free(key: str, step: int) -> tuple[int, ...]:
    """The free queue after that many operations."""
    return run(key).snapshot(step).free_block_ids


def test_there_are_enough_of_them() -> None:
    """Every promised kind is there, each with an id of letters only, which links and string keys need."""
    assert len(LIBRARY) >= 12
    assert all(re.fullmatch("[a-z]{1,20}", key) and key == prepared.id for key, prepared in LIBRARY.items())
    asked_for = {"task", "pools", "scatter", "exact", "single", "shared", "revived", "evicted", "twins", "preempted"}
    assert asked_for | {"twice", "sizes"} <= set(LIBRARY)


@pytest.mark.parametrize("prepared", LIBRARY.values(), ids=LIBRARY)
def test_each_runs_and_every_request_that_is_live_attends_as_it_should(prepared: Prepared) -> None:
    """The proof holds after every operation; the link parses back; the key steps are steps of the log, in order."""
    timeline = run(prepared.id)
    for cursor in range(len(timeline.steps) + 1):
        assert all(proof.bit_equal for proof in timeline.proofs(cursor))
    assert parse_scenario(encode_scenario(prepared.scenario)) == prepared.scenario
    assert prepared.steps
    assert sorted({*prepared.steps}) == list(prepared.steps)
    assert set(prepared.steps) <= set(range(1, len(timeline.steps) + 1))


# --- each shows its point ------------------------------------------------------------------------------------------


def test_task_is_the_chapters() -> None:
    """Eleven tokens in three blocks, one slot empty; B's fifth takes a second block; A's blocks return at the tail."""
    a, b = view_at("task", 2, "A"), view_at("task", 2, "B")
    assert (a.num_tokens, len(a.block_table), a.empty_slots) == (11, 3, 1)
    assert (b.num_tokens, len(b.block_table), b.empty_slots) == (4, 1, 0)
    assert len(view_at("task", 3, "B").block_table) == 2
    assert free("task", 4) == (*free("task", 3), *reversed(a.block_table))


def test_pools_a_fresh_pool_looks_contiguous_by_luck() -> None:
    """Later, in the same pool, a request with as many tokens is scattered."""
    assert view_at("pools", 1, "A").block_table == (0, 1, 2)
    d = view_at("pools", 5, "D")
    assert d.num_tokens == view_at("pools", 1, "A").num_tokens
    assert list(d.block_table) != sorted(d.block_table)


def test_scatter_even_a_new_pool_scatters() -> None:
    """One of B's blocks is between two of A's, and one of A's between two of B's."""
    a, b = view_at("scatter", 8, "A").block_table, view_at("scatter", 8, "B").block_table
    assert a == (0, 2, 4)
    assert b == (1, 3)
    for step in (3, 4, 8):
        operation = run("scatter").steps[step - 1]
        assert isinstance(operation.operation, Append)
        assert operation.before.free_block_ids[1:] == operation.after.free_block_ids  # each took the head


def test_exact_no_page_is_kept_ready() -> None:
    """No empty slot; after one more token all but one slot of a page are empty, the maximum; then one less."""
    views = [view_at("exact", step, "A") for step in (1, 2, 3)]
    assert [view.empty_slots for view in views] == [0, 3, 2]
    assert views[0].empty_slots == 0 == views[0].num_tokens % views[0].block_size
    assert views[1].empty_slots == views[1].block_size - 1
    assert len(views[2].block_table) == len(views[1].block_table)


def test_single_every_token_has_a_page() -> None:
    """A table as long as the request, no empty slot, a block for each token; sharing ends at the first other token."""
    a, later, b = view_at("single", 1, "A"), view_at("single", 2, "A"), view_at("single", 3, "B")
    assert a.block_size == 1
    assert len(a.block_table) == a.num_tokens
    assert a.empty_slots == later.empty_slots == 0
    assert len(later.block_table) == len(a.block_table) + 1
    equal = next(i for i, (x, y) in enumerate(zip(later.token_ids, b.token_ids, strict=False)) if x != y)
    assert b.num_cached_tokens == equal > 0


def test_shared_only_the_last_release_gives_a_block_back() -> None:
    """ref_count 2, 1, 0: at 0 the shared blocks join the queue, the first page's block last."""
    a, b = view_at("shared", 2, "A").block_table, view_at("shared", 2, "B").block_table
    assert a[:2] == b[:2]
    assert a[2] != b[2]
    counts = [[run("shared").snapshot(step).blocks[i].ref_count for i in a[:2]] for step in (2, 3, 4)]
    assert counts == [[2, 2], [1, 1], [0, 0]]
    assert not set(a[:2]) & set(free("shared", 3))
    assert free("shared", 4)[-2:] == (a[1], a[0])


def test_revived_the_same_id_comes_back() -> None:
    """C's first pages are the blocks that A had, and these were not at the head of the queue."""
    a, c = view_at("revived", 1, "A").block_table, view_at("revived", 3, "C").block_table
    assert c[:2] == a[:2]
    assert set(a) <= set(free("revived", 2))
    assert not set(c[:2]) & set(free("revived", 2)[:2])
    assert view_at("revived", 3, "C").num_cached_tokens == 8
    assert c[2] == free("revived", 2)[0]


def test_evicted_the_same_request_finds_nothing() -> None:
    """The same request found two pages in the other scenario; here D's arrival made the pool forget their hashes."""
    assert LIBRARY["evicted"].scenario.requests[-1] == LIBRARY["revived"].scenario.requests[-1]
    assert view_at("evicted", 5, "C").num_cached_tokens == 0
    old, d = view_at("evicted", 1, "A").block_table, view_at("evicted", 3, "D").block_table
    assert set(old) < set(d)
    assert collect_values(Prompt(LIBRARY["evicted"], 1))["forgotten"] == tuple(sorted(old[:2]))  # as D took them


def test_twins_the_last_block_is_computed_again() -> None:
    """All tokens are equal and all pages full, and still the last page takes another block."""
    a, b = view_at("twins", 2, "A"), view_at("twins", 2, "B")
    assert a.token_ids == b.token_ids
    assert a.num_tokens % a.block_size == 0
    assert a.block_table[:-1] == b.block_table[:-1]
    assert a.block_table[-1] != b.block_table[-1]
    assert b.num_cached_tokens == b.num_tokens - b.block_size


def test_chain_an_equal_page_after_another_beginning_is_another_page() -> None:
    """A's and B's page 1 have the same tokens in different blocks; C, which begins like A, gets A's."""
    a, b, c = (view_at("chain", 3, name) for name in "ABC")
    assert a.page(1) == b.page(1) == c.page(1)
    assert [i for i, (x, y) in enumerate(zip(a.token_ids, b.token_ids, strict=True)) if x != y] == [0]
    assert not set(a.block_table) & set(b.block_table)
    assert c.block_table[:2] == a.block_table[:2]
    assert b.num_cached_tokens == 0


def test_asked_both_are_told_yes_and_one_gets_it() -> None:
    """One free block, two True answers, one refusal. A's token still waits."""
    steps = run("asked").steps
    answers = [event.answer for step in steps[4:6] for event in step.events if isinstance(event, AppendChecked)]
    assert answers == [True, True]
    assert [len(step.before.free_block_ids) for step in steps[4:8]] == [1, 1, 1, 0]
    assert steps[7].refusal is not None
    assert steps[7].after.waiting == ("A",)
    assert view_at("asked", 8, "A").num_tokens == view_at("asked", 4, "A").num_tokens


def test_whole_nothing_is_taken_of_too_little() -> None:
    """Refused although a block is free; the pool is unchanged; later the request fits."""
    refused = run("whole").steps[1]
    assert refused.refusal is not None
    assert refused.before == refused.after
    assert len(refused.before.free_block_ids) == 1
    assert view_at("whole", 4, "B").block_table == free("whole", 3)[:2]


def test_preempted_the_victim_waits_and_recomputes_the_same_result() -> None:
    """A's token is kept and C's blocks go to A; C1 has C's tokens, computes all of them, and gives C's own output."""
    steps, timeline = run("preempted").steps, run("preempted")
    assert steps[5].after.waiting == ("A",)
    assert view_at("preempted", 6, "A").num_tokens == view_at("preempted", 4, "A").num_tokens + 1
    c = view_at("preempted", 6, "C")
    assert c.num_tokens > len(timeline.config.request("C").prompt)  # it had generated tokens
    assert [view.seq_id for view in steps[5].after.sequences][-1] == "C"  # the newest request
    assert isinstance(steps[6].operation, Release)
    assert set(c.block_table) < set(view_at("preempted", 12, "A").block_table)
    assert steps[12].refusal is not None
    back = view_at("preempted", 16, "C1")
    assert back.token_ids == c.token_ids
    assert back.num_cached_tokens == 0
    assert back.block_table != c.block_table
    proofs = {proof.seq_id: proof for cursor in (6, 16) for proof in timeline.proofs(cursor)}
    assert proofs["C"].bit_equal
    assert proofs["C1"].bit_equal
    assert proofs["C"].paged == proofs["C1"].paged
    assert proofs["C"].slots != proofs["C1"].slots


def test_preempted_no_page_of_the_victim_is_left_when_it_comes_back() -> None:
    """So all of it is computed again."""
    snapshot = run("preempted").snapshot(12)
    c = view_at("preempted", 6, "C")
    assert all(run("preempted").snapshot(6).blocks[i].findable for i in c.block_table)
    hashes = {block.hash for block in snapshot.blocks if block.findable}
    assert not hashes & set(c.hashes)


def test_twice_the_second_release_changes_nothing() -> None:
    """Refused because A holds nothing."""
    step = run("twice").steps[3]
    assert step.operation == Release("A")
    assert step.refusal is not None
    assert step.refusal.reason == "not_allocated"
    assert step.before == step.after


def test_sizes_larger_pages_leave_more_slots_empty() -> None:
    """In fewer blocks, at all sizes, in last pages only; read from separate runs."""
    prepared = LIBRARY["sizes"]
    found = collect_values(Prompt(prepared, 1))
    empty, blocks = [], []
    for size in (4, 8, 16):
        scenario = resize_prepared(prepared, size)
        views = Timeline.replay(scenario.config, scenario.operations).snapshot(3).sequences
        empty.append(sum(view.empty_slots for view in views))
        blocks.append(sum(len(view.block_table) for view in views))
        assert all(view.empty_slots == size - view.last_block_num_tokens for view in views)
        assert len(views) == 3
    assert empty == sorted(set(empty))
    assert blocks == sorted(set(blocks), reverse=True)
    assert found["empty_by_size"] == tuple(empty)
    assert found["blocks_by_size"] == tuple(blocks)
    assert found["sizes"] == (4, 8, 16)


def test_ends_a_block_that_nobody_can_find_is_used_first() -> None:
    """In the fresh pool of the issue's history: vLLM's head after A's release, and the blocks of nine new tokens."""
    nano, vllm = run("ends"), run("ends", "vllm")
    assert (nano.snapshot(4).free_block_ids[0], vllm.snapshot(4).free_block_ids[0]) == (5, 3)
    assert not vllm.snapshot(4).blocks[3].findable
    assert [t.snapshot(5).free_block_ids[:3] for t in (nano, vllm)] == [(5, 6, 7), (5, 3, 6)]
    found = collect_values(Prompt(LIBRARY["ends"], 2))
    assert (found["c_table"], found["vllm_c_table"]) == ((5, 6, 7), (5, 3, 6))
    for timeline in (nano, vllm):
        full = [timeline.start.free_block_ids[place] for place in (0, 1, 3)]  # A's pages 0 and 1, and B's page 0
        assert all(timeline.snapshot(6).blocks[block].findable for block in full)


def test_remains_a_prefix_is_lost_from_its_end() -> None:
    """D takes A's last pages; what is left is the beginning, and C finds it."""
    engines: tuple[tuple[Engine, int, int], ...] = (("nano_vllm", 0, 8), ("vllm", 1, 4))
    for engine, first, found in engines:
        timeline = run("remains", engine)
        left = [timeline.snapshot(3).blocks[first + page].hash != -1 for page in range(3)]
        taken = [first + page in timeline.snapshot(3).used_block_ids for page in range(3)]
        assert [a and not b for a, b in zip(left, taken, strict=True)] == [page * 4 < found for page in range(3)]
        c = timeline.snapshot(5).sequence("C")
        assert c is not None
        assert c.num_cached_tokens == found


def test_uncached_finds_nothing_and_keeps_nothing() -> None:
    """B computes everything, and A's blocks come back at the head."""
    found = [collect_values(Prompt(LIBRARY["uncached"], number)) for number in (1, 2)]
    assert (found[0]["used"], found[0]["vllm_used"]) == (4, 6)
    assert (found[0]["b_cached"], found[0]["vllm_b_cached"], found[0]["vllm_written"]) == (8, 0, 11)
    assert (found[1]["returned"], found[1]["queue"][-1:]) == ((14,), (14,))  # type: ignore[index]
    assert found[1]["vllm_queue"][:3] == (14, 2, 7)  # type: ignore[index]


# --- when a prompt belongs to a position ------------------------------------------------------------------------------


@pytest.mark.parametrize("note", NOTES, ids=lambda note: f"{note.prepared.id}-{note.number}")
def test_a_note_stands_at_its_step(note: Prompt) -> None:
    """The question before the step, the point after it."""
    scenario = note.prepared.scenario
    assert get_prompt_before(scenario, note.step - 1) == note
    assert get_prompt_after(scenario, note.step) == note
    assert get_prompt_after(scenario.up_to(note.step), note.step) == note


def test_no_note_stands_where_it_is_not_true() -> None:
    """If the log, the pool or the requests have been changed, the texts would not fit."""
    scenario = LIBRARY["task"].scenario
    other = scenario.up_to(0).then(Allocate("B"), *scenario.operations[1:])
    assert get_prompt_before(scenario, 0) is not None
    assert get_prompt_after(other, 1) is None
    assert get_prompt_before(other, 2) is None
    assert get_prompt_before(resize_prepared(LIBRARY["task"], 8), 0) is None
    assert get_prompt_before(scenario, 1) is None  # not a key step
    assert get_prompt_before(scenario.up_to(2), 0) is not None  # the rest of the log may be missing
    assert get_prompt_before(scenario.up_to(0).then(Release("A")), 0) is None  # another log is somebody's own


def test_the_notes_hold_at_every_size_that_is_compared_and_at_no_other() -> None:
    """The question stays while a class tries the sizes; its text is about no single size."""
    prepared = LIBRARY["sizes"]
    (note,) = list_prompts(prepared)
    for size in (4, 8, 16):
        assert get_prompt_before(resize_prepared(prepared, size), note.step - 1) == note
        assert get_prompt_after(resize_prepared(prepared, size), note.step) == note
    for size in (2, 5):
        assert get_prompt_before(resize_prepared(prepared, size), note.step - 1) is None
    assert get_prompt_before(replace(prepared.scenario, num_blocks=17), note.step - 1) is None
    for language in LANGUAGES:
        used = names(load_strings(language)[note.ask]) | names(load_strings(language)[note.point])
        assert all(name in {"tokens", "sizes"} or name.endswith("_by_size") for name in used)


# --- the texts --------------------------------------------------------------------------------------------------------


def names(template: str) -> set[str]:
    """The placeholders of a string."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@every_language
def test_every_string_belongs_to_a_scenario_and_every_scenario_has_its_words(language: Language) -> None:
    """No title, question or point is missing or unused; the summary is optional."""
    wanted = {get_title_key(key) for key in LIBRARY} | {key for note in NOTES for key in (note.ask, note.point)}
    assert {key for key in load_strings(language) if key.startswith("library.")} - set(
        map(get_summary_key, LIBRARY)
    ) == wanted


ENGLISH = r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|half of)\b"
CHINESE = r"[两二三四五六七八九十]|一共[一]|第[一二三]次"


@every_language
def test_no_number_is_typed(language: Language) -> None:
    """Neither in digits nor in words; names like C1 are allowed."""
    for key, template in load_strings(language).items():
        if key.startswith("library."):
            rest = re.sub(r"\{\w+\}|\b[A-Z]\d\b|(?<![A-Za-z])[A-Z]\d(?![\d])", "", template)
            assert not re.search(r"\d", rest), (key, template)
            assert not re.search(ENGLISH if language == "en" else CHINESE, rest, re.IGNORECASE), (key, template)


@every_language
@pytest.mark.parametrize("note", NOTES, ids=lambda note: f"{note.prepared.id}-{note.number}")
def test_every_note_can_be_said_with_the_numbers_of_its_run(note: Prompt, language: Language) -> None:
    """No open placeholder, no text about an empty list, and no plural for one."""
    found, say = collect_values(note), get_translations(language)
    for key in (note.ask, note.point):
        used = names(load_strings(language)[key])
        assert used <= set(found)
        assert all(found[name] not in ("", ()) for name in used), (key, used)
        text = say.text(key, **format_values(found, say))
        assert not re.search(r"\b1 (?:blocks|tokens|slots|entries)\b|\{|\}", text), text
        # A queue with one id would read like its length.
        assert not re.search(r"(?:queue is(?: still| now)?|队列(?:现在|仍)?是) \d+(?![\d,、])", text), text
        # The language's own comma between ids.
        assert not re.search(r"\d, \d" if language == "zh" else r"\d、\d", text), text
    opening = say.text(get_title_key(note.prepared.id), **format_values(collect_settings(note.prepared), say))
    assert "{" not in opening
    assert language == "en" or "," not in opening


ANSWERS = {  # what a title or a lead must not say, because a question asks for it
    "pools": "other ids|depend|不同|取决",
    "scatter": "scatter|woven|past a page|散开|交错|长过",
    "exact": "no empty|没有空位",
    "single": "every token|wasted|每个 token|浪费",
    "shared": "last|最后",
    "revived": "life|still|again|复活|还能|又",
    "evicted": "gone|evicted|lost|until|没有了|挤掉",
    "twins": "last block|all but|almost|最后|几乎",
    "chain": "another page|other pages|另外的页",
    "asked": "yes|promises|nothing|可以|许诺",
    "whole": "all|none|nothing|全|都不|要么|没有",
    "preempted": "preempt|recompute|again|gives|抢占|重新|交出",
    "twice": "refused|拒绝",
    "ends": "head|tail|at once|队首|队尾|马上",
    "remains": "end|last|末尾|最后",
    "uncached": "head|nothing|every|队首|什么都|每一",
}


@every_language
@pytest.mark.parametrize("key", ANSWERS)
def test_what_stands_over_a_question_does_not_answer_it(key: str, language: Language) -> None:
    """Neither the title nor the lead in the library; the summary at the end may."""
    keys = (get_title_key(key), f"scenarios.about.{key}", "scenarios.group.pressure")
    for over in map(load_strings(language).__getitem__, keys):
        assert not re.search(ANSWERS[key], over, re.IGNORECASE), over
    assert get_summary_key(key) in load_strings(language)


def test_a_question_does_not_give_its_answer_away() -> None:
    """Of the state after the step it only mentions what the requests need: their tokens and blocks."""
    given = {"block_size", "num_blocks", "sizes", "tokens", "needed"}
    for note in NOTES:
        for name in names(load_strings("en")[note.ask]):
            assert (
                name.startswith(("was_", "vllm_was_"))
                or name in given
                or re.fullmatch(r"\w+_tokens|a_table|d_blocks", name)
            ), name


def test_facts_are_read_from_the_run() -> None:
    """A sample, compared with the snapshots and events."""
    note = Prompt(LIBRARY["shared"], 2)
    found, step = collect_values(note), run("shared").steps[2]
    assert (found["queue"], found["was_queue"]) == (step.after.free_block_ids, step.before.free_block_ids)
    assert (found["returned"], found["kept"], found["ref"]) == ((14,), (2, 7), (1, 1))
    assert (found["returned_count"], found["kept_count"], found["taken_count"]) == (1, 2, 0)
    assert found["a_table"] == found["was_a_table"] == (7, 2, 14)
    assert collect_values(Prompt(LIBRARY["preempted"], 1))["answer"] == "False"
    shared, revived = collect_values(Prompt(LIBRARY["shared"], 1)), collect_values(Prompt(LIBRARY["revived"], 2))
    assert (shared["shared"], shared["revived"], shared["ref"]) == ((7, 2), (), (2, 2))
    assert (revived["shared"], revived["revived"], revived["ref"]) == ((7, 2), (7, 2), (1, 1))
