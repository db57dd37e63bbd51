"""Two processes of the lab with one PostgreSQL: one is killed in a vote, then every connection to PostgreSQL is cut."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine, text

from lessons.classroom.store import Store
from tests.browser.served import running
from tests.classroom.databases import POSTGRES, postgres

pytestmark = pytest.mark.thorough


def cut_everybody_off() -> None:
    """What a restart of PostgreSQL does to those who use it."""
    engine = create_engine(POSTGRES)
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))
    engine.dispose()


def follow(lines: Iterator[str], **wanted: object) -> None:
    """Read events until one holds these values."""
    for line in lines:
        if line.startswith("data: "):
            news = json.loads(line.removeprefix("data: "))
            if all(news.get(name) == value for name, value in wanted.items()):
                return
    raise AssertionError(wanted)


def test_a_killed_process_and_a_cut_database_lose_no_vote(tmp_path: Path) -> None:
    with ExitStack() as stack:
        url = stack.enter_context(postgres())
        one, two = (
            stack.enter_context(running("app.py", tmp_path / f"{name}.txt", LAB_DATABASE=url, LAB_PROCESS=name))
            for name in ("one", "two")
        )
        store = Store(url)
        stack.callback(store.engine.dispose)
        code, key = store.open_class()
        for number in range(40):
            store.join(code, f"p{number}")
        store.take_step(code, key, "ask", "quiz.q.blocks.17.4.easy")
        streams = []
        for server in (one, two):
            answer = stack.enter_context(
                httpx.stream("GET", f"{server.url}/class-events/{code}/counts", timeout=60, trust_env=False)
            )
            streams.append(answer.iter_lines())
        store.take_step(code, key, "open")
        for lines in streams:
            follow(lines, phase="first", participants=40, votes=0)

        def vote(first: int, last: int) -> None:
            for number in range(first, last):
                store.vote(code, f"p{number}", 1, 1, answer="3", sure="think")

        vote(0, 20)
        os.kill(one.pid, signal.SIGKILL)
        vote(20, 30)
        follow(streams[1], votes=30)
        cut_everybody_off()
        vote(30, 40)
        follow(streams[1], votes=40)
        store.take_step(code, key, "close")
        follow(streams[1], phase="closed")
        assert len(store.get_votes(code, key, 1)) == 40
