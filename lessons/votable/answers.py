"""A participant's own answers in the browser's record, from the reveal on; the report reads them. Untrusted.

`class_answers` is a list, the newest last, of what produces the question, the answer as in the store, and how sure.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from lab.activities.question import LEVELS, Sure, Value
from lab.activities.record import Record
from lab.engine.errors import LabError
from lessons.activity.report_row import ReportRow
from lessons.state import record
from lessons.text.translations import Translations
from lessons.votable.find import find_votable
from lessons.votable.votable import MAX_SPEC, Votable

KEY = "class_answers"
MAX_ANSWERS = 100


def keep(at: str, spec: str, answer: str, sure: str) -> None:
    """Save an answer to the question that `spec` produces; `at` names the class and the number of its question."""
    entry = {"at": at, "asked": spec, "answer": answer, "sure": sure}
    if entry in _read(record.read()):
        return

    def change(saved: Record) -> Record:
        others = [each for each in _read(saved) if each != entry]
        return saved.having(**{KEY: [*others, entry][-MAX_ANSWERS:]})

    record.update(change)


def list_answers() -> Iterator[tuple[Votable, Value, Sure | None]]:
    """The questions with this browser's answers, oldest first, without those that cannot be read."""
    for entry in _read(record.read()):
        try:
            votable = find_votable(str(entry.get("asked"))[:MAX_SPEC])
            value = votable.decode(str(entry.get("answer"))[:1000])
        except LabError:
            continue
        yield votable, value, next((level for level in LEVELS if level == entry.get("sure")), None)


def _read(saved: Record) -> list[dict[str, Any]]:
    return [each for each in saved.get_list(KEY) if isinstance(each, dict)]


def build_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield a report row for each answer; fresh runs answer the questions again."""
    for votable, value, sure in list_answers():
        yield ReportRow.of(
            votable.spec,
            votable.name(words),
            words.text("figures.gap").join([*votable.describe(words), votable.ask(words)]),
            given=value,
            grade=votable.grade(value),
            format_value=partial(votable.format_value, words=words),
            why=partial(votable.explain, value, words),
            part="class",
            sure=sure,
        )
