"""The misconceptions that the report begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.report.row import ReportRow
from lessons.text.translations import Translations

MOST = 3


@dataclass(frozen=True)
class WeakIdea:
    """A misconception, or the question if none is known. `sure`: how many wrong answers were marked as sure."""

    name: str
    why: str
    wrong: int
    sure: int


def find_weakest(rows: Sequence[ReportRow], most: int = MOST) -> list[WeakIdea]:
    """Return the learner's `most` weakest points: first where they were wrong but sure, then by count. Pure."""
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
    """Return one paragraph: the misconception, marked as wrong, and what is true."""
    sentence = words.text("report.weak", name=weak.name, wrong=weak.wrong, sure=weak.sure)
    return words.text("figures.gap").join(filter(None, (sentence, weak.why)))
