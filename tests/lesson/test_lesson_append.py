"""The append lesson: the outcomes of its cases, the misconception behind each wrong answer, and the ruler."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
import torch
from streamlit.testing.v1 import AppTest

from lab.activities.cases import CASES
from lab.activities.cases.append import A_TEXT, APPEND, FULL_NEXT, SCHEDULER
from lab.activities.cases.preemption import describe_preemption, find_preemption, make_room
from lab.activities.question import observe_outcomes
from lab.activities.run import Run, encode_run
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import NotAllocatedError
from lab.engine.sequence import Sequence
from lab.figures.ruler import draw_ruler
from lab.trace.kv_cache import prove
from lab.trace.operations import (
    AppendToken,
    CanAppend,
    MayAppend,
    Operation,
    Release,
    encode_operation,
    parse_operation,
)
from lab.trace.timeline import Timeline
from lessons.state.slots import Track
from lessons.text.translations import Language, get_translations
from tests.figures.marks import read_marks
from tests.links import predict
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, go, keys, task, texts, verdicts
from tests.player import read_data, sent, sent_ahead, unpack
from tests.sample import every_language, some

# What the engine does, said by hand: needed, index of the option, ids, True (1) or False (0).
EXPECTED = {
    "middle": {"mid_needs": 0, "mid_takes": 0},
    "boundary": {"edge_needs": 1, "edge_table": 1, "edge_id": 7},
    "early": {"early_answer": 1, "early_again": 0},
    "unchecked": {"skip_works": 1, "skip_left": 0},
    "empty": {"full_answer": 0, "full_next": 2},
}
TRACK = Track.of("append")


def log(text: str) -> tuple[Operation, ...]:
    return tuple(map(parse_operation, text.split(".")))


def run_of(case_id: str, **answers: int) -> Run:
    """The whole plan, predicted correctly except for these answers."""
    case, typed = CASES[case_id], {**EXPECTED[case_id], **answers}
    values = tuple(typed[question.id] for question in case.questions())
    return predict(Run.of(case).at(case.plan), values)


def test_each_case_comes_to_what_it_teaches() -> None:
    """Outcomes of the run against the values stated above."""
    for case in APPEND:
        found = observe_outcomes(
            list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps)), case.questions()
        )
        assert {name: outcome.value for name, outcome in found.items()} == EXPECTED[case.id]
    assert {case.id for case in APPEND} == set(EXPECTED)


# --- the scheduler --------------------------------------------------------------------------------------------------


FULL = CASES["empty"].config


def played(done: str) -> list[str]:
    """The result of nano-vLLM's rule, played for A after these operations."""
    return [encode_operation(step.operation) for step in make_room(Timeline.replay(FULL, log(done)), "A")]


def test_nano_vllm_s_rule_makes_room_by_the_latest_request() -> None:
    """B is preempted and A gets its block; with room nobody is; alone, A is itself. Every KV stays right."""
    timeline = Timeline.replay(FULL, log("aA.aB.kA"))
    steps = make_room(timeline, "A")
    assert [encode_operation(step.operation) for step in steps] == ["cA", "rB", "cA", "mA"]
    assert [step.refusal for step in steps] == [None] * 4
    assert timeline.live.keys() == {"A"}
    assert all(proof.bit_equal for proof in timeline.proofs(len(timeline.steps)))
    assert played("aA.kA") == ["cA", "mA"]
    crowded = replace(FULL, requests=(*FULL.requests, replace(FULL.requests[1], seq_id="C", prompt=(30,))))
    one = Timeline.replay(replace(crowded, num_blocks=4, free_block_ids=(1, 2, 0, 3)), log("aA.aB.aC.kA"))
    assert [encode_operation(step.operation) for step in make_room(one, "A")] == ["cA", "rC", "cA", "mA"]
    alone = Timeline.replay(replace(FULL, num_blocks=1, free_block_ids=(0,)), log("aA.kA"))
    assert [encode_operation(step.operation) for step in make_room(alone, "A")] == ["cA", "rA"]
    with pytest.raises(NotAllocatedError):
        make_room(Timeline(FULL), "A")


@pytest.mark.parametrize(
    ("then", "name"), [("rB.mA", "preempt"), ("cA.cA", "wait"), ("mA", "raise"), ("rA", None), ("rB.rA", "preempt")]
)
def test_what_was_done_is_read_from_the_run(then: str, name: str | None) -> None:
    """Other rules, played by hand from the same moment, are recognised."""
    timeline = Timeline.replay(FULL, log("aA.aB.kA"))
    steps = [timeline.apply(operation) for operation in log(then)]
    assert describe_preemption(steps, "A") == name


