"""Two processes behind nginx with one PostgreSQL: one is killed in a vote, then PostgreSQL is restarted."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import WebSocketException

from lessons.classroom.store import Store
from lessons.text.translations import get_translations
from tests.browser.served import Server, running
from tests.classroom.databases import Cluster, running_cluster
from tests.load.classroom import Listener
from tests.load.student import Student
from tests.server.deployed import proxy
from tests.server.event_loop import in_own_loop

pytestmark = pytest.mark.thorough
EN = get_translations("en")
SIZE = 18
KILLED_AFTER, RESTARTED_AFTER = 6, 12  # votes
APART = 0.15  # seconds between two votes


def get_port(url: str) -> int:
    return urlsplit(url).port or 80


class Phone:
    """A student whose browser connects again whenever its line is lost, with the same record."""

    def __init__(self, port: int, code: str, number: int) -> None:
        self.port, self.code, self.number = port, code, f"{number:024x}"
        self.listener = Listener()
        self.student: Student | None = None
        self.reconnected = 0

    async def connect(self) -> Student:
        record: dict[str, object] = {"class_number": self.number, "class_joined": self.code}
        student = Student(self.port, "join", "lang=en", record)
        await student.open()
        return student

    async def listen(self) -> None:
        """As an EventSource does: again and again."""
        while True:
            await self.listener.listen(self.port, f"/class-events/{self.code}")
            await asyncio.sleep(0.2)

    async def vote(self, answer: int) -> None:
        """Send until the page says "sent"."""

        async def send(student: Student) -> None:
            ((key, _),) = student.shown("text_input")
            ((sure, radio),) = student.shown("radio")
            student.fill(key, string_value=str(answer))
            student.fill(sure, string_value=radio.options[0])
            await student.press("vote_send")

        await self.reach(EN.text("classroom.sent", answer=answer), send)

    async def reach(self, text: str, act: Callable[[Student], Awaitable[object]]) -> None:
        """Act until the page says so. A page that shows an exception fails the test."""
        async with asyncio.timeout(90):
            while self.student is None or text not in self.student.alerts:
                try:
                    if self.student is None:
                        self.student = await self.connect()
                    else:
                        await act(self.student)
                except (OSError, WebSocketException):
                    self.student = None
                    self.reconnected += 1
                    await asyncio.sleep(0.1)


async def play(url: str, killed: Server, cluster: Cluster, store: Store) -> int:
    """Everybody votes, one after another, through both faults. How many had to connect again."""
    code, key = store.open_class()
    phones = [Phone(get_port(url), code, number) for number in range(SIZE)]
    for phone in phones:
        store.join(code, phone.number)
    store.take_step(code, key, "ask", "quiz.q.blocks.17.4.easy")
    listening = [asyncio.create_task(phone.listen()) for phone in phones]
    await asyncio.gather(*(phone.listener.wait("read") for phone in phones))
    store.take_step(code, key, "open")
    await asyncio.gather(*(phone.listener.wait("first") for phone in phones))
    for phone in phones:
        phone.student = await phone.connect()
    voting = []
    for number, phone in enumerate(phones):
        voting.append(asyncio.create_task(phone.vote(number % 5)))
        if number == KILLED_AFTER:
            os.kill(killed.pid, signal.SIGKILL)
        if number == RESTARTED_AFTER:
            await asyncio.gather(*voting)
            restart = asyncio.create_task(asyncio.to_thread(cluster.control, "restart", "-m", "fast"))
        await asyncio.sleep(APART)
    await asyncio.gather(*voting)
    await restart
    answers = {vote.participant: vote.answer for vote in store.get_votes(code, key, 1)}
    assert answers == {phone.number: str(number % 5) for number, phone in enumerate(phones)}
    store.take_step(code, key, "close")
    await asyncio.gather(*(phone.listener.wait("closed") for phone in phones))
    for phone in phones:  # everybody goes on
        await phone.reach(EN.text("classroom.sent_closed", answer=answers[phone.number]), Student.draw)
    for task in listening:
        task.cancel()
    return sum(phone.reconnected > 0 for phone in phones)


def test_a_killed_process_and_a_restarted_database_lose_no_vote(tmp_path: Path) -> None:
    with ExitStack() as stack:
        cluster = stack.enter_context(running_cluster())
        one, two = (
            stack.enter_context(running("app.py", tmp_path / f"{name}.txt", LAB_DATABASE=cluster.url, LAB_PROCESS=name))
            for name in ("one", "two")
        )
        url = stack.enter_context(proxy(tmp_path / "nginx", get_port(one.url), get_port(two.url)))
        store = Store(cluster.url)
        stack.callback(store.engine.dispose)
        reconnected = in_own_loop(partial(play, url, one, cluster, store))
    assert 0 < reconnected < SIZE
