"""Windows on two devices hear each other through the server, and nobody else hears them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lessons.classroom import relay
from lessons.classroom.live import Hub, stream_events
from lessons.classroom.relay import RelayStore
from lessons.classroom.service import find_relay
from lessons.classroom.tables import MAX_TOLD
from lessons.server.asset_files import read_assets
from tests.classroom.databases import postgres
from tests.classroom.test_live import Told
from tests.server.event_loop import in_own_loop


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RelayStore]:
    if request.param == "sqlite":
        yield RelayStore(f"sqlite:///{tmp_path / 'classes.db'}")
        return
    with postgres() as url:
        made = RelayStore(url)
        yield made
        made.engine.dispose()


def test_each_side_hears_the_last_word_of_the_other(store: RelayStore) -> None:
    """At once, also who comes later; with the class everything goes."""
    code, key = store.open_class()
    hub = Hub(store.get_told)
    store._notify = hub.tell

    async def play() -> list[dict[str, object]]:
        listener = Told(stream_events(hub, code, counts=True))
        await listener.wait(lambda news: news == {})
        await asyncio.to_thread(store.tell, code, "first", '{"place": "1"}')
        await asyncio.to_thread(store.tell, code, "first", '{"place": "2"}')
        await listener.wait(lambda news: "2" in str(news.get("first")))
        await asyncio.to_thread(store.tell, code, "second", '{"presses": []}')
        await listener.wait(lambda news: set(news) == {"first", "second"})
        await asyncio.to_thread(store.end_class, code, key)
        await asyncio.wait_for(listener.task, 10)
        return listener.news

    news = in_own_loop(play)
    assert json.loads(str(news[-2]["first"])) == {"place": "2"}
    assert news[-1] == {"phase": "ended"}
    assert store.get_told(code).texts == {}


def test_the_browser_and_the_server_have_one_limit() -> None:
    """A longer word would be refused, and the other window would hear nothing."""
    assert f"const MAX_TOLD = {MAX_TOLD:_};" in read_assets("lib/relay.js")


def test_only_who_has_the_key_can_speak_and_listen(tmp_path: Path) -> None:
    store = RelayStore(f"sqlite:///{tmp_path / 'classes.db'}")
    hub = Hub(store.get_told)
    code, key = store.open_class()
    other, _ = store.open_class()

    async def answer(request: Request) -> Response:
        return await relay.respond(store, hub, request)

    routes = [Route("/class-events/{code}/presented/{secret}/{side}", answer, methods=["GET", "POST"])]
    right = find_relay(code, key)
    assert key not in right
    wrong = (
        right.replace(code, other),
        right.replace(code, "x"),
        f"{right[:-1]}ü",
        right[:-1] + ("1" if right[-1] == "0" else "0"),
    )

    async def ask() -> list[int]:
        transport = ASGITransport(Starlette(routes=routes))
        async with AsyncClient(transport=transport, base_url="http://lab") as client:
            got = [await client.get(f"/{address}/first") for address in (*wrong, right.replace("/pre", "/x/pre"))]
            got += [await client.post(f"/{address}/first", content=b"{}") for address in wrong]
            got += [await client.post(f"/{right}/third", content=b"{}")]
            for content in (b"{}", b"", b"x" * (MAX_TOLD + 1), b"\xff\x00"):
                got.append(await client.post(f"/{right}/first", content=content))
        return [each.status_code for each in got]

    assert in_own_loop(ask) == [404] * 10 + [204, 413, 413, 204]
    assert store.get_told(code).texts == {"first": "\N{REPLACEMENT CHARACTER}"}
    assert store.get_told(other).texts == {}
