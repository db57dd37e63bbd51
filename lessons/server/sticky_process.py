"""One of several processes that serve a class together, behind the proxy of assets/deploy/.

A process with a name (``LAB_PROCESS``) sends it in a cookie when it accepts a websocket. The proxy then sends all
requests of this browser to the same process, because uploads and downloads lie in its memory. If a process dies, only
these are lost: another process rebuilds every page from its address and the browser's storage.
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
    """The name of this process among several; None for a single process. Raises ValueError if it is no cookie value."""
    name = os.environ.get(VARIABLE)
    if name and not re.fullmatch(r"[A-Za-z0-9-]{1,32}", name):
        raise ValueError(f"{VARIABLE} must be 1 to 32 letters, digits or hyphens, not {name!r}")
    return name or None


class StickyProcess:
    """Sends the process's name to the browsers that it serves. Until it is warm it answers 503, so the proxy tries
    another process."""

    def __init__(self, app: ASGIApp, name: str) -> None:
        self.app = app
        # Not Secure: the proxy may be used without HTTPS, and the name of a process is no secret.
        self.cookie = f"{COOKIE}={name}; Path=/; HttpOnly; SameSite=Lax"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            # Only the websocket sets the cookie: the session belongs to the process that holds the websocket.
            if message["type"] == "websocket.accept":
                message.setdefault("headers", [])
                MutableHeaders(scope=message).append("Set-Cookie", self.cookie)
            await send(message)

        if scope["type"] in ("http", "websocket") and not scope["path"].endswith(READY) and not warmup.is_warm():
            await PlainTextResponse("warming up", status_code=503)(scope, receive, send)
            return
        await self.app(scope, receive, send_named)


def build_middleware() -> list[Middleware]:
    """Empty for a single process: there a learner can read a page while the engine is being imported."""
    name = get_process_name()
    return [Middleware(StickyProcess, name=name)] if name else []
