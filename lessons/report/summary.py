"""The report in a few lines. Counts this browser's own answers; marked answers are counted separately."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from lab.activities.cases import LESSONS
from lessons.activity.report_row import PREDICTED, ReportRow
from lessons.state.slots import ACTIVITIES
from lessons.text.translations import Translations


def summarize(rows: Sequence[ReportRow], words: Translations) -> list[str]:
    """Return one line for each kind of work done."""
    mine = [row for row in rows if row.mark == "own"]
    lines = []
    predicted = [row for row in mine if row.part in PREDICTED]
    if predicted:
        counts = {name: sum(row.right == code for row in predicted) for name, code in _CODES.items()}
        lines.append(words.text("report.sum.predicted", all=len(predicted), **counts))
    for part, found in groupby(mine, key=lambda row: row.part):
        if part not in (*PREDICTED, "words"):
            answered = list(found)
            right = sum(row.right == "yes" for row in answered)
            lines.append(words.text(f"report.sum.{part}", right=right, all=len(answered)))
    with_sureness = [row for row in mine if row.part in (*PREDICTED, "quiz", "class")]
    if with_sureness:
        sure = sum(row.right == "no" and row.sure == "sure" for row in with_sureness)
        lines.append(words.text("report.sum.sure_other", count=sure))
    written = sum(row.written for row in mine)
    if written:
        lines.append(words.text("report.sum.words", count=written))
    counted = bool(lines)  # if not, these lines come first and need their own wording
    for mark in ("over", "link", "link_over"):
        count = sum(row.mark == mark for row in rows)
        if count:
            lines.append(words.text(f"report.sum.{mark}" if counted else f"report.sum.{mark}_only", count=count))
    return lines


_CODES = {"same": "yes", "other": "no", "open": ""}


def group_by_part(rows: Sequence[ReportRow]) -> list[tuple[str, list[list[ReportRow]]]]:
    """Group the rows by part, then by attempt, in their given order."""
    return [
        (part, [list(group) for _, group in groupby(within, key=lambda row: (row.attempt, row.state, row.mark))])
        for part, within in groupby(rows, key=lambda row: row.part)
    ]


def format_part(part: str, words: Translations) -> str:
    """Return the name of a part of the report."""
    return words.text(f"{part}.title" if part in (*LESSONS, *ACTIVITIES) else f"report.part.{part}")


def format_mark(row: ReportRow, words: Translations) -> str:
    """Say whose answers these are. Empty for the learner's own that still count."""
    return "" if row.mark == "own" else words.text(f"report.mark.{row.mark}")


def format_same(row: ReportRow, words: Translations) -> str:
    """Format the comparison as a sign and a word."""
    undecided = "away" if row.part == "memory" else "open"  # a simulation's outcome lasts as long as the visit
    return words.text(f"report.same.{row.right or undecided}")


def format_title(rows: Sequence[ReportRow], words: Translations) -> str:
    """Return the title of an attempt's rows. Empty if the title of the part says the same."""
    return "" if rows[0].attempt == format_part(rows[0].part, words) else rows[0].attempt


def format_sureness(row: ReportRow, words: Translations) -> str:
    """Say how sure the learner was. Empty if that was not asked. A box that was not ticked says nothing more."""
    level = "not_marked" if row.part in PREDICTED and row.sure == "think" else row.sure
    return words.text(f"report.sure.{level}") if level else ""
