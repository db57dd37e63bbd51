"""The allocate lesson: cases match values worked out by hand, misconceptions are named, other tokens can be tried."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.cases import CASES
from lab.activities.cases.allocate import ALLOCATE
from lab.activities.cases.case import Case
from lab.activities.diagnosis import diagnose
from lab.activities.question import Grade, observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import iterate_trace_points
from lab.figures.memory.marks import Mark
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.figures.slot_steps import draw_slot_steps
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lessons.activity.slot_marks import build_slot_marks
from lessons.text.translations import Language, get_translations
from tests.figures.marks import read_marks
from tests.links import predict
from tests.pages.test_pages import go, keys, press, sound, task, texts, verdicts
from tests.sample import every_language

# Worked by hand from each case's length, block_size and free queue: what is asked, its answer, the slot of each token.
BY_HAND: dict[str, tuple[str, int, list[int]]] = {
    "ten": ("pages", 3, [24, 25, 26, 27, 12, 13, 14, 15, 40, 41]),
    "exact": ("spare", 0, [8, 9, 10, 11, 40, 41, 42, 43]),
    "single": ("spare", 3, [12]),
    "size1": ("pages", 3, [2, 5, 7]),
}
TEN = "ten_9@3-9-00_aA"


def told(case: Case, pos: int, *answers: int) -> list[Grade]:
    """Diagnoses of these answers once A is allocated, in the order of the questions."""
    seen = list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps))
    found = diagnose(predict(Run.of(case), answers, pick=pos), observe_outcomes(seen, case.questions(pos)), seen)
    asked = [question.id for question in case.questions(pos)]
    return sorted(found, key=lambda each: asked.index(each.question))


def after(case_id: str) -> Snapshot:
    """The state after the plan."""
    return Timeline.replay(CASES[case_id].config, CASES[case_id].plan).snapshot(len(CASES[case_id].plan))


def test_the_cases_come_out_as_worked_by_hand() -> None:
    """No slot equals its position, so that the wrong idea never gives a right answer."""
    assert [case.id for case in ALLOCATE] == list(BY_HAND)
    for case in ALLOCATE:
        asked, value, slots = BY_HAND[case.id]
        assert len(slots) == len(case.config.request("A").prompt)
        for pos, slot in enumerate(slots):
            found = told(case, pos, value, slot)
            assert [(each.question, each.value, each.right) for each in found] == [
                (asked, value, True),
                ("slot", slot, True),
            ]
            assert slot != pos


IDEAS = [
    ("ten", 9, 2, 9, "floor_for_ceil", "id_is_index"),
    ("ten", 9, 10, 40, "slip_block_per_token", "slip_block_start"),
    ("ten", 9, 1, 42, "slip_one_for_all", "slip_counted_from_one"),
    ("ten", 9, 4, 10, "slip_one_too_many", "slip_block_id"),
    ("ten", 9, 7, 11, "", "slip_not_multiplied"),  # 10 + 1
    ("ten", 9, 3, 25, "", "slip_other_page"),  # offset 1 in block 6
    ("ten", 9, 3, 33, "", "ids_consecutive"),  # in block 6 + 2
    ("ten", 9, 3, 5, "", "slip_from_tail"),  # 1 is the third id from the queue's tail
    ("ten", 9, 3, 48, "", "slip_no_such_slot"),
    ("ten", 9, 3, 20, "", ""),
    ("ten", 8, 3, 15, "", "slip_counted_from_one"),  # the token before, on another page
    ("exact", 7, 4, 7, "whole_page_empty", "id_is_index"),
    ("exact", 7, 8, 40, "slip_free_blocks", "slip_block_start"),  # eight blocks are free
    ("exact", 4, 32, 39, "slip_free_blocks", "slip_counted_from_one"),
    ("single", 0, 1, 0, "used_as_empty", "id_is_index"),
    ("single", 0, 4, 3, "slip_whole_page", "slip_block_id"),
    ("single", 0, 0, 13, "no_fragmentation", "slip_counted_from_one"),
    ("single", 0, 28, 16, "slip_free_blocks", "slip_from_tail"),
    ("size1", 2, 1, 2, "slip_one_for_all", "id_is_index"),
    ("size1", 2, 4, 8, "slip_one_too_many", "slip_counted_from_one"),
    ("size1", 2, 3, 4, "", "ids_consecutive"),
]


@pytest.mark.parametrize("row", IDEAS, ids=lambda row: "-".join(map(str, row[:4])))
def test_a_wrong_answer_is_recognised(row: tuple[str, int, int, int, str, str]) -> None:
    """Exactly the misconception that gives this number is named."""
    case_id, pos, number, slot, idea, slot_idea = row
    assert [each.idea for each in told(CASES[case_id], pos, number, slot)] == [idea, slot_idea]


# --- the pictures ----------------------------------------------------------------------------------------------------

MARKS: dict[int, Mark] = {9: "predicted", 41: "actual"}


def traces(picture: Picture, name: str) -> list[dict[str, Any]]:
    return [mark for mark in read_marks(picture.spec) if mark["name"] == name]


def written(picture: Picture, name: str) -> list[str]:
    return [re.sub("</?b>", "", text) for trace in traces(picture, name) for text in trace["text"]]


def hits(picture: Picture) -> list[str]:
    return [target for trace in traces(picture, "hits") for target in trace["customdata"]]


@pytest.mark.parametrize("columns", [8, 4])
@every_language
def test_marks_are_told_by_sign_dash_legend_sentence_and_table(language: Language, columns: int) -> None:
    """Marks do not rely on colour, and no system draws the sign as an emoji."""
    say, snapshot = get_translations(language), after("ten")
    picture = draw_memory(snapshot, say, columns=columns, marks=MARKS)
    dashes = {kind: traces(picture, f"marks:{kind}")[0]["line"]["dash"] for kind in ("predicted", "actual")}
    assert dashes["predicted"] != dashes["actual"] == "solid"
    assert sorted(written(picture, "signs")) == ["?", "?", "\u2713", "\u2713"]  # on the slot and in the legend
    legend = [say.text("slots.legend_predicted", slot=9), say.text("slots.legend_actual", slot=41)]
    assert written(picture, "caption")[-2:] == legend
    assert picture.sentence.startswith(say.text("slots.said_predicted", slot=9, block=2))
    assert say.text("slots.said_actual", slot=41, block=10) in picture.sentence
    marked = dict(zip(picture.table.iloc[:, 0], picture.table[say.text("slots.marked")], strict=True))
    assert marked == {2: legend[0], 3: "", 6: "", 10: legend[1]}
    both = draw_memory(snapshot, say, columns=columns, marks={41: "both"})
    assert say.text("slots.said_both", slot=41, block=10) in both.sentence
    assert written(both, "caption")[-1] == say.text("slots.legend_both", slot=41)


def test_the_mark_is_drawn_on_its_slot() -> None:
    """It surrounds the cell that a click on that slot hits."""
    picture = draw_memory(after("ten"), get_translations("en"), marks=MARKS, clickable=("slot",))
    hit = traces(picture, "hits")[0]
    at = {target: (x, y) for target, x, y in zip(hit["customdata"], hit["x"], hit["y"], strict=True)}
    for slot, kind in MARKS.items():
        ring = traces(picture, f"marks:{kind}")[0]
        x, y = at[f"slot:{slot}"]
        assert min(ring["x"]) < x < max(ring["x"])
        assert min(ring["y"]) < y < max(ring["y"])


def test_slots_are_numbered_and_clickable_only_where_they_are_asked_for() -> None:
    """Then every slot of the pool is, free ones too. The task's picture gets no additional markers."""
    snapshot, say = after("ten"), get_translations("en")
    asked = draw_memory(snapshot, say, marks={}, clickable=("page", "token", "block", "slot"))
    assert {f"slot:{slot}" for slot in range(48)} == {target for target in hits(asked) if target.startswith("slot")}
    ranges = [say.text("slots.range", first=4 * block, last=4 * block + 3) for block in range(12)]
    assert written(asked, "slot_numbers") == ranges
    plain = draw_memory(snapshot, say, clickable=("page", "token", "block"))
    assert not [target for target in hits(plain) if target.startswith("slot")]
    assert not traces(plain, "slot_numbers")
    single = draw_memory(after("size1"), say, marks={})
    assert written(single, "slot_numbers") == [say.text("slots.number", slot=block) for block in range(8)]


