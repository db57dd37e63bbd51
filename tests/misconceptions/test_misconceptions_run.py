"""Every wrong idea goes wrong in its scenario, its own run shows how, and it never crashes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from lab.activities.ideas import IDEAS, VARIANTS
from lab.engine.errors import LimitError
from lab.engine.invariants import Finding
from lab.figures.memory.memory_picture import draw_memory
from lab.misconceptions.play import RunComparison, play
from lab.misconceptions.reading import Misread, ReadSlots, trace_read_slots
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.wrong_timeline import reads_wrongly
from lab.trace.config import Config, Request
from lab.trace.events import BlockTaken, KVWritten, Refused
from lab.trace.operations import Append, AppendToken, Operation, parse_operation
from lab.trace.presets import A_PROMPT, B_PROMPT, PLAN, build_task_config
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Timeline
from lab.trace.vocabulary import NO_WORD, find_tokens, find_word, get_word
from lessons.activity.what_if_text import describe_damage, describe_reads, describe_room
from lessons.text.sentences import format_event
from lessons.text.translations import LANGUAGES, get_translations
from tests.sample import examples, some
from tests.trace.event_replay import histories

ALL = (*IDEAS, *VARIANTS)
RUN = [idea.id for idea in ALL if idea.status != "named"]
HARMFUL = [idea.id for idea in ALL if idea.status == "runnable"]
HARMLESS_IDEAS = [idea.id for idea in ALL if idea.status == "harmless"]


def in_its_scenario(idea_id: str) -> RunComparison:
    return play(idea_id, *get_scenario(idea_id))


def ops(log: str) -> list[Operation]:
    return [parse_operation(text) for text in log.split()]


# What each idea breaks in its own scenario, and why the wrong run refuses if the engine does not.
DAMAGE: dict[str, tuple[set[str], str | None]] = {
    "floor_for_ceil": ({"ref_count"}, "length_mismatch"),
    "used_as_empty": ({"kv"}, None),
    "whole_page_empty": ({"table_length"}, "no_free_blocks"),
    "ids_consecutive": (set(), "no_neighbours"),
    "id_is_index": ({"kv"}, None),
    "full_page_reused": ({"kv"}, None),
    "check_allocates": (set(), "no_free_blocks"),
    "check_before_append": (set(), "length_mismatch"),
    "act_without_block": ({"ref_count"}, "nothing_to_take"),
    "released_at_first": ({"ref_count", "kv"}, None),
    "partial_shared": ({"kv"}, None),
    "identical_computes_nothing": ({"kv"}, None),
    "stale_hash": ({"kv"}, None),
    "unchained_hash": ({"kv"}, None),
    "tail_not_trimmed": ({"kv"}, None),
    "pages_sorted": ({"kv"}, None),
}


@pytest.mark.parametrize("idea_id", HARMFUL)
def test_an_idea_goes_wrong_in_its_scenario(idea_id: str) -> None:
    """The two runs diverge with the expected damage; the engine itself refuses nothing."""
    run = in_its_scenario(idea_id)
    broken, reason = DAMAGE[idea_id]
    assert run.harmful
    assert run.parts_at is not None
    assert set(run.broken) == broken
    assert (run.refusal.reason if run.refusal else None) == reason
    assert ("kv" in broken) is any(not read.right for read in run.reads)
    if idea_id != "act_without_block":  # there the engine refuses, and that is the point
        assert all(step.refusal is None for step in run.real_steps)


@pytest.mark.parametrize("idea_id", RUN)
def test_the_parting_is_the_first_difference(idea_id: str) -> None:
    """Everything before the divergence is equal, and at the divergence the runs differ."""
    run = in_its_scenario(idea_id)
    parting = run.parts_at
    assert parting is not None
    assert run.real_steps[: parting.step] == run.wrong_steps[: parting.step]
    real, wrong = run.real_steps[parting.step], run.wrong_steps[parting.step]
    if parting.event is None:
        assert real == wrong
        assert (parting.real, parting.wrong) == (real.after, wrong.after)
        assert reads_wrongly(idea_id)
        return
    i = parting.event
    assert (real.events[:i], real.snapshots[:i]) == (wrong.events[:i], wrong.snapshots[:i])
    assert (real.events[i], real.snapshots[i]) != (wrong.events[i], wrong.snapshots[i])
    assert (parting.real, parting.wrong) == (real.snapshots[i], wrong.snapshots[i])


EVEN = Config(4, 4, (0, 1, 2, 3), (Request("A", A_PROMPT[:8], (16,)), Request("B", B_PROMPT, (17,))))
ODD = replace(EVEN, requests=(Request("A", A_PROMPT[:6], (16,)), Request("B", B_PROMPT[:2], (17,))))
HARMLESS = {
    "used_as_empty": (ODD, ""),  # no operations: once a page exists, it is never read correctly
    "release_erases": (EVEN, "aA aB"),
    "stale_hash": (EVEN, "aA aB rA"),
    "unchained_hash": (ODD, "aA aB rA"),  # the first page's hash is the same
    "whole_page_empty": (ODD, "aA tA aB rA"),
    "floor_for_ceil": (EVEN, "aA aB rA"),
    "id_is_index": (EVEN, "aA tA rA"),
    "full_page_reused": (ODD, "aA tA aB rB"),
    "check_allocates": (ODD, "aA tA aB rB"),
    "check_before_append": (ODD, "aA tA aB rB"),
}


@pytest.mark.parametrize("idea_id", RUN)
def test_where_an_idea_does_no_harm_nothing_parts(idea_id: str) -> None:
    """On a fresh pool, or if no page is crossed, many wrong ideas give the right answer by luck."""
    config, log = HARMLESS.get(idea_id, (EVEN, "aA aB rA"))
    run = play(idea_id, config, ops(log))
    assert run.parts_at is None
    assert (run.broken, run.refusal, run.harmful) == ({}, None, False)
    assert run.wrong_steps == run.real_steps
    assert all(read.right and not read.misreads and not read.unread for read in run.reads)


def test_a_partial_page_is_shared_after_the_same_pages_only() -> None:
    """The idea is wrong about partial pages, not about prefixes: equal tokens after other pages are not shared."""
    prompts = {"A": A_PROMPT[:4], "C": (*B_PROMPT, *A_PROMPT[4:8]), "B": A_PROMPT[:6]}
    config = Config(6, 4, (2, 0, 3, 1, 5, 4), tuple(Request(n, prompt, (16,)) for n, prompt in prompts.items()))
    assert play("partial_shared", config, ops("aA aC aB")).parts_at is None


@pytest.mark.parametrize("tokens", [8, 6])
def test_an_identical_prompt_is_right_until_somebody_writes(tokens: int) -> None:
    """The last page is shared, full or not; while nothing is written every output is right. Then both write to it."""
    config = replace(EVEN, requests=tuple(Request(n, A_PROMPT[:tokens], (16 + i,)) for i, n in enumerate("AB")))
    run = play("identical_computes_nothing", config, ops("aA aB"))
    written = [e.slots for step in run.wrong_steps for e in step.events if isinstance(e, KVWritten)]
    assert [len(slots) for slots in written] == [tokens, 0]
    view = run.wrong_steps[-1].after.sequence("B")
    assert view is not None
    assert view.num_cached_tokens == tokens
    assert run.parts_at is not None
    assert not run.harmful
    assert all(read.right for read in run.reads)
    later = play("identical_computes_nothing", config, ops("aA aB tB tA"))
    assert set(later.broken) == (set() if tokens == 8 else {"kv"})


def test_a_page_that_begins_alike_is_shared_and_written_into() -> None:
    """As in the lessons' rule found_partial_shared: one equal token is enough, and B's own tokens go into A's block."""
    prompts = {"A": A_PROMPT[:8], "B": (*A_PROMPT[:5], *B_PROMPT[:2])}
    config = Config(4, 4, (2, 0, 3, 1), tuple(Request(n, prompt, (16,)) for n, prompt in prompts.items()))
    run = play("partial_shared", config, ops("aA aB"))
    a, b = run.wrong_steps[-1].after.sequences
    assert (b.num_cached_tokens, b.block_table) == (5, a.block_table)
    assert [(m.position, m.token_id) for m in run.reads[0].misreads] == [(5, B_PROMPT[0]), (6, B_PROMPT[1])]
    assert run.reads[1].right


