"""Cells of an answer in the memory picture: distinct without colour, in sentence and table, clickable."""

from __future__ import annotations

import json
from typing import Literal, get_args

import pytest

from lab.figures.memory.marks import _LOOKS, Answered, AnswerMark
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.quiz.generate import generate
from lab.quiz.view import view_after, view_before
from lab.trace.snapshot import Snapshot
from lessons.text.translations import Language, get_translations
from tests.figures.marks import read_marks
from tests.sample import every_language

Of = Literal["slot", "block"]
MARKS: dict[int, AnswerMark] = {0: "right", 1: "extra", 2: "missed"}
KINDS: dict[Of, str] = {"slot": "mark_empty", "block": "mark_released"}


def state(of: Of, size: int = 4) -> Snapshot:
    """A pool in use."""
    return view_after(generate(KINDS[of], 17, size, "medium")).state


def names(picture: Picture) -> set[str]:
    """Names of the marks."""
    return {mark["name"] for mark in read_marks(picture.spec)}


def hits(picture: Picture) -> set[str]:
    """The click targets."""
    return {target for trace in picture.spec["data"] for target in trace.get("customdata", ())}


def test_no_two_marks_of_a_pool_look_alike() -> None:
    """Sign, shape and dash distinguish any two marks that can occur together."""
    looks = [_LOOKS[kind] for kind in get_args(AnswerMark)]
    assert len(set(looks)) == len(looks)
    assert len({sign for sign, *_ in looks}) == len(looks)


@every_language
@pytest.mark.parametrize("of", get_args(Of))
@pytest.mark.parametrize("columns", [8, 4])
def test_marks_are_drawn_and_said(of: Of, columns: int, language: Language) -> None:
    """Each kind has its outline, its place in the legend and its sentence; the table lists them by block."""
    say = get_translations(language)
    picture = draw_memory(state(of), say, columns=columns, answered=Answered(of, MARKS))
    plain = draw_memory(state(of), say, columns=columns)
    assert {f"marks:{kind}" for kind in MARKS.values()} <= names(picture)
    drawn = json.dumps(picture.spec, ensure_ascii=False)
    for cell, kind in MARKS.items():
        assert say.text(f"slots.answer.legend_{kind}") in drawn
        sentence = say.text(f"slots.answer.said_{kind}_{of}", cells=cell)
        assert sentence in picture.sentence
        assert sentence not in plain.sentence
    column = list(picture.table[say.text("slots.marked")])
    assert sum(say.text("slots.answer.legend_extra") in entry for entry in column) == 1
    assert say.text("slots.marked") not in plain.table.columns


@pytest.mark.parametrize("of", get_args(Of))
@pytest.mark.parametrize("size", [1, 4, 16])
def test_every_cell_can_be_clicked(of: Of, size: int) -> None:
    """Free and used ones alike, and nothing else."""
    question = generate(KINDS[of], 17, size, "easy")
    seen = view_before(question)
    assert seen is not None
    asked = draw_memory(seen.state, get_translations("en"), clickable=(of,), answered=Answered(of, {}))
    assert hits(asked) == {f"{of}:{cell}" for cell in question.cells}
    if of == "block":  # twice in a line of text, once in the middle; used blocks have a second line
        traces = [target for trace in asked.spec["data"] for target in trace.get("customdata", ())]
        expected = {block.block_id: 5 if block.ref_count else 3 for block in seen.state.blocks}
        assert {block_id: traces.count(f"block:{block_id}") for block_id in expected} == expected


def test_neighbours_are_joined() -> None:
    """In the sentence as in the learner's own field."""
    marks: dict[int, AnswerMark] = dict.fromkeys((1, 2, 3, 7), "chosen")
    picture = draw_memory(state("slot"), get_translations("en"), answered=Answered("slot", marks))
    assert get_translations("en").text("slots.answer.said_chosen_slot", cells="1–3, 7") in picture.sentence
