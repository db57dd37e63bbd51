"""The presented window and a second window on another device, in step through the server.

In one browser the two talk directly (presenter.js, follow.js). On two devices each leaves its last word in the store,
and hears the other's as Server-Sent Events. What they say has the notes and the answers in it, so the address has a
secret that follows from the class's key; whoever is only in the class cannot know it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from lab.classroom.errors import DatabaseAwayError, NoSuchClassError
from lessons.classroom import live
from lessons.classroom.patience import keep_trying
from lessons.classroom.store import Store, hash_key
from lessons.classroom.tables import CLASSES, MAX_TOLD, PRESENTED

SIDES = ("first", "second")  # the presented window, and the other one


@dataclass(frozen=True)
class Told(live.News):
    """The last word of each side."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def format(self, *, counts: bool) -> str:
        """The words as JSON."""
        return json.dumps(self.texts) if self.state else super().format(counts=counts)


def derive_secret(key_hash: str) -> str:
    """The secret in the address, from the hash of the class's key."""
    return hash_key(f"presented.{key_hash}")[:32]


class RelayStore(Store):
    """The store of classes, with what their windows tell each other. It is deleted with the class."""

    @keep_trying
    def may_relay(self, code: str, secret: str) -> bool:
        """Does this secret belong to that class?"""
        with self.engine.begin() as connection:
            found = connection.scalar(select(CLASSES.c.key_hash).where(CLASSES.c.code == code))
        return found is not None and secrets.compare_digest(secret.encode(), derive_secret(found).encode())

    @keep_trying
    def tell(self, code: str, side: str, text: str) -> None:
        """Replace the last word of a side. Raises NoSuchClassError."""
        with self._write(code) as connection:
            self._read(connection, code, lock="together")
            put = self._insert(PRESENTED).values(code=code, side=side, text=text)
            connection.execute(
                put.on_conflict_do_update(index_elements=["code", "side"], set_={"text": put.excluded.text})
            )

    @keep_trying
    def get_told(self, code: str) -> Told:
        """The last word of each side; news that the class is over if it is."""
        with self.engine.begin() as connection:
            try:
                state = self._read(connection, code)
            except NoSuchClassError:
                return Told(None)
            rows = connection.execute(select(PRESENTED.c.side, PRESENTED.c.text).where(PRESENTED.c.code == code))
            return Told(state, texts={row.side: row.text for row in rows})


async def respond(store: RelayStore, hub: live.Hub, request: Request) -> Response:
    """GET: the stream of what both say. POST: the new word of a side. 404 for who does not know the secret."""
    code, secret, side = (request.path_params[name] for name in ("code", "secret", "side"))
    try:
        if side not in SIDES or not await asyncio.to_thread(store.may_relay, code, secret):
            return Response(status_code=404)
        if request.method != "POST":
            return live.respond(hub, request, counts=True)
        status = await _take(store, code, side, request)
    except NoSuchClassError:
        status = 404
    except DatabaseAwayError:
        status = 503
    return Response(status_code=status)


async def _take(store: RelayStore, code: str, side: str, request: Request) -> int:
    """Store the word in the request; return the status of the answer."""
    size = request.headers.get("content-length", "")
    text = (await request.body()).decode("utf-8", "replace") if size.isdecimal() and int(size) <= 4 * MAX_TOLD else ""
    if not 0 < len(text) <= MAX_TOLD:
        return 413
    await asyncio.to_thread(store.tell, code, side, text.replace("\0", ""))
    return 204