def test_a_pool_with_hidden_tokens_does_not_tell_which_token_lies_where() -> None:
    """Neither in the picture nor in its table. The request's pages above keep their tokens."""
    say, snapshot = get_translations("en"), after("ten")
    hidden, plain = (draw_memory(snapshot, say, marks={}, hide_tokens=each) for each in (True, False))
    assert len(written(plain, "slot_tokens")) == 10
    assert written(hidden, "slot_tokens") == []
    assert written(hidden, "page_tokens") == written(plain, "page_tokens") != []
    assert "milk" in plain.table.to_string()
    assert "milk" not in hidden.table.to_string()


@pytest.mark.parametrize("columns", [8, 4])
@every_language
def test_the_steps_lead_from_each_position_to_its_slot(language: Language, columns: int) -> None:
    """The text, the table and the highlighted cells show the slots worked out by hand."""
    say = get_translations(language)
    for case_id, (_, _, slots) in BY_HAND.items():
        snapshot = after(case_id)
        for pos, slot in enumerate(slots):
            picture = draw_slot_steps(snapshot, "A", pos, say, columns=columns)
            lit = [t for trace in picture.spec["data"] if trace["mode"] == "text" for t in trace["text"]]
            bold = [re.sub("</?b>", "", text) for text in lit if text.startswith("<b>")]
            assert (str(pos) in bold, str(slot) in bold) == (True, True)
            assert picture.sentence.endswith((f"= {slot}.", f"= {slot}。"))
            assert f"= {slot}" in str(picture.table.iloc[2, 1])
    with pytest.raises(ValueError, match="position 10"):
        draw_slot_steps(after("ten"), "A", 10, say)


