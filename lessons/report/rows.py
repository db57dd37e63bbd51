"""All rows of the report, from this browser's record and the address. Both are untrusted.

One adapter over attempts: each activity gives the rows of an attempt, or of what was answered beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module

from lab.activities.attempt import Attempt
from lab.activities.cases import CASES
from lab.activities.cases.task import TASKS
from lab.activities.intuition.progress import KIND as INTUITION
from lab.activities.record import CHAPTER, Mark
from lab.engine.errors import LabError
from lessons.activity import run_rows
from lessons.activity.report_row import PARTS, ReportRow, mark_first
from lessons.intuition import questions
from lessons.lesson import self_explanation
from lessons.state import attempts, record
from lessons.state.slots import ACTIVITIES, SLOTS
from lessons.task import chapter_question, explain, word_question
from lessons.text.translations import Translations
from lessons.votable import answers

RUNS = (*TASKS, *CASES)
# By the kind of attempt: the rows of its answers, and of what was answered beside it.
ANSWERS: Mapping[str, Callable[[Attempt, Translations], Iterator[ReportRow]]] = {
    **dict.fromkeys(RUNS, run_rows.build_rows),
    INTUITION: questions.build_rows,
    **{name: import_module(f"lessons.{name}.report_rows").build_rows for name in ACTIVITIES},
}
BESIDE: Mapping[str, Callable[[Attempt, Mapping[str, object], Translations], Iterator[ReportRow]]] = {
    **dict.fromkeys(RUNS, run_rows.build_check_rows),
    CHAPTER.kind: chapter_question.build_rows,
    word_question.WORD.kind: word_question.build_rows,
}
# The rows of what belongs to no attempt.
OTHERS = (self_explanation.build_rows, explain.build_rows, answers.build_rows)


def build_rows(words: Translations) -> list[ReportRow]:
    """Return all rows in the order of the report. Runs the engine for each attempt; the page caches the result."""
    rows: list[ReportRow] = []
    found = record.read().gather(_list_here())
    for attempt, mark in found:
        if attempt.kind in ANSWERS:
            rows += _read(ANSWERS[attempt.kind](attempt, words), mark)
    marks: dict[Attempt, Mark] = {attempt.beginning: mark for attempt, mark in reversed(found)}
    for attempt, given in record.read().list_beside():
        if attempt.kind in BESIDE:
            mark = marks.get(attempt, "link" if attempt.answers else "own")
            rows += _read(BESIDE[attempt.kind](attempt, given, words), mark)
    rows += (row for build in OTHERS for row in build(words))
    return mark_first(sorted(rows, key=lambda row: PARTS.index(row.part) if row.part in PARTS else len(PARTS)))


def _list_here() -> Iterator[Attempt]:
    """Yield the attempts in the address that can be read."""
    for slot in SLOTS:
        with suppress(LabError):
            attempt, _ = attempts.read(slot)
            if attempt is not None:
                yield attempt


def _read(rows: Iterable[ReportRow], mark: Mark) -> list[ReportRow]:
    """Return the rows, marked; none if an edited record or link does not hold what it says."""
    try:
        return [replace(row, mark=mark) for row in rows]
    except LabError:
        return []
