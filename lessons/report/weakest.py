"""The misconceptions that the report begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.quiz.words import format_idea
from lessons.activity.report_row import ReportRow
from lessons.text.translations import Translations

MOST = 3


@dataclass(frozen=True)
class WeakIdea:
    """A misconception that is known by name. `sure`: how many wrong answers were marked as sure."""

    idea_id: str
    why: str
    wrong: int
    sure: int


def find_weakest(rows: Sequence[ReportRow], most: int = MOST) -> list[WeakIdea]:
    """Return the learner's `most` weakest ideas: first where they were wrong but sure, then by count. Pure.

    A wrong answer without a known idea is in the table only.
    """
    by_id: dict[str, list[ReportRow]] = {}
    for row in rows:
        if row.mark == "own" and row.idea_id and (row.right == "no" or row.written):
            by_id.setdefault(row.idea_id, []).append(row)
    found = [
        WeakIdea(last.idea_id, last.why, len(group), sum(row.sure == "sure" for row in group))
        for group in by_id.values()
        for last in group[-1:]
    ]
    return sorted(found, key=lambda weak: (-weak.sure, -weak.wrong))[:most]


def format_weak(weak: WeakIdea, words: Translations) -> str:
    """Return one paragraph: the misconception, marked as wrong, and what is true."""
    name = format_idea(weak.idea_id, words)
    sentence = words.text("report.weak", name=name, wrong=weak.wrong, sure=weak.sure)
    return words.text("figures.gap").join(filter(None, (sentence, weak.why)))
