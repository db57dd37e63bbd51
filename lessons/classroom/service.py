"""The class store and the hub of this process, made when they are first needed.

`LAB_DATABASE` names a PostgreSQL for several processes (`postgresql+psycopg://…`). Without it one process keeps its
classes in a SQLite file in the system's folder for temporary files: a class lives a day.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from lab.classroom.errors import DatabaseAwayError
from lessons.classroom import live, relay
from lessons.classroom.store import Store, hash_key
from lessons.classroom.tries import Tries
from lessons.server.base_path import add_base_path

CLEAN = 3600.0  # seconds between two looks for classes whose time is over
EVENTS = "/class-events"  # followed by the code, and for the instructor's windows by `/counts` or `/presented/…`
_lock = threading.Lock()


@dataclass(frozen=True)
class Service:
    """What the pages of a class share in one process."""

    store: relay.RelayStore
    hub: live.Hub
    presented: live.Hub  # what the windows of an instructor tell each other
    tries: Tries


def get_database() -> str:
    """The address of the database."""
    if named := os.environ.get("LAB_DATABASE", ""):
        return named
    folder = Path(tempfile.gettempdir()) / f"paged-kv-lab-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return f"sqlite:///{folder / 'classes.db'}"


@cache
def _make_service() -> Service:
    url = get_database()

    def tell(code: str) -> None:
        for each in (hub, presented):
            each.tell(code)

    store = relay.RelayStore(url, tell)
    hub, presented = live.Hub(partial(live.read_news, store)), live.Hub(store.get_told)
    if not url.startswith("sqlite"):
        live.Listener(url, tell).start()
    threading.Thread(target=_delete_old, args=(store, tell), name="old-classes", daemon=True).start()
    return Service(store, hub, presented, Tries())


def _delete_old(store: Store, tell: Callable[[str], None]) -> None:
    """Once an hour delete the classes whose time is over, and tell who still listens."""
    while True:
        with suppress(DatabaseAwayError):
            store.delete_old()
            tell("")
        time.sleep(CLEAN)


def get_service() -> Service:
    """The one service of this process; threads may ask for it at the same time."""
    with _lock:
        return _make_service()


def _stream(request: Request, *, counts: bool) -> Response:
    return live.respond(get_service().hub, request, counts=counts)


async def _relay(request: Request) -> Response:
    service = get_service()
    return await relay.respond(service.store, service.presented, request)


def find_relay(code: str, key: str) -> str:
    """Where this class's windows tell each other what is presented; relative to the page. A side follows."""
    return f"{EVENTS.strip('/')}/{code}/presented/{relay.derive_secret(hash_key(key))}"


def build_routes() -> list[BaseRoute]:
    """The streams of events."""
    path = add_base_path(EVENTS)
    return [
        Route(f"{path}/{{code:str}}/presented/{{secret:str}}/{{side:str}}", _relay, methods=["GET", "POST"]),
        Route(f"{path}/{{code:str}}/counts", partial(_stream, counts=True)),
        Route(f"{path}/{{code:str}}", partial(_stream, counts=False)),
    ]