def test_a_rule_that_overwrites_is_seen_by_the_slots() -> None:
    """A's token is written over B's oldest page while B still reads it."""
    timeline = Timeline.replay(FULL, log("aA.aB.kA"))
    block = timeline.live["B"].block_table[0]
    timeline.cache.write((A_TEXT[0],), (0,), (block * 4,), (block,))
    assert describe_preemption([timeline.apply(CanAppend("A"))], "A") == "overwrite"


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        ("aA.aB.kA.cA.mA.rB.mA", "preempt"),
        ("aA.aB.kA.mA.rB.mA", "preempt"),
        ("aA.aB.kA.cA.rB.mA", "preempt"),
        ("aA.aB.kA.cA.mA", None),
        ("aA.aB.rB.kA.cA.mA", None),
        ("aA.aB.kA.rB.cA.mA", None),
    ],
)
def test_the_scheduler_is_asked_for_only_where_blocks_ran_short(operations: str, found: str | None) -> None:
    """Without a refusal or a False answer, nano-vLLM would do nothing."""
    seen = list(iterate_trace_points(Timeline.replay(FULL, log(operations)).steps))
    outcome = observe_outcomes(seen, (FULL_NEXT,)).get("full_next")
    assert (SCHEDULER[outcome.value] if outcome else None) == found


