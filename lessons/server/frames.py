"""Pages of other origins that may hold the lab in a frame: none, unless the operator names them.

In a frame of another site a browser sends only cookies that say so themselves. Without them an upload is refused
(Streamlit's token against forged requests is a cookie), and a proxy does not know which process a student belongs to.
"""

from __future__ import annotations

import os
import re

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

VARIABLE = "LAB_FRAME_ANCESTORS"
_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_ORIGIN = re.compile(rf"(https://{_LABEL}(\.{_LABEL})*|http://(localhost|127\.0\.0\.1))(:[1-9][0-9]{{0,4}})?")
_OURS_TO_SAY = {"samesite", "secure", "partitioned"}


def read_ancestors() -> tuple[str, ...]:
    """The origins named in the environment, separated by spaces. ValueError, to be shown, for anything else."""
    named = tuple(os.environ.get(VARIABLE, "").split())
    for origin in named:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{VARIABLE}: {origin!r} is not an exact origin. Write each page that may hold the lab in a frame as "
                "https://host or https://host:port, in lower case, without a path or a wildcard (or as "
                "http://localhost:port), with spaces in between."
            )
    return named


def allow_in_frame(cookie: str) -> str:
    """A Set-Cookie that a browser also keeps in a frame of another site, apart for each site that holds the frame.

    It is not sent without HTTPS (a browser makes an exception for localhost).
    """
    parts = [part.strip() for part in cookie.split(";")]
    kept = [part for part in parts if part.partition("=")[0].lower() not in _OURS_TO_SAY]
    return "; ".join((*kept, "SameSite=None", "Secure", "Partitioned"))


class FramedCookies:
    """Has every cookie of the server work in a frame."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_framed(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.accept") and "headers" in message:
                headers = MutableHeaders(scope=message)
                cookies = headers.getlist("set-cookie")
                del headers["set-cookie"]
                for cookie in cookies:
                    headers.append("set-cookie", allow_in_frame(cookie))
            await send(message)

        await self.app(scope, receive, send_framed)


def build_middleware() -> list[Middleware]:
    """Nothing where no frame is allowed. Stands outside of everything that sets a cookie."""
    return [Middleware(FramedCookies)] if read_ancestors() else []
