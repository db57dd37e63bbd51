"""The answer fields of a question, how sure the learner is, and the button. An unreadable answer is not committed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st

from lab.activities.attempt import LEVELS
from lab.engine.errors import InvalidAnswerError
from lab.quiz.answer import parse
from lab.quiz.question import QuizQuestion
from lab.quiz.view import get_cell_kind
from lab.quiz.words import format_option
from lessons.quiz import attempt as quiz
from lessons.quiz.attempt import QuizAttempt
from lessons.state import notes
from lessons.text.sentences import format_error, format_ranges
from lessons.text.translations import Translations

PROBLEMS = "quiz.problems"


def ask(attempt: QuizAttempt, words: Translations) -> None:
    """Draw the fields and the button for the question in view."""
    question = attempt.question
    if question is None:
        return
    if question.form == "set":  # not a form, so that the field and the picture always show the same cells
        with st.container(border=True, key="quiz_form"):
            _draw_fields(attempt, question, words)
            label = words.text("quiz_page.submit")
            st.button(label, type="primary", key="quiz_submit", on_click=_submit)
        return
    with st.form("quiz_form"):
        _draw_fields(attempt, question, words)
        label = words.text("quiz_page.submit")
        st.form_submit_button(label, type="primary", key="quiz_submit", on_click=_submit)


def get_marked_cells(attempt: QuizAttempt) -> frozenset[int]:
    """Return the cells that the field names; empty while it cannot be read."""
    question = attempt.question
    try:
        value = parse(question, str(notes.get_field(_get_key(attempt)) or "")) if question else frozenset()
    except InvalidAnswerError:
        return frozenset()
    return frozenset(cell for cell in value if isinstance(cell, int)) if isinstance(value, frozenset) else frozenset()


def toggle(target: str) -> None:
    """In a callback: mark or unmark a cell clicked in the picture. `target` is like `slot:12` or `block:3`."""
    attempt = quiz.read_url()
    kind, _, number = target.partition(":")
    if attempt.question is None or kind != get_cell_kind(attempt.question) or not number.isdecimal():
        return
    cells = get_marked_cells(attempt) ^ {int(number)}
    notes.set_field(_get_key(attempt), format_ranges(tuple(sorted(cells))).replace("\N{EN DASH}", "-"))


def _get_key(attempt: QuizAttempt) -> str:
    return f"quiz_answer.{attempt.key}"


def _draw_fields(attempt: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    kept_key, problems = notes.get_note(PROBLEMS, ("", {}))
    problems = dict(problems) if kept_key == attempt.key else {}
    key, ids = _get_key(attempt), [option.id for option in question.options]
    if question.form == "set":
        st.text_input(
            words.text(f"quiz_page.field.set_{get_cell_kind(question)}"), key=key, max_chars=400, autocomplete="off"
        )
        if problem := _check_typed(question, notes.get_field(key)):
            problems["answer"] = problem
    elif question.form == "number":
        st.text_input(words.text("quiz_page.field.number"), key=key, max_chars=40, autocomplete="off")
    elif question.form == "choice":
        st.radio(
            words.text("quiz_page.field.choice"),
            ids,
            index=None,
            key=key,
            format_func=partial(_format_option, question, words),
        )
    elif question.form == "several":
        st.markdown(words.text("quiz_page.field.several"))
        for option_id in ids:
            st.checkbox(_format_option(question, words, option_id), key=f"{key}.{option_id}")
    else:
        st.markdown(words.text("quiz_page.field.order"))
        for option_id in ids:
            places = range(1, len(ids) + 1)
            label = _format_option(question, words, option_id)
            st.radio(label, places, index=None, horizontal=True, key=f"{key}.{option_id}")
    _show_problem(problems.get("answer"), words)
    if attempt.single is not None:  # a single question is not recorded, so sureness is not asked
        return
    st.radio(
        words.text("quiz_page.sure_ask"),
        LEVELS,
        index=None,
        horizontal=True,
        key=f"{key}.sure",
        format_func=lambda level: words.text(f"quiz_page.sure.{level}"),
    )
    _show_problem(problems.get("sure"), words)


def _format_option(question: QuizQuestion, words: Translations, option_id: str) -> str:
    option = question.option(option_id)
    return format_option(option, words) if option else ""


def _check_typed(question: QuizQuestion, typed: object) -> InvalidAnswerError | None:
    try:
        parse(question, str(typed or ""))
    except InvalidAnswerError as problem:
        return problem
    return None


def _show_problem(problem: InvalidAnswerError | None, words: Translations) -> None:
    if problem is not None:
        st.markdown(f":red[▲ {format_error(problem, words)}]")


def _submit() -> None:
    """Commit the answer if all fields can be read; else store the problem of each field."""
    attempt = quiz.read_url()
    question = attempt.question
    if question is None:
        return
    problems: dict[str, InvalidAnswerError] = {}
    key, value = _get_key(attempt), None
    try:
        value = parse(question, _read_raw(question, key))
    except InvalidAnswerError as problem:
        problems["answer"] = problem
    sure = None if attempt.single is not None else notes.get_field(f"{key}.sure")
    if attempt.single is None and sure not in LEVELS:
        problems["sure"] = InvalidAnswerError(reason="no_choice")
    notes.set_note(PROBLEMS, (attempt.key, problems))
    if value is not None and not problems:
        quiz.commit(attempt.key, value, sure)


def _read_raw(question: QuizQuestion, key: str) -> str | Iterable[str] | None:
    """Read the widgets in the form that lab.quiz.answer.parse expects."""
    ids = [option.id for option in question.options]
    if question.form == "several":
        return [option_id for option_id in ids if notes.get_field(f"{key}.{option_id}")]
    if question.form == "order":
        places = {option_id: notes.get_field(f"{key}.{option_id}") for option_id in ids}
        if sorted(attempt or 0 for attempt in places.values()) != list(range(1, len(ids) + 1)):
            return []
        return sorted(ids, key=lambda option_id: int(places[option_id] or 0))
    typed = notes.get_field(key)
    return None if typed is None else str(typed)
