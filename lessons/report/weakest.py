"""Where a learner was wrong most: what the report begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.report.row import ReportRow
from lessons.text.translations import Translations

MOST = 3


@dataclass(frozen=True)
class WeakIdea:
    """A wrong idea, or the question where none is known by name; what is true instead; how often, how often surely."""

    name: str
    why: str
    wrong: int
    sure: int


def find_weakest(rows: Sequence[ReportRow], most: int = MOST) -> list[WeakIdea]:
    """This browser's own weakest ideas: those it was sure of first, then the most frequent. Pure."""
    by_name: dict[str, list[ReportRow]] = {}
    for row in rows:
        if row.mark == "own" and (row.same == "no" or (row.written and row.idea)):
            by_name.setdefault(row.idea or row.question, []).append(row)
    found = [
        WeakIdea(name, group[-1].why, len(group), sum(row.sure == "sure" for row in group))
        for name, group in by_name.items()
    ]
    return sorted(found, key=lambda weak: (-weak.sure, -weak.wrong))[:most]


def format_weak(weak: WeakIdea, words: Translations) -> str:
    """One paragraph: the wrong idea, marked as such, and what is true."""
    sentence = words.text("report.weak", name=weak.name, wrong=weak.wrong, sure=weak.sure)
    return words.text("figures.gap").join(filter(None, (sentence, weak.why)))
