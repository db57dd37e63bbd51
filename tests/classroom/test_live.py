"""News reaches whoever listens, once, without what they must not know; nothing is read while nothing happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from lab.classroom.errors import TooManyTriesError
from lab.classroom.phases import ClassState
from lessons.classroom import live
from lessons.classroom.live import Hub, News, read_news, stream_events
from lessons.classroom.store import Store
from lessons.classroom.tries import MAX_WRONG, Tries
from tests.server.event_loop import in_own_loop


class Told:
    """One listener's events as they came."""

    def __init__(self, events: AsyncIterator[str]) -> None:
        self.lines: list[str] = []
        self.more = asyncio.Event()
        self.task = asyncio.create_task(self._listen(events))

    async def _listen(self, events: AsyncIterator[str]) -> None:
        async for line in events:
            self.lines.append(line)
            self.more.set()
        self.more.set()

    @property
    def news(self) -> list[dict[str, object]]:
        """The news among them."""
        return [json.loads(line.removeprefix("data: ")) for line in self.lines if line.startswith("data: ")]

    async def wait(self, fits: Callable[[dict[str, object]], bool]) -> None:
        """Wait for news that fit."""
        async with asyncio.timeout(10):
            while not any(map(fits, self.news)):
                self.more.clear()
                await self.more.wait()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'classes.db'}")


def test_a_phase_reaches_everybody_and_counts_only_the_projector(store: Store) -> None:
    code, key = store.open_class()
    hub = Hub(lambda code: read_news(store, code))
    store._notify = hub.tell

    async def play() -> tuple[list[dict[str, object]], list[dict[str, object]], int]:
        student, projector = (Told(stream_events(hub, code, counts=counts)) for counts in (False, True))
        await student.wait(lambda news: news["phase"] == "lobby")
        await asyncio.to_thread(store.join, code, "p0")
        await projector.wait(lambda news: news["participants"] == 1)
        await asyncio.to_thread(store.take_step, code, key, "ask", "spec with the answer in it")
        await asyncio.to_thread(store.take_step, code, key, "open")
        await student.wait(lambda news: news["phase"] == "first")
        await asyncio.to_thread(lambda: store.vote(code, "p0", 1, 1, answer="3", sure="sure"))
        await projector.wait(lambda news: news["votes"] == 1)
        await asyncio.to_thread(store.end_class, code, key)
        await asyncio.wait_for(asyncio.gather(student.task, projector.task), 10)
        return student.news, projector.news, hub.streams

    student, projector, streams = in_own_loop(play)
    assert all(set(news) <= {"phase", "question"} for news in student)
    assert student[0]["phase"] == "lobby"
    assert [news["phase"] for news in student][-2:] == ["first", "ended"]
    assert projector[-1] == {"phase": "ended"}
    assert streams == 0


def test_a_class_in_which_nothing_happens_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "ALIVE", 0.01)
    reads: list[str] = []

    def read(code: str) -> News:
        reads.append(code)
        return News(ClassState(code, "lobby", 0, ""))

    async def play() -> int:
        hub = Hub(read)
        told = [Told(stream_events(hub, "123456", counts=False)) for _ in range(20)]
        for each in told:
            async with asyncio.timeout(10):
                while sum(line.startswith(":") for line in each.lines) < 5:  # five signs of life
                    each.more.clear()
                    await each.more.wait()
        assert all(len(each.news) == 1 for each in told)
        for each in told:
            each.task.cancel()
        await asyncio.gather(*(each.task for each in told), return_exceptions=True)
        return hub.streams

    assert in_own_loop(play) == 0
    assert reads == ["123456"]


def test_a_database_that_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_RETRY", 0.01)
    answers: list[Exception | News] = [OSError("away"), OSError("away"), News(None)]

    def read(code: str) -> News:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def play() -> list[dict[str, object]]:
        told = Told(stream_events(Hub(read), "123456", counts=True))
        await asyncio.wait_for(told.task, 10)
        return told.news

    assert in_own_loop(play) == [{"phase": "away"}, {"phase": "ended"}]


def test_wrong_codes_are_limited_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("lessons.classroom.tries.time.monotonic", lambda: now[0])
    tries = Tries()
    for _ in range(MAX_WRONG):
        tries.check("10.0.0.1")
        tries.add_wrong("10.0.0.1")
    with pytest.raises(TooManyTriesError) as refusal:
        tries.check("10.0.0.1")
    assert refusal.value.numbers["seconds"] == 61
    tries.check("10.0.0.2")
    now[0] += 60.5
    tries.check("10.0.0.1")
