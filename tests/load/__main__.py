"""A class of students at once: how long a click takes, and what a student costs.

`python -m tests.load [--students 1 10 50 100] [--clicks 8] [--think 5] [--visits task quiz] [--leave 3]`

For each visit and each size of class a fresh server is started (streamlit run, one process). All students open their
page within one second, then click with `think` seconds between, each at times of his own, and leave; a student alone
clicks four times as often and as fast, so that his 95th percentile is one. Printed: median
and 95th percentile of a click in milliseconds (from sending to the end of the script's run; the browser's drawing is
not in it), CPU milliseconds of the server for a click, megabytes of memory for a student, and the same for an empty
page of Streamlit in the same run. `--visits class --students 200`
plays a class that votes, see classroom.py. With `--leave 3` the largest class comes three times;
printed is how much more memory
than before the first the server has each time when they have gone and it has swept. With `--browser` one more student
of the task is a real browser, which is a load of its own; printed is what that student feels: milliseconds from a press
until the picture is drawn. Linux only (/proc).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from statistics import median

from websockets.exceptions import WebSocketException

from lessons.server import memory_cleanup
from tests.browser.served import Server, running
from tests.load import classroom
from tests.load.drawn import Drawn, measure_drawn
from tests.load.measures import cpu_seconds, p95, resident
from tests.load.student import Student, StudentError
from tests.load.visits import EMPTY, VISITS, Visit

OPENING_SECONDS = 1.0
# A session is forgotten two minutes after it was left, in the next sweep; for --leave at once.
FORGET_AT_ONCE = {"STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL": "0"}
LEAVING_SECONDS = memory_cleanup.SECONDS + 5


@dataclass(frozen=True)
class Measured:
    """One class on one page. Times in ms, memory in MB above the server's before they came.

    `left` is after each class has gone, if the same class came several times; the rest is of the first.
    """

    visit: str
    students: int
    opened: float
    clicks: int
    middle: float
    p95: float
    cpu: float
    memory: float
    left: tuple[float, ...]
    errors: int
    drawn: Drawn = field(default_factory=dict)  # in a real browser


def _port(server: Server) -> int:
    return int(server.url.rpartition(":")[2])


async def _settle(visit: Visit, port: int) -> None:
    """One student before the measurement, so that nothing is met for the first time in it."""
    student = Student(port, visit.page, visit.query.format(seed=999))
    await student.open()
    for turn in range(8):
        await visit.click(student, turn)
    await student.close()


@dataclass
class _Came:
    """What a class met with: seconds for opening and for each click, CPU seconds, memory in MB above the base."""

    opened: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    drawn: Drawn = field(default_factory=dict)
    errors: list[Exception] = field(default_factory=list)
    cpu: float = 0.0
    memory: float = 0.0


async def _come(
    visit: Visit, server: Server, size: int, clicks: int, think: float, *, base: float, browser: bool = False
) -> _Came:
    """One class comes, clicks and leaves. With `browser` one more student is a real one."""
    port = _port(server)
    students = [Student(port, visit.page, visit.query.format(seed=seed)) for seed in range(size)]
    came = _Came()

    async def opening(student: Student) -> None:
        await asyncio.sleep(random.random() * OPENING_SECONDS)
        try:
            came.opened.append(await student.open())
        except (StudentError, OSError, WebSocketException) as error:
            came.errors.append(error)

    async def clicking(student: Student) -> None:
        await asyncio.sleep(random.random() * think)
        try:
            for turn in range(clicks):
                came.times.append(await visit.click(student, turn))
                await asyncio.sleep(think * (0.5 + random.random()))
        except (StudentError, OSError, WebSocketException) as error:
            came.errors.append(error)

    await asyncio.gather(*map(opening, students))
    over = asyncio.Event()
    watching = asyncio.create_task(measure_drawn(server.url, think / 5, over)) if browser else None
    before = cpu_seconds(server.pid)
    await asyncio.gather(*map(clicking, students))
    over.set()
    if watching:
        came.drawn = await watching
    came.cpu = cpu_seconds(server.pid) - before
    came.memory = resident(server.pid) - base
    await asyncio.gather(*(student.close() for student in students))
    return came


async def _class(
    visit: Visit, server: Server, size: int, clicks: int, think: float, *, leave: int, browser: bool
) -> Measured:
    await _settle(visit, _port(server))
    if leave:
        await asyncio.sleep(LEAVING_SECONDS)
    base = resident(server.pid)
    came = [await _come(visit, server, size, clicks, think, base=base, browser=browser)]
    left = []
    for again in range(leave):
        if again:
            came.append(await _come(visit, server, size, clicks, think, base=base))
        await asyncio.sleep(LEAVING_SECONDS)
        left.append(resident(server.pid) - base)
    errors = [error for each in came for error in each.errors]
    for error in errors[:3]:
        print(f"  error: {type(error).__name__}: {str(error)[:200]}")
    first = came[0]
    return Measured(
        visit.name,
        size,
        1000 * median(first.opened or [0.0]),
        len(first.times),
        1000 * median(first.times or [0.0]),
        1000 * p95(first.times or [0.0]),
        1000 * first.cpu / max(1, len(first.times)),
        first.memory,
        tuple(left),
        len(errors),
        first.drawn,
    )


def measure(visit: Visit, size: int, clicks: int, think: float, leave: int = 0, *, browser: bool = False) -> Measured:
    """One class of this size on a server of its own; `leave` times over, if that is not 0."""
    if size == 1:
        clicks, think = 4 * clicks, think / 4
    variables = FORGET_AT_ONCE if leave else {}
    with (
        tempfile.TemporaryDirectory() as folder,
        running(visit.app, Path(folder) / "log.txt", **variables) as server,
    ):
        return asyncio.run(_class(visit, server, size, clicks, think, leave=leave, browser=browser))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, nargs="+", default=[1, 10, 50, 100])
    parser.add_argument("--clicks", type=int, default=8)
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--visits", nargs="+", default=[visit.name for visit in VISITS])
    parser.add_argument("--leave", type=int, default=0, help="the largest class comes so often; what each time is left")
    parser.add_argument("--browser", action="store_true", help="one more student of the task is a real browser")
    asked = parser.parse_args()
    if asked.visits == ["class"]:
        for size in asked.students:
            print(classroom.measure(size), flush=True)
        return
    print("page         students  opened  clicks  median    p95  CPU/click  memory/student  errors")
    for visit in (EMPTY, *(each for each in VISITS if each.name in asked.visits)):
        alone: float | None = None
        for size in asked.students:
            leave = asked.leave if size == max(asked.students) else 0
            browser = asked.browser and visit.name == "task"
            found = measure(visit, size, asked.clicks, asked.think, leave, browser=browser)
            alone = found.p95 if size == 1 else alone
            print(line(found, alone), flush=True)


def line(found: Measured, alone: float | None) -> str:
    """What is printed for a class. `alone` is the 95th percentile with one student in ms, if that was measured."""
    text = (
        f"{found.visit:12} {found.students:8} {found.opened:5.0f}ms {found.clicks:7} {found.middle:5.0f}ms"
        f" {found.p95:4.0f}ms {found.cpu:7.1f}ms {found.memory / found.students:11.2f} MB {found.errors:7}"
    )
    if alone and found.students > 1:
        text += f"   p95 {found.p95 / alone:.1f} times that of one student"
    for press, times in filter(itemgetter(1), found.drawn.items()):
        text += f"; {press} drawn after {median(times):.0f} ms, 95 % within {p95(times):.0f}"
    if found.left:
        left = ", ".join(f"{each:+.1f}" for each in found.left)
        text += f"; memory {found.memory:+.1f} MB; after each class had left {left} MB"
    return text


if __name__ == "__main__":
    main()
