"""Parsing an answer: every form, and format errors, which cost nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.activities.answer import parse
from lab.engine.errors import InvalidAnswerError
from lab.quiz.generate import KINDS, generate
from lab.quiz.grade import grade
from lab.quiz.question import QuizQuestion
from lessons.text.sentences import format_error
from lessons.text.translations import LANGUAGES, get_translations

BY_FORM = {question.form: question for question in (generate(kind, 7, 4, "medium") for kind in KINDS)}


def reason(question: QuizQuestion, raw: object) -> str:
    """Why the input is not an answer."""
    with pytest.raises(InvalidAnswerError) as caught:
        parse(question, raw)  # type: ignore[arg-type]
    for language in LANGUAGES:
        assert format_error(caught.value, get_translations(language))
    return str(caught.value.numbers["reason"])


def test_there_are_five_forms() -> None:
    assert set(BY_FORM) == {"number", "choice", "order", "set", "several"}


def test_a_number() -> None:
    """As typed, in the digits of any script."""
    question = BY_FORM["number"]
    assert [parse(question, raw) for raw in ("3", " 12 ", "１２", 5, "7.0")] == [3, 12, 12, 5, 7]
    tried = ("", None, "three", "1.5", "-1", "1000", "nan")
    expected = ["empty", "empty", "not_a_number", "not_whole", "negative", "too_large", "not_a_number"]
    assert [reason(question, raw) for raw in tried] == expected


def test_a_choice() -> None:
    """One of the ids shown."""
    question = BY_FORM["choice"]
    for option in question.options:
        assert parse(question, option.id) == option.id
    assert {reason(question, raw) for raw in (None, "", "no such", [o.id for o in question.options])} == {"no_choice"}


def test_an_order() -> None:
    """Every step exactly once."""
    question = BY_FORM["order"]
    ids = [option.id for option in question.options]
    assert parse(question, ids) == tuple(ids)
    tried: tuple[list[str] | None, ...] = (None, [], ids[1:], [*ids, ids[0]], [ids[0], *ids[:-1]], [*ids[1:], "x"])
    assert {reason(question, raw) for raw in tried} == {"not_every_step"}


def test_several() -> None:
    """At least one option, in any order."""
    question = BY_FORM["several"]
    ids = [option.id for option in question.options]
    assert parse(question, ids) == parse(question, ids[::-1]) == frozenset(ids)
    assert {reason(question, raw) for raw in (None, [], ["x"], [ids[0], "x"])} == {"none_chosen"}


def test_cells_by_click_and_by_keyboard() -> None:
    """Clicks and typing give the same set; an empty set is an answer."""
    question = BY_FORM["set"]
    assert parse(question, [4, 5, 6, 1]) == parse(question, "4-6, 1") == parse(question, " 1 4–5；6 ")
    assert parse(question, "4-6, 1") == frozenset({1, 4, 5, 6})
    assert parse(question, "１、2~3") == frozenset({1, 2, 3})
    assert parse(question, None) == parse(question, "") == parse(question, []) == frozenset()
    assert {parse(question, raw) for raw in ("4 - 6, 1", "4 –6 1", "4～ 6，1")} == {frozenset({1, 4, 5, 6})}
    assert parse(question, "1 - 2, 5 - 5") == frozenset({1, 2, 5})
    last = question.cells[-1]
    assert parse(question, f"0-{last}") == frozenset(question.cells)
    tried = {"x": "not_numbers", "1-": "not_numbers", "-1": "negative", "3-1": "no_such_cell", "1.5": "not_whole"}
    tried |= {"3 - 1": "no_such_cell", "4, -1": "negative"}
    assert {raw: reason(question, raw) for raw in tried} == tried
    assert reason(question, str(last + 1)) == reason(question, [last + 1]) == "no_such_cell"


@given(
    st.sampled_from(sorted(BY_FORM)), st.none() | st.text(max_size=12) | st.integers() | st.lists(st.text(max_size=4))
)
def test_anything_is_an_answer_or_a_format_error(form: str, raw: str | int | list[str] | None) -> None:
    """No other exception is raised, and a parsed answer can be graded."""
    question = BY_FORM[form]  # type: ignore[index]
    try:
        value = parse(question, raw)
    except InvalidAnswerError:
        return
    assert grade(question, value).right == (value == question.answer)
