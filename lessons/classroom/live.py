"""News of a class, pushed to the browsers of this process: one read of the store for each change, whoever listens.

Everybody who is in the class may know the phase and the number of the question, and nothing else. Only the
instructor's windows get the counts. A class in which nothing happens costs nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import psycopg
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from lab.classroom.errors import NoSuchClassError
from lab.classroom.phases import ClassState, Counts
from lessons.classroom.store import CHANNEL, Store

_log = logging.getLogger(__name__)

QUIET = 0.1  # seconds between two pushes to one class: a hundred votes in that time are one push
ALIVE = 25.0  # seconds between two signs of life, so that a proxy does not take the stream for dead
MAX_STREAMS = 1200  # in one process
_RETRY = 1.0  # seconds until the database is asked again after it was lost


@dataclass(frozen=True)
class News:
    """What a change left. Without a state the class is over, or `is_away`: the database does not answer."""

    state: ClassState | None
    counts: Counts | None = None
    is_away: bool = False

    @property
    def is_last(self) -> bool:
        """Is the class over?"""
        return self.state is None and not self.is_away

    def format(self, *, counts: bool) -> str:
        """The news as JSON, with the counts only for the instructor's windows."""
        if self.state is None:
            return json.dumps({"phase": "away" if self.is_away else "ended"})
        told: dict[str, object] = {"phase": self.state.phase, "question": self.state.question}
        if counts and self.counts is not None:
            told |= {
                "participants": self.counts.participants,
                "votes": self.counts.votes,
                "voted_at": self.counts.voted_at,
            }
        return json.dumps(told)


class _Room:
    """The listeners of one class, each an event that is set when `latest` is new.

    Those who get no counts are not woken for a vote: two hundred phones would wake ten times a second.
    """

    def __init__(self) -> None:
        self.latest: News | None = None
        self.listeners: dict[asyncio.Event, bool] = {}  # does it get the counts?
        self.changed = asyncio.Event()  # the store may hold something new
        self.changed.set()

    async def keep_reading(self, read: Callable[[], News]) -> None:
        """Read after each change, tell everybody, then be quiet for a moment."""
        while True:
            await self.changed.wait()
            self.changed.clear()
            before = self.latest
            try:
                self.latest = await asyncio.to_thread(read)
            except Exception:  # the database is away: asked again here, and not by each who listens
                if before is None or not before.is_away:
                    _log.exception("the state of a class cannot be read")
                self.latest = News(None, is_away=True)
            only_counted = before is not None and before.state == self.latest.state and not before.is_away
            for listener, counts in self.listeners.items():
                if counts or not only_counted:
                    listener.set()
            if self.latest.is_away:
                self.changed.set()
            await asyncio.sleep(_RETRY if self.latest.is_away else QUIET)


class Hub:
    """Passes news from the store to the streams. `tell` may be called by any thread; the rest belongs to one loop."""

    def __init__(self, read: Callable[[str], News]) -> None:
        self._read = read
        self._rooms: dict[str, _Room] = {}
        self._readers: dict[str, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.streams = 0

    def tell(self, code: str) -> None:
        """Something may have changed in this class; an empty code means: in any class."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the server is stopping
                self._loop.call_soon_threadsafe(self._wake, code)

    def _wake(self, code: str) -> None:
        rooms = [self._rooms[code]] if code in self._rooms else [] if code else self._rooms.values()
        for room in rooms:
            room.changed.set()

    async def follow(self, code: str, *, counts: bool) -> AsyncIterator[News | None]:
        """The news of a class, the present state first. None is a sign of life. Ends when the class has ended."""
        self._loop = asyncio.get_running_loop()
        if code not in self._rooms:
            self._rooms[code] = _Room()
            read = partial(self._read, code)
            self._readers[code] = asyncio.create_task(self._rooms[code].keep_reading(read))
        room, listener = self._rooms[code], asyncio.Event()
        if room.latest is not None:
            listener.set()
        room.listeners[listener] = counts
        self.streams += 1
        try:
            while room.latest is None or not room.latest.is_last or listener.is_set():
                try:
                    await asyncio.wait_for(listener.wait(), ALIVE)
                except TimeoutError:
                    yield None
                    continue
                listener.clear()
                yield room.latest
        finally:
            self.streams -= 1
            room.listeners.pop(listener, None)
            if not room.listeners and self._rooms.get(code) is room:
                del self._rooms[code]
                self._readers.pop(code).cancel()


def read_news(store: Store, code: str) -> News:
    """What a class has come to; a class that is over, or never was, has ended."""
    try:
        return News(store.get_state(code), store.count(code))
    except NoSuchClassError:
        return News(None)


async def stream_events(hub: Hub, code: str, *, counts: bool) -> AsyncIterator[str]:
    """The class's news as Server-Sent Events. What a listener knows already is not sent again."""
    yield "retry: 1000\n\n"
    told = ""
    async for news in hub.follow(code, counts=counts):
        if news is None:
            yield ": alive\n\n"
        elif (text := news.format(counts=counts)) != told:
            told = text
            yield f"data: {text}\n\n"


def respond(hub: Hub, request: Request, *, counts: bool) -> Response:
    """The stream for a browser in the class; 503 if the process has as many streams as it can hold."""
    if hub.streams >= MAX_STREAMS:
        return PlainTextResponse("too many", status_code=503, headers={"Retry-After": "5"})
    events = stream_events(hub, request.path_params["code"], counts=counts)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx passes each event on at once
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


class Listener(threading.Thread):
    """Passes on what other processes have written into PostgreSQL. After a lost connection everybody looks again."""

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        super().__init__(name="class-listener", daemon=True)
        self._address = url.replace("+psycopg", "", 1)
        self._tell = tell
        self._stopped = threading.Event()

    def run(self) -> None:
        """Listen until the process ends."""
        while not self._stopped.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._tell("")
                    for notice in connection.notifies():
                        self._tell(notice.payload)
            except psycopg.Error as problem:
                _log.warning("PostgreSQL is away: %s", problem)
            self._stopped.wait(_RETRY)
