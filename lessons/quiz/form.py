"""The form of the question in view, and clicks on the cells of its picture."""

from __future__ import annotations

from lab.activities.answer import parse
from lab.activities.question import Sure, Value
from lab.engine.errors import InvalidAnswerError
from lab.quiz.words import format_option
from lessons.quiz import attempt as quiz
from lessons.quiz.attempt import QuizAttempt
from lessons.state import notes
from lessons.text.sentences import format_ranges
from lessons.text.translations import Translations
from lessons.widgets.question_form import Field, ask_questions


def ask(attempt: QuizAttempt, words: Translations) -> None:
    """Draw the form for the question in view."""
    question = attempt.question
    if question is None:
        return
    form = f"set_{question.cell}" if question.form == "set" else question.form

    def format_choice(option_id: str) -> str:
        option = question.option(option_id) if question else None
        return format_option(option, words) if option else ""

    def commit(values: tuple[Value, ...], sure: tuple[Sure | None, ...]) -> None:
        quiz.commit(attempt.key, values[0], sure[0])

    label = words.text(f"quiz_page.field.{form}")
    # A single question is not recorded, so sureness is not asked.
    field = Field(question, _get_key(attempt), label, format_choice, sure="scale" if attempt.single is None else None)
    ask_questions("quiz_form", [field], commit, words, submit="quiz_page.submit", key="quiz_submit")


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
    if attempt.question is None or kind != attempt.question.cell or not number.isdecimal():
        return
    cells = get_marked_cells(attempt) ^ {int(number)}
    notes.set_field(_get_key(attempt), format_ranges(tuple(sorted(cells))).replace("\N{EN DASH}", "-"))


def _get_key(attempt: QuizAttempt) -> str:
    return f"quiz_answer.{attempt.key}"
