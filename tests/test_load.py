"""The virtual students of tests/load do what they claim to: each visit clicks through its page without an error."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from lab.link import parse_run
from lab.operations import operation_text
from lab.quiz.round_link import parse_round
from tests.browser.served import running
from tests.load.__main__ import p95
from tests.load.student import Student, StudentError
from tests.load.visits import OPERATIONS, VISITS, Visit
from tests.own_loop import in_own_loop

TURNS = 16


def _address(student: Student, key: str) -> str:
    return next(part.partition("=")[2] for part in student.query.split("&") if part.startswith(f"{key}="))


async def _visit(visit: Visit, port: int) -> Student:
    student = Student(port, visit.page, visit.query.format(seed=5))
    await student.open()
    for turn in range(TURNS):
        assert await visit.click(student, turn) > 0
    await student.close()
    return student


async def _missing(port: int) -> None:
    student = Student(port, "task", VISITS[0].query)
    await student.open()
    try:
        await student.press("no_such_button")
    finally:
        await student.close()


def test_students_do_what_a_visit_says(tmp_path: Path) -> None:
    """What was clicked stands in the address afterwards."""
    with running("app.py", tmp_path / "log.txt") as server:
        port = int(server.url.rpartition(":")[2])
        task, quiz = (in_own_loop(partial(_visit, visit, port)) for visit in VISITS)
        with pytest.raises(StudentError, match="no_such_button"):
            in_own_loop(partial(_missing, port))
    log = [operation_text(each) for each in parse_run(_address(task, "run")).operations]
    assert log == [OPERATIONS[turn % len(OPERATIONS)] for turn in range(TURNS)]
    assert len(parse_round(_address(quiz, "quiz")).answers) == TURNS // 2


def test_the_95th_percentile() -> None:
    """Of a hundred values five are above it; of one value none."""
    assert p95([float(value) for value in range(1, 101)]) == 95.0
    assert p95([3.0]) == 3.0
