"""One of several processes that serve one class, behind the proxy of assets/deploy/.

A process that is given a name (``LAB_PROCESS``) tells it to each browser whose websocket it holds, in a cookie; the
proxy sends what this browser asks for to the same process, because uploads and downloads lie in its memory. A process
that dies loses nothing else: the next one rebuilds every page from its address and the browser's own store.
"""

from __future__ import annotations

import os
import re

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lessons.server import warmup

VARIABLE = "LAB_PROCESS"
COOKIE = "lab_process"
READY = "/ready"


def get_process_name() -> str | None:
    """This process's name among several, or None where there is only one. ValueError if a cookie cannot hold it."""
    name = os.environ.get(VARIABLE)
    if name and not re.fullmatch(r"[A-Za-z0-9-]{1,32}", name):
        raise ValueError(f"{VARIABLE} must be 1 to 32 letters, digits or hyphens, not {name!r}")
    return name or None


class StickyProcess:
    """Names the process to the browsers that it serves, and sends everybody elsewhere until it is warm."""

    def __init__(self, app: ASGIApp, name: str) -> None:
        self.app = app
        # No Secure: the proxy may be reached without HTTPS, and the name of a process is no secret.
        self.cookie = f"{COOKIE}={name}; Path=/; HttpOnly; SameSite=Lax"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            # Only the websocket names the process: it is what a session hangs on.
            if message["type"] == "websocket.accept":
                message.setdefault("headers", [])
                MutableHeaders(scope=message).append("Set-Cookie", self.cookie)
            await send(message)

        if scope["type"] in ("http", "websocket") and not scope["path"].endswith(READY) and not warmup.is_warm():
            await PlainTextResponse("warming up", status_code=503)(scope, receive, send)
            return
        await self.app(scope, receive, send_named)


def build_middleware() -> list[Middleware]:
    """Nothing where there is only one process: a learner then reads while the engine is being imported."""
    name = get_process_name()
    return [Middleware(StickyProcess, name=name)] if name else []
