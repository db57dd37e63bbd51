"""The virtual students of tests/load do what they claim to: each visit clicks through its page without an error."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from functools import partial
from pathlib import Path

import pytest

from lab.trace.operations import encode_operation
from tests.browser.served import running
from tests.links import parse_round, parse_run
from tests.load.__main__ import Measured, line
from tests.load.measures import p95
from tests.load.student import Student, StudentError
from tests.load.visits import OPERATIONS, VISITS, Visit
from tests.server.event_loop import in_own_loop

TURNS = 6


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


def _alive(url: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{url}/alive", timeout=20) as response:
        counts: dict[str, int] = json.load(response)
    return counts


async def _leave_together(url: str, port: int) -> dict[str, int]:
    """Three students, one of them in the sandbox; what they have in memory."""
    visits = [(visit.page, visit.query.format(seed=5)) for visit in VISITS]
    students = [Student(port, page, query) for page, query in (*visits, ("sandbox", "lang=en"))]
    for student in students:
        await student.open()
    there = await asyncio.to_thread(_alive, url)
    await asyncio.gather(*(student.close() for student in students))
    return there


@pytest.mark.thorough
def test_students_do_what_a_visit_says(tmp_path: Path) -> None:
    """What was clicked stands in the address afterwards; when they have gone, nothing of theirs is in memory."""
    forgotten = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "1"}
    with running("tests/load/counted_app.py", tmp_path / "log.txt", **forgotten) as server:
        port = int(server.url.rpartition(":")[2])
        task, quiz = (in_own_loop(partial(_visit, visit, port)) for visit in VISITS)
        with pytest.raises(StudentError, match="no_such_button"):
            in_own_loop(partial(_missing, port))
        there = in_own_loop(partial(_leave_together, server.url, port))
        # Streamlit itself keeps one session: the one that it sent something to last.
        gone, deadline = dict.fromkeys(there, 0) | {"AppSession": 1}, time.monotonic() + 20
        while (left := _alive(server.url)) != gone and time.monotonic() < deadline:
            pass
    assert there["AppSession"] >= 3
    assert there["WidgetMetadata"] > 0
    assert there["Timeline"] > 0
    assert left == gone
    log = [encode_operation(each) for each in parse_run(_address(task, "run")).operations]
    assert log == [OPERATIONS[turn % len(OPERATIONS)] for turn in range(TURNS)]
    assert len(parse_round(_address(quiz, "quiz")).answers) == TURNS // 2


def test_the_95th_percentile() -> None:
    """Of a hundred values five are above it; of one value none."""
    assert p95([float(value) for value in range(1, 101)]) == 95.0
    assert p95([3.0]) == 3.0


def test_a_class_is_compared_only_with_one_student() -> None:
    """Whatever was measured first: without a run of one student there is nothing to compare with."""
    fifty, one = (Measured("task", size, 9.0, 8, 9.0, p95, 9.0, 9.0, (), 0) for size, p95 in ((50, 120.0), (1, 40.0)))
    assert "3.0 times that of one student" in line(fifty, 40.0)
    assert "times" not in line(fifty, None)
    assert "times" not in line(one, 40.0)
