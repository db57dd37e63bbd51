"""Two processes of the lab behind the nginx of assets/deploy/; one is killed while a class works."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest
from websockets.exceptions import WebSocketException

from lessons.server.sticky_process import COOKIE, VARIABLE
from tests.browser.idle import wait_until_idle
from tests.browser.served import Server, running
from tests.browser.steps import COMMITTED, OPERATIONS, operations, outcomes, press, sentence
from tests.load.student import Student, StudentError
from tests.server.deployed import proxy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.once, pytest.mark.thorough]
NAMES = ("one", "two")
DONE = (0, 2, 3)  # how many operations each student in a browser has run when the process dies
OTHERS = 6  # students without a browser


@dataclass(frozen=True)
class Class:
    """The address that students use, and the processes behind it by name."""

    url: str
    processes: dict[str, Server]


@pytest.fixture
def behind_nginx(tmp_path: Path) -> Iterator[Class]:
    with ExitStack() as stack, ThreadPoolExecutor(len(NAMES)) as threads:
        servers = [running("app.py", tmp_path / f"{name}.log", **{VARIABLE: name}) for name in NAMES]
        started = [threads.submit(stack.enter_context, server) for server in servers]
        processes = dict(zip(NAMES, [each.result() for each in started], strict=True))
        ports = [int(server.url.rpartition(":")[2]) for server in processes.values()]
        yield Class(stack.enter_context(proxy(tmp_path / "nginx", *ports)), processes)


@pytest.fixture
def come(chromium: Browser, behind_nginx: Class) -> Iterator[Callable[[], Page]]:
    """A student in a browser of his own, before the task with a committed prediction."""
    with ExitStack() as stack:

        def open_browser() -> Page:
            context = chromium.new_context(locale="en-US")
            stack.callback(context.close)
            page = context.new_page()
            page.goto(behind_nginx.url + COMMITTED)
            wait_until_idle(page)
            return page

        yield open_browser


def process_of(page: Page) -> str:
    """The process that holds the page's websocket."""
    return next((cookie["value"] for cookie in page.context.cookies() if cookie["name"] == COOKIE), "")


def seen(page: Page) -> tuple[list[str], list[str], str]:
    """What a student would miss: the operations in the address, what was predicted and came, the picture."""
    return operations(page), outcomes(page).all_text_contents(), sentence(page)


# ------------------------------------------------------------------ the others


@dataclass
class Others:
    """Students who speak the protocol and draw nothing; each goes through the task over and over."""

    port: int
    clicks: int = 0
    came_back: int = 0
    wrong: list[str] = field(default_factory=list)
    stop: Event = field(default_factory=Event)
    _changed: Condition = field(default_factory=Condition)

    def wait_for_clicks(self, count: int, seconds: float = 60.0) -> None:
        """Wait until they have clicked so often in all, or something has gone wrong."""
        with self._changed:
            assert self._changed.wait_for(lambda: self.clicks >= count or self.wrong, seconds)

    def went_wrong(self, told: str) -> None:
        """Keep what has gone wrong; everybody stops then."""
        with self._changed:
            self.wrong.append(told)
            self._changed.notify_all()

    async def work(self) -> None:
        await asyncio.gather(*(self._student() for _ in range(OTHERS)))

    async def _student(self) -> None:
        start = COMMITTED.partition("?")[2]
        student, is_open = Student(self.port, "task", start), False
        while not self.stop.is_set() and not self.wrong:
            try:
                if not is_open:
                    await student.open()
                    is_open = True
                # Who comes back may have been told of his last operation, and not that the page was complete.
                if self._operations(student) != OPERATIONS:
                    await self._click(student)
                else:
                    await student.close()
                    student, is_open = Student(self.port, "task", start), False
            except (WebSocketException, OSError):
                self.came_back += 1
                student, is_open = Student(self.port, "task", student.query), False  # his link is all that he has
            except StudentError as error:
                self.went_wrong(repr(error))
        await student.close()

    async def _click(self, student: Student) -> None:
        done = self._operations(student)
        sent = {"id": OPERATIONS[len(done)], "index": len(done), "serial": f"{id(student)}-{len(done)}"}
        await student.trigger("operations", "press", sent)
        if self._operations(student) != OPERATIONS[: len(done) + 1]:
            self.went_wrong(f"{done} and {sent} gave {student.query}")
        with self._changed:
            self.clicks += 1
            self._changed.notify_all()

    def _operations(self, student: Student) -> tuple[str, ...]:
        return tuple(filter(None, parse_qs(student.query)["run"][0].split("_")[2].split(".")))


@contextmanager
def others_working(url: str) -> Iterator[Others]:
    """In a thread, for the time of the block; raises what went wrong in there."""
    others = Others(int(url.rpartition(":")[2]))
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(asyncio.run, others.work())
        working.add_done_callback(lambda done: others.went_wrong(repr(done.exception())) if done.exception() else None)
        try:
            yield others
        finally:
            others.stop.set()
            working.result()


# ------------------------------------------------------------------ the test


def test_a_process_dies_and_every_student_goes_on(behind_nginx: Class, come: Callable[[], Page]) -> None:
    pages = [come() for _ in DONE]
    homes = [process_of(page) for page in pages]
    assert set(homes) == set(NAMES), "newcomers are spread evenly"
    for page, done in zip(pages, DONE, strict=True):
        for operation in OPERATIONS[:done]:
            press(page, operation)
        wait_until_idle(page)
    known = [seen(page) for page in pages]

    with others_working(behind_nginx.url) as others:
        others.wait_for_clicks(2 * OTHERS)
        dead, alive = homes[0], next(name for name in NAMES if name != homes[0])
        with ExitStack() as connected_again:
            for page, home in zip(pages, homes, strict=True):
                if home == dead:
                    connected_again.enter_context(page.expect_websocket(timeout=60_000))
            os.kill(behind_nginx.processes[dead].pid, signal.SIGKILL)
        for page in pages:
            wait_until_idle(page)
        assert {process_of(page) for page in pages} == {alive}
        assert [seen(page) for page in pages] == known, "nothing is lost"
        for page in pages:
            so_far = operations(page)
            press(page, OPERATIONS[len(so_far)])
            wait_until_idle(page)
            assert operations(page) == list(OPERATIONS[: len(so_far) + 1])
            assert seen(page)[1:] != known[pages.index(page)][1:]
        clicks = others.clicks
        others.wait_for_clicks(clicks + OTHERS)
    assert others.wrong == []
    assert 0 < others.came_back <= OTHERS, "once each, and only those of the dead process"