# --- the page --------------------------------------------------------------------------------------------------------


def opened(run: str, locale: str = "en") -> AppTest:
    return task(locale, "allocate", allocate=run)


@every_language
def test_the_tensor_answers_what_lies_in_both_slots(language: Language) -> None:
    """A token and its position, an empty slot, or no such slot. Nothing before the KV is written."""
    say, at = get_translations(language), opened("ten_9@3-9-00_", language)
    assert "tensor" not in texts(at)
    found = {"slot": 41, "token": say.token(10), "pos": 9, "seq": "A"}
    other = {"slot": 25, "token": say.token(2), "pos": 1, "seq": "A"}
    for answer, more in (
        (9, say.text("slots.unwritten", slot=9)),
        (25, say.text("slots.in_predicted", **other)),
        (48, say.text("slots.no_such", slot=48, last=47)),
        (41, ""),
    ):
        at = go(at, allocate=f"ten_9@3-{answer}-00_aA")
        gap = say.text("figures.gap") if more else ""
        there = say.text("slots.in_actual", **found) + gap + more
        assert say.text("slots.tensor", said=there) in texts(at)
    at = go(at, allocate=TEN, at_allocate="1.2")
    assert say.text("slots.tensor", said="") not in texts(at)
    assert "slot_steps" not in keys(at)
    at = go(at, allocate="exact_0@0-16-00_aB.aA")
    hello = {"slot": 16, "token": say.token(12), "pos": 0, "seq": "B"}
    assert say.text("slots.in_predicted", **hello) in texts(at)


def test_another_token_may_be_tried_without_a_change_of_the_prediction() -> None:
    """The slot is asked first, then answered with the misconception. Each token can be tried once."""
    at, say = opened(TEN), get_translations("en")
    before = verdicts(at)
    assert "slot_steps" in keys(at)
    at.pills(key="try.ten").set_value(3)
    at = sound(at.run())
    field = f"try.ten.{3}"
    assert at.text_input(key=field).label == say.text("slots.ask", token=",", pos=3)
    assert not {"slot_steps", "tensor"} & keys(at)
    at.text_input(key=field).set_value("x")
    at = sound(at.run())
    assert say.text("errors.invalid_answer.not_a_number") in texts(at)
    at.text_input(key=field).set_value("3")
    at = sound(at.run())
    about = {"pos": 3, "token": ",", "page": 0, "block": 6, "answer": 3, "value": 27}
    assert say.text("allocate.idea.slot_id_is_index", **about) in texts(at).replace("&#x27;", "'")
    assert "slot_steps" in keys(at)
    assert verdicts(at) == before
    assert "".join(at.query_params["allocate"]) == TEN
    at.pills(key="try.ten").set_value(5)
    at = press(sound(at.run()), "show_slot")
    assert "slot_steps" in keys(at)
    assert "≠ Slot" not in texts(at)
    at.pills(key="try.ten").set_value(3)
    at = sound(at.run())
    assert field not in keys(at)
    assert "≠ Slot 27" in texts(at)


def test_picking_another_token_forgets_the_slot_given_for_the_one_before() -> None:
    """The answer was for the previous token."""
    at = opened("ten__")
    at.session_state["predict.ten.slot"] = "41"  # as a click in the picture does
    at = sound(at.run())
    assert at.text_input(key="predict.ten.slot").value == "41"
    at.pills(key="pick.ten").set_value(0)
    at = sound(at.run())
    assert at.text_input(key="predict.ten.slot").value == ""


@every_language
def test_a_chosen_slot_is_told_below_the_picture(language: Language) -> None:
    """With a link to the form. Not before a slot is chosen, not for an invalid one, not after the commitment."""
    say, at = get_translations(language), opened("ten__", language)
    assert "to_form" not in keys(at)
    for typed, shown in (("41", True), ("48", False), ("x", False), ("7", True)):
        at.session_state["predict.ten.slot"] = typed
        at = sound(at.run())
        assert ("to_form" in keys(at), say.text("slots.chosen", slot=typed) in texts(at)) == (shown, shown)
    at = press(at, "to_form")
    assert at.text_input(key="predict.ten.slot").value == "7"
    assert "to_form" not in keys(go(at, allocate="ten_9@3-7-00_"))


def test_marks_of_an_answer_and_of_the_run() -> None:
    """Two marks, one for both, or only the run's if the answer is no slot of the pool."""
    assert build_slot_marks(9, 41, 48) == {9: "predicted", 41: "actual"}
    assert build_slot_marks(41, 41, 48) == {41: "both"}
    assert [build_slot_marks(answer, 41, 48) for answer in (48, -1, None)] == [{41: "actual"}] * 3
    assert (build_slot_marks(47, None, 48), build_slot_marks(None, None, 48)) == ({47: "predicted"}, {})
