"""A class of students at once: how long a click takes, and what a student costs.

`python -m tests.load [--students 1 10 50 100] [--clicks 8] [--think 5] [--visits task quiz]`

For each visit and each size of class a fresh server is started (streamlit run, one process). All students open their
page within one second, then click with `think` seconds between, each at times of his own, and leave; a student alone
clicks four times as often and as fast, so that his 95th percentile is one. Printed: median
and 95th percentile of a click in milliseconds (from sending to the end of the script's run; the browser's drawing is
not in it), CPU milliseconds of the server for a click, megabytes of memory for a student, the same for an empty page
of Streamlit in the same run, and what is left of the memory after they have gone. Linux only (/proc).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from websockets.exceptions import WebSocketException

from tests.browser.served import Server, running
from tests.load.student import Student, StudentError
from tests.load.visits import EMPTY, VISITS, Visit

OPENING_SECONDS = 1.0
LEAVING_SECONDS = 195  # Streamlit forgets a session 120 s after it was left; then comes the lab's sweep, once a minute


@dataclass(frozen=True)
class Measured:
    """One class on one page. Times in ms, memory in MB above the server's before they came."""

    visit: str
    students: int
    opened: float
    clicks: int
    middle: float
    p95: float
    cpu: float
    memory: float
    left: float | None
    errors: int


def cpu_seconds(pid: int) -> float:
    """Processor time of the process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory that the process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def p95(times: Sequence[float]) -> float:
    """The value that 95 % are not above."""
    return sorted(times)[max(0, -(-95 * len(times) // 100) - 1)]


async def _settle(visit: Visit, port: int) -> None:
    """One student before the measurement, so that nothing is met for the first time in it."""
    student = Student(port, visit.page, visit.query.format(seed=999))
    await student.open()
    for turn in range(8):
        await visit.click(student, turn)
    await student.close()


async def _class(visit: Visit, server: Server, size: int, clicks: int, think: float, *, leave: bool) -> Measured:
    port = int(server.url.rpartition(":")[2])
    await _settle(visit, port)
    base = resident(server.pid)
    students = [Student(port, visit.page, visit.query.format(seed=seed)) for seed in range(size)]
    errors: list[Exception] = []
    opened: list[float] = []
    times: list[float] = []

    async def opening(student: Student) -> None:
        await asyncio.sleep(random.random() * OPENING_SECONDS)
        try:
            opened.append(await student.open())
        except (StudentError, OSError, WebSocketException) as error:
            errors.append(error)

    async def clicking(student: Student) -> None:
        await asyncio.sleep(random.random() * think)
        try:
            for turn in range(clicks):
                times.append(await visit.click(student, turn))
                await asyncio.sleep(think * (0.5 + random.random()))
        except (StudentError, OSError, WebSocketException) as error:
            errors.append(error)

    await asyncio.gather(*map(opening, students))
    before = cpu_seconds(server.pid)
    await asyncio.gather(*map(clicking, students))
    cpu = cpu_seconds(server.pid) - before
    memory = resident(server.pid) - base
    await asyncio.gather(*(student.close() for student in students))
    left = None
    if leave:
        await asyncio.sleep(LEAVING_SECONDS)
        left = resident(server.pid) - base
    for error in errors[:3]:
        print(f"  error: {type(error).__name__}: {str(error)[:200]}")
    return Measured(
        visit.name,
        size,
        1000 * median(opened or [0.0]),
        len(times),
        1000 * median(times or [0.0]),
        1000 * p95(times or [0.0]),
        1000 * cpu / max(1, len(times)),
        memory,
        left,
        len(errors),
    )


def measure(visit: Visit, size: int, clicks: int, think: float, *, leave: bool = False) -> Measured:
    """One class of this size on a server of its own."""
    if size == 1:
        clicks, think = 4 * clicks, think / 4
    with tempfile.TemporaryDirectory() as folder, running(visit.app, Path(folder) / "log.txt") as server:
        return asyncio.run(_class(visit, server, size, clicks, think, leave=leave))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, nargs="+", default=[1, 10, 50, 100])
    parser.add_argument("--clicks", type=int, default=8)
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--visits", nargs="+", default=[visit.name for visit in VISITS])
    parser.add_argument("--leave", action="store_true", help="wait and see what is left after the largest class")
    asked = parser.parse_args()
    print("page         students  opened  clicks  median    p95  CPU/click  memory/student  errors")
    for visit in (EMPTY, *(each for each in VISITS if each.name in asked.visits)):
        first = 0.0
        for size in asked.students:
            leave = asked.leave and size == max(asked.students)
            found = measure(visit, size, asked.clicks, asked.think, leave=leave)
            first = first or found.p95
            print(_line(found, found.p95 / first), flush=True)


def _line(found: Measured, times: float) -> str:
    left = "" if found.left is None else f"; memory {found.memory:+.1f} MB, {found.left:+.1f} MB after they left"
    return (
        f"{found.visit:12} {found.students:8} {found.opened:5.0f}ms {found.clicks:7} {found.middle:5.0f}ms"
        f" {found.p95:4.0f}ms {found.cpu:7.1f}ms {found.memory / found.students:11.2f} MB {found.errors:7}"
        f"   p95 {times:.1f} times that of one{left}"
    )


if __name__ == "__main__":
    main()
