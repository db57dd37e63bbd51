"""Report files: each mistake in a file is told by its name and place; each file and each student counts once."""

from __future__ import annotations

import csv
import io

import pytest

from lab.course_reports import course as course_module
from lab.course_reports import report_file
from lab.course_reports.course import RIGHT, Course, collect_reports, count_course
from lab.course_reports.errors import ReportFileError
from lab.course_reports.report_file import CODES, MAX_BYTES, StudentReport, read_report
from lessons.activity.report_row import PARTS

ANSWER = {
    "part": "task",
    "question_id": "task.blocks",
    "idea_id": "",
    "right": "yes",
    "sure": "think",
    "first": "yes",
    "mark": "own",
    "state": "https://lab.example/kvlab/task?run=2.task.4.used_3s.1t.1t.0t.1t.7t_",
}
WRONG = {**ANSWER, "right": "no", "idea_id": "floor_for_ceil", "sure": "sure"}


def write(*answers: dict[str, str], name: str = "", delimiter: str = ",", **others: str) -> bytes:
    """A report with these answers, as a spreadsheet writes it."""
    rows = [{**({"name": name} if name else {}), **answer, **others} for answer in answers]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def read(*files: bytes) -> tuple[tuple[StudentReport, ...], list[ReportFileError]]:
    """The files under the names 1.csv, 2.csv, …"""
    return collect_reports((), [(f"{i}.csv", data) for i, data in enumerate(files, 1)], PARTS)


def count(*files: bytes) -> Course:
    reports, problems = read(*files)
    assert problems == []
    return count_course(reports, PARTS)


@pytest.mark.parametrize("delimiter", list(",;\t"))
def test_a_report_is_read_whatever_a_spreadsheet_made_of_it(delimiter: str) -> None:
    """Columns in another order and further ones, semicolons or tabs, no byte order mark, empty lines."""
    turned = dict(reversed(WRONG.items()))
    data = write(turned, delimiter=delimiter, question='两行，\n"引号"; und\tTab', made="1 Dec")
    for each in (data, data.removeprefix(b"\xef\xbb\xbf") + b"\r\n;;\r\n".replace(b";", delimiter.encode())):
        (answer,) = read_report("1.csv", each, PARTS).answers
        assert (answer.question_id, answer.idea_id, answer.right) == ("task.blocks", "floor_for_ceil", False)
        assert (answer.sure, answer.is_first, answer.mark) == ("sure", True, "own")
        assert answer.state == "/task?run=2.task.4.used_3s.1t.1t.0t.1t.7t_"


BAD_CELLS = {
    "part": "nopart",
    "question_id": "two words",
    "idea_id": "no_such_idea",
    "right": "maybe",
    "sure": "very",
    "first": "",
    "mark": "theirs",
    "state": "javascript:alert(1)",
}


@pytest.mark.parametrize("column", CODES)
def test_a_wrong_cell_is_told_by_its_row_and_column(column: str) -> None:
    data = write(ANSWER, {**ANSWER, column: BAD_CELLS[column]})
    with pytest.raises(ReportFileError) as problem:
        read_report("z.csv", data, PARTS)
    assert (problem.value.code, problem.value.numbers) == ("report_cell", {"file": "z.csv", "row": 3, "column": column})


@pytest.mark.parametrize("column", CODES)
def test_a_column_that_is_missing_or_doubled_is_named(column: str) -> None:
    without = write({name: text for name, text in ANSWER.items() if name != column})
    twice = write(ANSWER, **{" " + column: ""})
    for data in (without, twice):
        with pytest.raises(ReportFileError) as problem:
            read_report("z.csv", data, PARTS)
        assert (problem.value.code, problem.value.numbers) == ("report_names", {"file": "z.csv", "names": column})


OLD = write(dict.fromkeys(("part", "attempt", "question", "predicted", "sure", "engine", "same", "mark"), "x"))
LINES = write(ANSWER).split(b"\r\n")
FILES = {
    "report_old": OLD,
    "report_no_answers": LINES[0],
    "report_row": b"\r\n".join([LINES[0], LINES[1] + b",more", b""]),
    "report_not_csv ": b"\r\n".join([LINES[0], b'task,"task.blocks']),
    "report_not_csv": b"PK\x03\x04 a spreadsheet's own format",
    "report_too_large": b"x" * (MAX_BYTES + 1),
    "report_too_many_answers": write(*[ANSWER] * 4),
}