@pytest.mark.parametrize("name", SCHEDULER)
def test_the_outcome_is_what_the_rule_did(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome is not typed: with another rule the same run has another outcome."""
    monkeypatch.setattr("lab.activities.cases.preemption.describe_preemption", lambda *_: name)
    find_preemption.cache_clear()
    seen = list(iterate_trace_points(Timeline.replay(FULL, CASES["empty"].plan).steps))
    assert SCHEDULER[observe_outcomes(seen, (FULL_NEXT,))["full_next"].value] == name
    find_preemption.cache_clear()


def test_an_overwritten_page_is_missed_by_its_request() -> None:
    """This is why A cannot take the oldest page: B reads it."""
    timeline = Timeline.replay(CASES["empty"].config, log("aA.aB"))
    b = timeline.live["B"]
    assert prove(timeline.cache, b).bit_equal
    timeline.cache.write(
        b.token_ids[4:5], [4], [b.block_table[0] * 4], b.block_table
    )  # another token's KV in its first slot
    assert prove(timeline.cache, b).difference > 0
    assert not torch.isnan(timeline.cache.gather(b.block_table, b.num_tokens)).any()


def test_a_request_that_was_preempted_can_be_computed_again() -> None:
    """Its tokens are enough to compute the same KV as before."""
    timeline = Timeline.replay(CASES["empty"].config, log("aA.aB"))
    before = prove(timeline.cache, timeline.live["B"])
    tokens = list(timeline.live["B"].token_ids)
    timeline.apply(Release("B"))
    assert Sequence("B", tokens, 4).num_blocks == 2
    timeline.apply(parse_operation("aB"))
    again = prove(timeline.cache, timeline.live["B"])
    assert (again.bit_equal, again.paged) == (True, before.paged)


# --- the ruler ------------------------------------------------------------------------------------------------------

STATES = [
    ("middle", "aA", "position 5, page 1, offset 1 → slot 9, KV written", "len(seq) = 6"),
    ("middle", "aA.kA", "position 6, page 1, offset 2 → slot 10, KV not written yet", "len(seq) 6 → 7"),
    ("middle", "aA.kA.cA", "position 6, page 1, offset 2 → slot 10, KV not written yet", "len(seq) = 7"),
    ("middle", "aA.kA.cA.mA", "position 6, page 1, offset 2 → slot 10, KV written", "len(seq) = 7"),
    ("boundary", "aA.kA", "position 4, page 1, offset 0; no block yet, so no slot", "len(seq) 4 → 5"),
    ("boundary", "aA.kA.mA", "position 4, page 1, offset 0 → slot 28, KV written", "len(seq) = 5"),
    ("empty", "aA.aB.kA.mA", "position 4, page 1, offset 0; no block yet, so no slot", "len(seq) = 5"),
    ("empty", "aA.aB.kA.mA.rB.mA", "position 4, page 1, offset 0 → slot 0, KV written", "len(seq) = 5"),
]


@pytest.mark.parametrize("columns", [8, 4])
@pytest.mark.parametrize(("case_id", "done", "place", "length"), STATES)
def test_the_ruler_says_when_the_sequence_grew_and_where_the_token_lies(
    case_id: str, done: str, place: str, length: str, columns: int
) -> None:
    """In the sentence, the drawing and the table, with position, page, block, slot and KV of every token."""
    step = Timeline.replay(CASES[case_id].config, log(done)).steps[-1]
    drawn = draw_ruler(step.after, "A", get_translations("en"), before=step.before, columns=columns)
    assert drawn is not None
    assert f"Last token: {place}." in drawn.sentence
    assert length in drawn.sentence
    shown = {mark["name"]: mark for mark in read_marks(drawn.spec)}
    assert " ".join(shown["place"]["text"]) == f"Last token: {place}"
    assert [re.sub("<.*?>", "", text) for text in shown["len"]["text"]] == [length]
    view = step.after.sequence("A")
    assert view is not None
    assert ("written" in shown, "grown" in shown) == (True, "→" in length)
    kv = ["written"] * view.num_tokens
    if view.waiting:
        kv[-1] = "not yet"
    assert list(drawn.table["KV"]) == kv
    slots = [str(slot) for slot in view.slots]
    assert list(drawn.table["Slot"]) == slots + ["none"] * (view.num_tokens - len(slots))


@every_language
@pytest.mark.parametrize("columns", [8, 4])
def test_the_ruler_stays_inside_at_any_length(language: Language, columns: int) -> None:
    """A long request shows its last pages. Also at block_size 1 and 16."""
    for size in (1, 3, 4, 16):
        made = replace(CASES["middle"].config, block_size=size, num_blocks=64, free_block_ids=tuple(range(64)))
        timeline = Timeline.replay(made, log("aA"))
        for _ in range(25):
            timeline.apply(AppendToken("A"))
            for operation in (CanAppend("A"), MayAppend("A")):
                step = timeline.apply(operation)
                drawn = draw_ruler(step.after, "A", get_translations(language), before=step.before, columns=columns)
                assert drawn is not None
                width = drawn.spec["layout"]["xaxis"]["range"][1]
                marks = read_marks(drawn.spec)
                xs = [x for mark in marks for x in mark["x"] if x is not None]
                assert 0 <= min(xs) <= max(xs) <= width
                view = step.after.sequence("A")
                assert view is not None
                positions = next(mark["text"] for mark in marks if mark["name"] == "positions")
                assert str(view.num_tokens - 1) in positions
                assert len(positions) % size == 0


def test_a_request_that_is_gone_has_no_ruler() -> None:
    timeline = Timeline.replay(CASES["empty"].config, log("aA.aB.rB"))
    assert draw_ruler(timeline.snapshot(3), "B", get_translations("en")) is None


# --- the page -------------------------------------------------------------------------------------------------------


@every_language
def test_a_journey_through_the_case_without_free_blocks(language: Language) -> None:
    """The append is refused, the token waits, B is released, the append succeeds, and the explanation follows."""
    say = get_translations(language)
    run = run_of("empty", full_answer=1, full_next=0)
    at = task(language, "append", append=encode_run(run.at(log("aA.aB.kA.cA.mA"))))
    assert verdicts(at) == ["other", "waiting"]
    assert say.text("errors.no_free_blocks", needed=1, free=0) in texts(at)
    session_of(at)[STORED] = {}
    at = go(at, append=encode_run(run))
    assert verdicts(at) == ["other", "other"]
    assert texts(at).count("≠") >= 2
    before = texts(at)
    at.text_area(key="own.empty").set_value("B came last")
    at = at.button(key="compare").click().run()
    told = texts(at.run())
    assert "nano-vLLM" in told.replace(before, "")
    assert "[1, 0]" in told
    assert address(at, "append") == encode_run(run)


def suggested(at: AppTest) -> list[str]:
    """The highlighted operations."""
    (row,) = (each for each in at.get("bidi_component") if each.proto.id.endswith("-operations"))
    return [button["id"] for button in read_data(row.proto)["buttons"] if button["suggested"]]


# (case, what was done, wrong answers, cards, can no button of the plan settle the rest any more?)
ORDERS: list[tuple[str, str, dict[str, int], list[str], bool]] = [
    ("middle", "aA.cA.kA.mA", {}, ["waiting", "same"], True),
    ("middle", "aA.cA.kA.mA", {"mid_takes": 1}, ["waiting", "other"], True),
    ("middle", "aA.cA", {}, ["waiting", "waiting"], True),
    ("empty", "aA.aB.rB.kA.cA.mA", {}, ["waiting", "waiting"], True),
    ("empty", "aA.aB.kA.cA.rB.cA", {"full_answer": 1}, ["other", "waiting"], False),
    ("empty", "aA.aB.kA.mA", {}, ["waiting", "waiting"], False),
]


@every_language
@pytest.mark.parametrize("order", some([(each,) for each in ORDERS], 2))
def test_another_order_that_leaves_a_part_open_says_so_once(
    language: Language, order: tuple[str, str, dict[str, int], list[str], bool]
) -> None:
    """Then no button is highlighted, and one box says so. Misconceptions behind answered parts are shown."""
    case_id, done, answers, cards, stuck = order
    say, run = get_translations(language), run_of(case_id, **answers).at(log(done))
    at = task(language, "append", append=encode_run(run))
    assert verdicts(at) == cards
    assert [info.value for info in at.info] == [say.text("site.not_settled")] * stuck
    assert len(suggested(at)) == (not stuck)
    boxes = [each.value for each in at.markdown if each.value.startswith("≠")]
    assert len(boxes) == (cards.count("other") if stuck else 0)
    if boxes:
        assert say.text("append.idea.mid_takes_slip_append_always_takes", page=1, block=2) in boxes[0]
    at = go(at, append=encode_run(run_of(case_id)))
    assert say.text("site.not_settled") not in texts(at)


@every_language
def test_the_scheduler_s_part_is_said_to_be_nano_vllm_s(language: Language) -> None:
    """The lab's engine has no scheduler, so this question names nano-vLLM and the other one the engine."""
    at = task(language, "append", append=encode_run(run_of("empty", full_next=0)))
    said = [card.split("</span>")[2] for card in texts(at).split('class="kv-card ')[1:]]
    assert ["nano-vLLM" in line for line in said] == [False, True]
    assert get_translations(language).text("append.option.full_next_preempt") in said[1]


@every_language
def test_a_token_that_waits_is_in_progress_and_left_out_of_the_proof(language: Language) -> None:
    """The table's status and the tensor tab on the task's page say so, until the token is written."""
    say = get_translations(language)
    left_out = say.text("task.proof.waiting", seq_ids="B")
    for tab in ("checks", "tensor"):
        at = task(language, run="4.used__aA.aB")
        for done, waits in (("aA.aB.kB", True), ("aA.aB.kB.mB", False)):
            at.session_state["look_closer"] = say.text(f"task.tab_{tab}")
            at = go(at, run=f"4.used__{done}")
            at = go(at, run=f"4.used__{done}")
            assert (left_out in texts(at)) is waits
            if tab == "checks":
                assert (say.text("task.invariants.in_progress") + " ·" in texts(at)) is waits
                assert say.text("task.invariants.broken", detail="") not in texts(at)
            else:
                assert list(at.main.table[0].value.iloc[:, 0]) == (["A"] if waits else ["A", "B"])


def test_the_form_asks_and_gives_nothing_away() -> None:
    """Before the prediction there are no operations, and the ruler shows no page to come."""
    at = task("en", "append", append="boundary__aA")
    assert ("commit" in keys(at), "operations" in keys(at)) == (True, False)
    case = CASES["boundary"]
    drawn = draw_ruler(Timeline.replay(case.config, case.before).snapshot(1), "A", get_translations("en"))
    assert drawn is not None
    positions = next(mark["text"] for mark in read_marks(drawn.spec) if mark["name"] == "positions")
    assert positions == ["0", "1", "2", "3"]


@every_language
def test_an_option_that_there_is_not_is_told_as_one(language: Language) -> None:
    """In a link edited by hand: the error names no limit, and the case opens."""
    say = get_translations(language)
    at = task(language, "append", append="empty_1-7-00_aA.aB")
    assert [warning.value for warning in at.warning] == [
        say.text("site.link_problem", reason=say.text("errors.no_such_option"))
    ]
    assert not re.search(r"\d", at.warning[0].value)
    assert "commit" in keys(at)


def test_the_ruler_of_an_operation_ahead_is_as_wide_as_on_the_page() -> None:
    """Frames ahead are drawn at the end of the page, where other pictures may be wider."""

    def widths(frames: dict[str, Any], chunk: dict[str, Any]) -> list[dict[str, float]]:
        rulers = [frame["figures"]["under"] for frame in frames.values() if "under" in frame["figures"]]
        return [chunk["pool"][chunk["layouts"][ruler["layout"]]["p"]["meta"]] for ruler in rulers]

    run = run_of("middle")
    at = task("en", "append", append=encode_run(run.at(run.operations[:2])))
    frames, ahead = sent(at)["film"]["frames"], sent_ahead(at)
    assert ahead is not None
    here = [width for name, frame in frames.items() for width in widths({name: frame}, frame["chunk"])]
    expected = widths(ahead["frames"], unpack(ahead["packed"]))
    assert here
    assert expected
    assert all(width == here[0] for width in here + expected)
