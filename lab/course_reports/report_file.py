"""One report as CSV (lessons/report/download.py) in any language: its codes are read, its words are not.

Spreadsheets may have saved it again: with semicolons or tabs, with other columns beside the report's own.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from lab.activities.ideas import UnknownIdeaError, find_idea
from lab.activities.question import LEVELS
from lab.activities.record import Mark
from lab.course_reports.errors import (
    NoAnswersError,
    OldReportError,
    ReportCellError,
    ReportNamesError,
    ReportNotCsvError,
    ReportRowError,
    ReportTooLargeError,
    TooManyAnswersError,
)

MAX_BYTES = 2_000_000
MAX_ROWS = 5000
CODES = ("part", "question_id", "idea_id", "right", "sure", "first", "mark", "state")
_NAME, _TEXT = "name", "predicted"  # columns that tell two students apart
_BEFORE_IDS = {"part", "same", "engine"}  # columns of a report without ids
_MARKS: dict[str, Mark] = {"own": "own", "link": "link", "over": "over", "link_over": "link_over"}
_DELIMITERS = ",;\t"
_QUESTION = re.compile(r"[!-~]{1,2000}")
_STATE = re.compile(r"(?:https?://[^\s?#]{1,300})?(/[a-z]{1,20}\?[!-~]{1,20000})")


@dataclass(frozen=True)
class ReportAnswer:
    """One ReportRow (lessons/activity/report_row.py). `right` is None without an outcome; `state` begins at its page.

    `is_first`: the student's first answer to the question.
    """

    part: str
    question_id: str
    idea_id: str
    right: bool | None
    sure: str
    is_first: bool
    mark: Mark
    state: str


@dataclass(frozen=True)
class StudentReport:
    """The answers in one file. `student` and `content` are hashes: equal for the same name, for the same answers."""

    file: str
    answers: tuple[ReportAnswer, ...] = field(repr=False)
    student: str
    content: str


def read_report(file: str, data: bytes, parts: Collection[str]) -> StudentReport:
    """The report in a file of this name. `parts`: those that a report has. Raises a ReportFileError."""
    if len(data) > MAX_BYTES:
        raise ReportTooLargeError(file=file, kilobytes=-(-len(data) // 1000), limit=MAX_BYTES // 1000)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReportNotCsvError(file=file, row=1) from None
    lines = _read_lines(file, text)
    _, names = next(lines, (0, []))
    at = _find_columns(file, names)
    answers: list[ReportAnswer] = []
    student, hashed = "", hashlib.sha256()
    for row, cells in lines:
        if len(cells) != len(names):
            raise ReportRowError(file=file, row=row, columns=len(cells), expected=len(names))
        if len(answers) == MAX_ROWS:
            raise TooManyAnswersError(file=file, limit=MAX_ROWS)
        found = {name: cells[column] for name, column in at.items()}
        answer = _read_answer(file, row, found, parts)
        answers.append(answer)
        student = student or found.get(_NAME, "").strip().casefold()
        own_words = found.get(_TEXT, "") if answer.part == "words" else ""
        hashed.update(repr((answer, own_words)).encode("utf-8", "replace"))
    if not answers:
        raise NoAnswersError(file=file)
    hashed.update(student.encode("utf-8", "replace"))
    whose = hashlib.sha256(student.encode("utf-8", "replace")).hexdigest() if student else ""
    return StudentReport(file, tuple(answers), whose, hashed.hexdigest())


def _read_lines(file: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each row that is not blank."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader, row = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 0
    try:
        for row, cells in enumerate(reader, 1):
            if any(cell.strip() for cell in cells):
                yield row, cells
    except csv.Error:
        raise ReportNotCsvError(file=file, row=row + 1) from None


def _find_columns(file: str, names: list[str]) -> dict[str, int]:
    """Where the columns are that are read."""
    clean = [name.strip() for name in names]
    if "question_id" not in clean and set(clean) >= _BEFORE_IDS:
        raise OldReportError(file=file)
    if not set(clean) & {*CODES}:
        raise ReportNotCsvError(file=file, row=1)
    if wrong := [name for name in CODES if clean.count(name) != 1]:
        raise ReportNamesError(file=file, names=", ".join(wrong))
    return {name: clean.index(name) for name in (*CODES, _NAME, _TEXT) if name in clean}


def _read_answer(file: str, row: int, cells: dict[str, str], parts: Collection[str]) -> ReportAnswer:
    state = _STATE.fullmatch(cells["state"])
    fits = {
        "part": cells["part"] in parts,
        "question_id": _QUESTION.fullmatch(cells["question_id"]),
        "idea_id": not cells["idea_id"] or _is_idea(cells["idea_id"]),
        "right": cells["right"] in ("yes", "no", ""),
        "sure": cells["sure"] in (*LEVELS, ""),
        "first": cells["first"] in ("yes", "no"),
        "mark": cells["mark"] in _MARKS,
        "state": state or not cells["state"],
    }
    for column, fit in fits.items():
        if not fit:
            raise ReportCellError(file=file, row=row, column=column)
    return ReportAnswer(
        part=cells["part"],
        question_id=cells["question_id"],
        idea_id=cells["idea_id"],
        right={"yes": True, "no": False}.get(cells["right"]),
        sure=cells["sure"],
        is_first=cells["first"] == "yes",
        mark=_MARKS[cells["mark"]],
        state=state[1] if state else "",
    )


def _is_idea(text: str) -> bool:
    try:
        find_idea(text)
    except UnknownIdeaError:
        return False
    return True
