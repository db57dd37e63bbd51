"""The class store and the hub of this process, made when they are first needed.

`LAB_DATABASE` names a PostgreSQL for several processes (`postgresql+psycopg://…`). Without it one process keeps its
classes in a SQLite file in the system's folder for temporary files: a class lives a day.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from lab.classroom.errors import DatabaseAwayError
from lessons.classroom import live
from lessons.classroom.store import Store
from lessons.classroom.tries import Tries
from lessons.server.base_path import add_base_path

CLEAN = 3600.0  # seconds between two looks for classes whose time is over
EVENTS = "/class-events"  # followed by the code, and by `/counts` for the instructor's windows
_lock = threading.Lock()


@dataclass(frozen=True)
class Service:
    """What the pages of a class share in one process."""

    store: Store
    hub: live.Hub
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
    hub = live.Hub(lambda code: live.read_news(get_service().store, code))
    store = Store(url, hub.tell)
    if not url.startswith("sqlite"):
        live.Listener(url, hub).start()
    threading.Thread(target=_delete_old, args=(store, hub), name="old-classes", daemon=True).start()
    return Service(store, hub, Tries())


def _delete_old(store: Store, hub: live.Hub) -> None:
    """Once an hour delete the classes whose time is over, and tell who still listens."""
    while True:
        with suppress(DatabaseAwayError):
            store.delete_old()
            hub.tell("")
        time.sleep(CLEAN)


def get_service() -> Service:
    """The one service of this process; threads may ask for it at the same time."""
    with _lock:
        return _make_service()


def _stream(request: Request, *, counts: bool) -> Response:
    return live.respond(get_service().hub, request, counts=counts)


def build_routes() -> list[BaseRoute]:
    """The streams of events."""
    path = add_base_path(EVENTS)
    return [
        Route(f"{path}/{{code:str}}/counts", partial(_stream, counts=True)),
        Route(f"{path}/{{code:str}}", partial(_stream, counts=False)),
    ]
