"""A class that answers together, measured: all join, all vote, and the projector counts.

Printed: seconds until the last one is in, and until everybody sees the form of a vote that is opened; of the votes
the median and the 95th percentile in milliseconds from the press to "sent"; votes lost and doubled (the store against
what was said to be sent); how far the projector's count was behind the last "sent"; and how busy the server is while
everybody listens and nothing happens.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from lessons.classroom.store import Store
from tests.browser.served import running
from tests.load.measures import cpu_seconds, p95
from tests.load.student import Student

JOIN_SECONDS, VOTE_SECONDS = 5.0, 3.0
IDLE_SECONDS = 20.0
SPEC = "quiz.q.blocks.17.4.easy"


@dataclass
class Listener:
    """A browser's stream of events: all of it, the newest news, and when each count came."""

    heard: list[bytes] = field(default_factory=list)
    news: dict[str, object] = field(default_factory=dict)
    counted: dict[int, float] = field(default_factory=dict)

    async def listen(self, port: int, path: str) -> None:
        """Listen until cancelled."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        try:
            while line := await reader.readline():
                self.heard.append(line)
                if line.startswith(b"data: "):
                    self.news = json.loads(line[6:])
                    self.counted.setdefault(int(str(self.news.get("votes", 0))), time.perf_counter())
        finally:
            writer.close()

    async def wait(self, phase: str) -> None:
        """Wait for a phase."""
        async with asyncio.timeout(60):
            while self.news.get("phase") != phase:
                await asyncio.sleep(0.02)


async def _see_form(student: Student, listener: Listener) -> float:
    await listener.wait("first")
    return await student.draw()


async def _vote(student: Student, answer: int) -> float:
    (field_key,) = (key for key, _ in student.shown("text_input"))
    ((sure_key, radio),) = student.shown("radio")
    await asyncio.sleep(random.random() * VOTE_SECONDS)
    student.fill(field_key, string_value=str(answer))
    student.fill(sure_key, string_value=radio.options[answer % 3])
    return await student.press("vote_send")


async def _play(url: str, pid: int, store: Store, size: int) -> str:
    port = urlsplit(url).port or 80
    code, key = store.open_class()
    students = [Student(port, "join", f"class={code}&lang=en") for _ in range(size)]  # as if all had scanned the code
    start = time.perf_counter()

    async def come(student: Student) -> float:
        await asyncio.sleep(random.random() * JOIN_SECONDS)
        begin = time.perf_counter()
        await student.open()
        return time.perf_counter() - begin

    joining = await asyncio.gather(*map(come, students))
    joined = time.perf_counter() - start
    projector, phones = Listener(), [Listener() for _ in students]
    streams = [asyncio.create_task(projector.listen(port, f"/class-events/{code}/counts"))]
    streams += [asyncio.create_task(phone.listen(port, f"/class-events/{code}")) for phone in phones]
    leader = Student(port, "class", "lang=en")
    await leader.open()
    await leader.trigger("class_events", "key", f"{code}.{key}")
    before, slept = cpu_seconds(pid), IDLE_SECONDS
    await asyncio.sleep(slept)
    idle = cpu_seconds(pid) - before
    store.take_step(code, key, "ask", SPEC)
    await leader.draw()
    await leader.press("class_open")
    opened = time.perf_counter()
    await asyncio.gather(*(_see_form(student, phone) for student, phone in zip(students, phones, strict=True)))
    drawn = time.perf_counter() - opened
    sent = await asyncio.gather(*(_vote(student, i) for i, student in enumerate(students)))
    last = time.perf_counter()
    async with asyncio.timeout(30):
        while size not in projector.counted:
            await asyncio.sleep(0.01)
    behind = max(0.0, projector.counted[size] - last)
    votes = store.get_votes(code, key, 1)
    people = {vote.participant for vote in votes}
    lost, doubled = size - len(people), len(votes) - len(people)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*(student.close() for student in (*students, leader)))
    return (
        f"class {size:8}  all in {joined:4.1f}s (join {1000 * median(joining):.0f}ms, p95 {1000 * p95(joining):.0f}ms)"
        f"  all see the form {drawn:.1f}s  sent {1000 * median(sent):.0f}ms, p95 {1000 * p95(sent):.0f}ms"
        f"  lost {lost}  doubled {doubled}  projector {1000 * behind:.0f}ms behind"
        f"  idle {100 * idle / slept:.1f}% of a core"
    )


def measure(size: int) -> str:
    """One class of this size on a server of its own, with a SQLite file."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder) / 'classes.db'}"
        with running("app.py", Path(folder) / "log.txt", LAB_DATABASE=database) as server:
            return asyncio.run(_play(server.url, server.pid, Store(database), size))