# --- what is read ---------------------------------------------------------------------------------------------------


def test_another_requests_tokens_are_named() -> None:
    """Read from the tensor: A reads B's page in place of its own, where one word differs, and B reads its own."""
    run = in_its_scenario("id_is_index")
    a, b = run.reads
    (soup,) = find_tokens("soup")
    assert a.slots == ReadSlots((Misread(2, soup, 2),), (), (3,))  # the comma after it was computed after soup
    assert a.error > 0.1
    assert not a.nan
    assert b.right
    assert b.misreads == ()
    taken = [e for step in run.wrong_steps for e in step.events if isinstance(e, BlockTaken)]
    assert [(e.block_id, e.ref_before, e.ref_after) for e in taken] == [(0, 0, 1), (1, 0, 1), (2, 0, 1), (0, 1, 2)]
    assert run.broken["kv"] == (Finding("kv", (("seq_id", "A"),)),)


def test_the_right_reader_reads_the_table() -> None:
    """The slots that a request's attention reads are those of its block_table, in order."""
    timeline = Timeline.replay(build_task_config(), PLAN[:3])
    for seq in timeline.live.values():
        assert trace_read_slots(timeline.cache, seq) == seq.slots()


# What is said in its scenario by the request that reads wrongly, what is right, and the slot that holds the word said.
SAYS: dict[str, tuple[str, str, int | None]] = {
    "used_as_empty": ("", "tea", None),
    "id_is_index": ("soup", "tea", 2),
    "full_page_reused": ("nothing", "tea", None),
    "released_at_first": ("soup", "tea", 10),
    "partial_shared": ("soup", "tea", 10),
    "identical_computes_nothing": ("soup", "tea", 2),
    "stale_hash": ("soup", "tea", 6),
    "unchained_hash": ("nothing", "tea", None),
    "tail_not_trimmed": ("soup", "tea", 3),
    "pages_sorted": ("soup", "tea", 7),
}


