"""Report rows for what was answered in a class."""

from __future__ import annotations

from collections.abc import Iterator

from lessons.report.row import ReportRow, format_yes_no
from lessons.text.translations import Translations
from lessons.votable.answers import list_answers


def build_class_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield a row for each question that this browser answered in a class; fresh runs answer them again."""
    for votable, value, sure in list_answers():
        graded = votable.grade(value)
        yield ReportRow(
            part="class",
            question_id=votable.spec,
            attempt=votable.name(words),
            question=words.text("figures.gap").join([*votable.describe(words), votable.ask(words)]),
            predicted=votable.format_value(value, words),
            engine=votable.format_value(votable.get_answer(), words),
            right=format_yes_no(graded.right),
            sure=sure or "",
            idea_id=graded.idea,
            why="" if graded.right else votable.explain(value, words),
        )
