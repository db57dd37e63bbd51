"""Answers to quiz questions as a learner reads them."""

from __future__ import annotations

from collections.abc import Sequence

from lab.activities.question import Value
from lab.quiz.question import QuizQuestion
from lab.quiz.words import format_option
from lessons.text.sentences import format_ranges
from lessons.text.translations import Translations


def format_value(question: QuizQuestion, value: Value, words: Translations) -> str:
    """Format an answer of the form number, choice or set."""
    if isinstance(value, frozenset):
        cells = tuple(sorted(cell for cell in value if isinstance(cell, int)))
        return format_ranges(cells, words) or words.text("quiz_page.nothing")
    option = question.option(value) if isinstance(value, str) else None
    return format_option(option, words) if option else str(value)


def format_any_value(question: QuizQuestion, value: Value, words: Translations) -> str:
    """Format an answer of any form."""
    if question.form == "order" and isinstance(value, tuple):
        return " → ".join(_format_options(question, value, words))
    if question.form == "several" and isinstance(value, frozenset):
        chosen = [option.id for option in question.options if option.id in value]
        return words.text("figures.semicolon").join(_format_options(question, chosen, words)) or words.text(
            "report.none"
        )
    return format_value(question, value, words)


def _format_options(question: QuizQuestion, ids: Sequence[str], words: Translations) -> list[str]:
    by_id = {option.id: option for option in question.options}
    return [format_option(by_id[option_id], words) for option_id in ids]