@pytest.mark.parametrize("idea_id", SAYS)
def test_an_idea_that_damages_kv_changes_the_word(idea_id: str) -> None:
    """One request says another word, or none, and the word stands in the slot that is named."""
    said, expected, slot = SAYS[idea_id]
    run = in_its_scenario(idea_id)
    (wrong,) = (read for read in run.reads if not read.right)
    assert wrong.says_wrong
    assert wrong.said.number == (find_word(said) if said else NO_WORD)
    assert wrong.said.reason == ("" if said else "nan")
    assert wrong.expected.number == find_word(expected)
    assert wrong.expected.probability > 0.9
    assert (wrong.source.slot if wrong.source else None) == slot
    if slot is not None and wrong.source is not None:
        view = run.wrong_steps[-1].after
        assert view.blocks[slot // 4].slots[slot % 4] == (wrong.source.token_id, wrong.source.position)
    assert all(read.said == read.expected for read in run.reads if read.right)


def test_every_idea_with_damaged_kv_is_in_the_table() -> None:
    assert set(SAYS) == {idea for idea, (broken, _) in DAMAGE.items() if "kv" in broken} | {"unchained_hash"}


@pytest.mark.parametrize("idea_id", RUN)
def test_what_its_scenario_appends_is_what_the_model_says(idea_id: str) -> None:
    """In the engine's own run; one request's word is as if it had been sampled."""
    config, operations = get_scenario(idea_id)
    timeline = Timeline(config)
    for operation in operations:
        view, proofs = timeline.live.get(operation.seq_id), timeline.proofs(len(timeline.steps))
        word = next((proof.paged.number for proof in proofs if proof.seq_id == operation.seq_id), None)
        timeline.apply(operation)
        if isinstance(operation, Append | AppendToken) and view is not None and timeline.steps[-1].refusal is None:
            sampled = (idea_id, operation.seq_id) == ("identical_computes_nothing", "B")
            assert (get_word(view.token_ids[-1]) == word) is not sampled


def test_a_page_that_was_computed_after_others_is_named() -> None:
    """Its tokens and positions are right, so nothing else tells that its KV is wrong."""
    reads = {read.seq_id: read for read in in_its_scenario("unchained_hash").reads}
    assert (reads["B"].misreads, reads["B"].unread) == ((), ())
    assert set(range(4, 8)) <= set(reads["B"].slots.after_others)
    assert reads["B"].error > 1
    assert reads["A"].slots == reads["C"].slots == ReadSlots()


@pytest.mark.parametrize("log", ["aA", "aC rC aA"])
def test_the_tail_holds_what_was_there_before(log: str) -> None:
    """NaN on a new pool; on a used pool, the KV of an earlier request."""
    config, _ = get_scenario("tail_not_trimmed")
    run = play("tail_not_trimmed", config, ops(log))
    (read,) = run.reads
    contents = [slot for block in run.wrong_steps[-1].after.sequences[0].block_table for slot in slots_of(run, block)]
    assert [(m.token_id, m.token_position) for m in read.misreads] == [slot or (None, None) for slot in contents[11:]]
    assert read.nan is (log == "aA")
    assert not read.right


def slots_of(run: RunComparison, block_id: int) -> tuple[tuple[int, int] | None, ...]:
    return run.wrong_steps[-1].after.blocks[block_id].slots


def test_a_wrong_order_shows_before_the_last_position() -> None:
    """K contains the position: the last output stays equal up to rounding, earlier outputs do not."""
    config = Config(8, 4, (5, 2, 7, 0, 1, 3, 4, 6), (Request("A", A_PROMPT, (16,)),))
    (read,) = play("pages_sorted", config, ops("aA")).reads
    assert len(read.errors) == 11
    assert (read.right, read.says_wrong) == (False, False)
    assert read.errors[-1] < 1e-3
    assert read.error > 0.1
    assert sorted(m.token_position or 0 for m in read.misreads) == [m.position for m in read.misreads]


def test_the_same_token_from_another_position_is_a_misread() -> None:
    """Equal tokens have other K at other positions, so only the position distinguishes them."""
    config = Config(2, 2, (1, 0), (Request("A", (5, 5, 5, 5), (5,)),))
    (read,) = play("pages_sorted", config, ops("aA")).reads
    assert read.misreads == tuple(Misread(i, 5, (i + 2) % 4) for i in range(4))


def test_positions_that_are_left_out_are_named() -> None:
    """Of the last page the empty slot is read, and none of its three tokens."""
    (read,) = in_its_scenario("used_as_empty").reads
    assert (read.unread, read.misreads) == ((9, 10), (Misread(8, None, None),))
    assert read.nan


def test_half_an_allocation_stays_behind() -> None:
    """The engine refuses and changes nothing; without the check, ref_count counts blocks that no table holds."""
    run = in_its_scenario("act_without_block")
    real, wrong = run.real_steps[1], run.wrong_steps[1]
    assert real.refusal is not None
    assert real.after == real.before
    lost = [b.block_id for b in wrong.after.blocks if b.ref_count and not wrong.after.owners(b.block_id)]
    assert len(lost) == 2
    assert wrong.after.free_block_ids == ()
    assert run.real_steps[2].refusal is None
    assert run.wrong_steps[2].refusal is not None


def test_a_block_outside_the_pool_is_refused() -> None:
    """The pool has no block with that page's number; nothing is written, and slot -1 stays untouched."""
    config = Config(1, 4, (0,), (Request("A", A_PROMPT[:4], (16, 17)),))
    run = play("id_is_index", config, ops("aA tA"))
    assert run.refusal is None
    assert run.real_steps[1].refusal is not None
    assert run.wrong_steps[1].after == run.real_steps[1].after


def test_consecutive_ids_wait_while_enough_blocks_are_free() -> None:
    """Four blocks are free and three are needed, but no three are adjacent: nothing is taken or overwritten."""
    run = in_its_scenario("ids_consecutive")
    assert run.refusal == Refused("A", "no_neighbours", (("free", 4), ("longest", 2), ("needed", 3)))
    assert (run.waits, run.harmful, run.missing) == (True, True, ("A",))
    last = run.wrong_steps[-1]
    assert last.before == last.after
    assert run.real_steps[-1].refusal is None
    assert run.harm_at == len(run.real_steps) - 1


def test_consecutive_ids_wait_for_the_neighbour_of_the_last_block() -> None:
    """B's next token needs block 3, which A holds; two other blocks are free, and the engine takes one."""
    config = Config(4, 4, (3, 2, 0, 1), (Request("A", A_PROMPT[:4], (16,)), Request("B", A_PROMPT[4:8], (17,))))
    run = play("ids_consecutive", config, ops("aA aB tB"))
    assert run.refusal == Refused("B", "neighbour_taken", (("block", 3), ("free", 2)))
    assert run.waits
    assert not run.broken
    assert run.real_steps[-1].refusal is None


def test_consecutive_ids_take_the_row_nearest_to_the_head() -> None:
    """If there is a row, everything goes well, also after shared pages."""
    config = Config(6, 4, (5, 1, 0, 2, 3, 4), (Request("A", A_PROMPT[:9], (16,)), Request("B", A_PROMPT[:8], (17,))))
    run = play("ids_consecutive", config, ops("aA rA aB"))
    tables = [step.after.sequences[0].block_table for step in run.wrong_steps if step.after.sequences]
    assert tables == [(1, 2, 3), (1, 2)]
    assert not run.harmful


def test_a_limit_that_only_the_wrong_run_meets_ends_it() -> None:
    """A block released for all is released again; its request gets stuck and never ends."""
    names = "ABCDEFGHIJKLMN"
    requests = [Request(name, (1, 2, 3) if name in "AB" else (50 + i,), (16,)) for i, name in enumerate(names)]
    config = Config(20, 2, tuple(range(20)), tuple(requests))
    log = ["aA", "aB", "rA", "rB", *(f"a{name}" for name in names[2:]), "tC"]
    run = play("released_at_first", config, ops(" ".join(log)))
    assert run.wrong_steps[3].refusal == Refused("B", "stuck", (("error", "KeyError"),))
    assert len(run.real_steps) == len(log)
    assert len(run.wrong_steps) == len(log) - 2
    assert len(run.reads) == 12
    with pytest.raises(LimitError):
        Timeline.replay(config, ops(" ".join([*log[:2], *log[4:]])))


# --- never a crash --------------------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(histories(min_size=4, max_size=16))
def test_no_history_crashes_an_idea(history: tuple[Config, list[Operation]]) -> None:
    """An error is a refusal or a finding, and nothing is written outside the tensor."""
    config, operations = history
    real = tuple(Timeline.replay(config, operations).steps)
    for idea_id in RUN:
        run = play(idea_id, config, operations)
        assert run.real_steps == real
        assert run.parts_at is not None or (run.wrong_steps == real and not run.harmful), idea_id
        slots = [slot for s in run.wrong_steps for e in s.events if isinstance(e, KVWritten) for slot in e.slots]
        assert all(0 <= slot < config.num_blocks * config.block_size for slot in slots)


@settings(max_examples=examples(60))
@given(histories(min_size=4, max_size=24))
def test_what_is_called_harmless_is_harmless(history: tuple[Config, list[Operation]]) -> None:
    """On any history every invariant holds and every read is right; at most, a request fits earlier or later."""
    for idea_id in HARMLESS_IDEAS:
        run = play(idea_id, *history)
        assert run.broken == {}
        assert all(read.right for read in run.reads)
        assert run.refusal is None or run.refusal.reason in ROOM
        assert not run.harmful


ROOM = {"no_free_blocks", "not_allocated", "already_allocated", "limit"}


def test_less_or_more_room_is_no_harm() -> None:
    """Made by hand: of two blocks with the same page the engine finds B's, which is free, and has no room for C. If B's
    block were erased, C would find A's, which is in use, and fit; then D would not. Neither run reads anything wrong.
    """
    assert HARMLESS_IDEAS == ["release_erases"]
    prompts = {"A": A_PROMPT[:4], "B": A_PROMPT[:4], "C": A_PROMPT[:5], "D": B_PROMPT[:1]}
    config = Config(2, 4, (0, 1), tuple(Request(n, prompt, (16,)) for n, prompt in prompts.items()))
    run = play("release_erases", config, ops("aA aB rB aC aD"))
    assert [step.refusal is None for step in run.real_steps] == [True, True, True, False, True]
    assert run.refusal == Refused("D", "no_free_blocks", (("free", 0), ("needed", 1)))
    assert not run.harmful
    assert run.missing == ("D",)
    for language in LANGUAGES:
        assert describe_damage(run, get_translations(language)) == []
        assert get_translations(language).text("my_way.room") in describe_room(run, get_translations(language))
        assert get_translations(language).text("my_way.reads_rest_right") in describe_reads(
            run, get_translations(language)
        )


def test_what_the_engine_has_and_the_wrong_run_lacks() -> None:
    """A's token could not be written and was withdrawn."""
    run = play("floor_for_ceil", build_task_config(), PLAN[:2])
    assert run.missing == ("A",)
    assert play("id_is_index", build_task_config(), PLAN[:2]).missing == ()


@pytest.mark.parametrize(("number", "idea_id"), some(enumerate(RUN), 5))
def test_every_wrong_moment_can_be_drawn_and_said(number: int, idea_id: str) -> None:
    """In its own scenario or in a long one; at every event; each has its sentence in both languages."""
    say = get_translations("en")
    steps = (in_its_scenario(idea_id) if number % 2 else play(idea_id, *LONG)).wrong_steps
    for i, step in enumerate(steps):
        for event, snapshot in zip(step.events, step.snapshots, strict=True):
            picture = draw_memory(
                snapshot, say, changed=compare_snapshots(step.before, snapshot), columns=(8, 4)[i % 2]
            )
            assert picture.sentence
            assert all("{" not in format_event(event, get_translations(language)) for language in LANGUAGES)


LONG = (
    Config(6, 4, (4, 2, 5, 0, 3, 1), (Request("A", A_PROMPT, (16, 17)), Request("B", A_PROMPT[:8], (16, 17)))),
    ops("aA aB tB tA tA rA aA tB rB aB aA"),
)
