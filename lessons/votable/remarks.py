"""What an instructor may want to know about the questions in view, and the class must not see yet."""

from __future__ import annotations

from collections.abc import Sequence

from lab.engine.errors import LabError
from lab.quiz.words import format_idea
from lessons.state.presenting import Remark
from lessons.text.translations import Translations
from lessons.votable.find import find_votable


def build_remarks(specs: Sequence[str], words: Translations) -> list[Remark]:
    """The right answer and the likely wrong ones of each question, and what is behind them. Runs the engine."""
    remarks = []
    for spec in specs:
        try:
            votable = find_votable(spec)
            answer = votable.get_answer()
        except LabError:  # a question that needs more than its name
            continue
        likely = [
            f"✗ {votable.format_value(value, words)} · {format_idea(idea, words)}"
            for idea, value in votable.list_wrong()
        ]
        right = f"✓ {votable.format_value(answer, words)}"
        remarks.append(Remark(votable.ask(words), (right, *likely, votable.explain(answer, words))))
    return remarks