@pytest.mark.parametrize("code", FILES)
def test_what_is_no_report_is_told_with_the_file_s_name(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_file, "MAX_ROWS", 3)
    reports, (problem,) = read(FILES[code])
    assert (reports, problem.code, problem.numbers["file"]) == ((), code.strip(), "1.csv")


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"\xb4\xf0\xb0\xb8", b"part,\0", b"\r\r\r", b'"'])
def test_any_bytes_are_refused_with_a_sentence(data: bytes) -> None:
    reports, (problem,) = read(data)
    assert (reports, problem.numbers["file"]) == ((), "1.csv")


def test_a_file_counts_once_and_a_student_once() -> None:
    """The same answers in another language; the same name with more answers, then with fewer."""
    plain, chinese = (write(WRONG, question=text) for text in ("How many?", "几块？"))
    reports, (problem,) = read(plain, chinese)
    assert (len(reports), problem.code) == (1, "report_same")
    assert problem.numbers == {"file": "2.csv", "other": "1.csv"}
    short, long = write(ANSWER, name="Zhang"), write(ANSWER, WRONG, name=" ZHANG ")
    for files, left_out in (((short, long), "1.csv"), ((long, short), "2.csv")):
        reports, (problem,) = read(*files)
        assert [len(each.answers) for each in reports] == [2]
        assert (problem.code, problem.numbers["file"]) == ("report_same_student", left_out)
    assert len(read(write(ANSWER, name="Zhang"), write(ANSWER, name="Li"), write(ANSWER))[0]) == 3
    texts = [write({**ANSWER, "part": "words", "right": ""}, predicted=text) for text in ("mine", "another")]
    assert len(read(*texts)[0]) == 2


def test_more_reports_than_are_added_up_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course_module, "MAX_REPORTS", 2)
    reports, (problem,) = read(*(write(ANSWER, name=name) for name in ("a", "b", "c")))
    assert (len(reports), problem.code, problem.numbers) == (2, "report_too_many", {"file": "3.csv", "limit": 2})
    again = collect_reports(reports, [("4.csv", write(ANSWER, ANSWER, name="b"))], PARTS)[0]
    assert [len(each.answers) for each in again] == [1, 2]  # a student who is counted already is no third one


def test_first_and_later_answers_are_apart_and_each_student_counts_once() -> None:
    later, over = {**ANSWER, "first": "no"}, {"mark": "over"}
    theirs = {**WRONG, "mark": "link", "idea_id": "used_as_empty"}
    open_, text = {**ANSWER, "right": ""}, {**WRONG, "part": "words", "question_id": "task.sentence", "right": ""}
    found = count(
        write(later, {**WRONG, **over}, theirs, name="a"),  # an attempt that was started over came first
        write(WRONG, {**WRONG, "first": "no"}, later, name="b"),
        write(open_, text, name="c"),
        write({**WRONG, "idea_id": ""}, {**WRONG, "idea_id": ""}, name="d"),  # marked twice as first, by hand
    )
    (question,) = found.questions
    bars = {bar.answer: (bar.first, bar.second) for bar in question.tally.bars}
    assert bars == {RIGHT: (0, 2), "floor_for_ceil": (2, 0), "": (1, 1)}
    assert question.tally.votes == (3, 3)
    assert [(move.before, move.after, move.count) for move in question.tally.moves] == [("floor_for_ceil", RIGHT, 2)]
    assert (found.students, found.again, found.answers) == (4, 3, 7)
    (idea,) = found.ideas
    assert (idea.id, idea.first, idea.later) == ("floor_for_ceil", 3, 1)
    assert idea.questions == ("task.blocks", "task.sentence")
    assert question.states["floor_for_ceil"].startswith("/task?run=")


def test_a_later_text_with_an_idea_is_a_later_answer() -> None:
    """It has no outcome; no more students had an idea later than answered later."""
    text = {**WRONG, "part": "words", "question_id": "task.sentence", "right": "", "first": "no"}
    found = count(write(ANSWER, text))
    assert (found.again, found.ideas[0].later) == (1, 1)


def test_how_sure_they_were_is_told_from_five_answers_on() -> None:
    """Answers without a sureness, as to a quick question, are no answers to that."""
    files = [write(WRONG if i % 2 else ANSWER, name=str(i)) for i in range(4)]
    unasked = write({**ANSWER, "sure": ""}, name="x")
    assert count(*files, unasked).questions[0].tally.sure == {}
    sure = count(*files, unasked, write(ANSWER, name="y")).questions[0].tally.sure
    assert sure == {(1, True): (0, 3, 0), (1, False): (0, 0, 2)}
