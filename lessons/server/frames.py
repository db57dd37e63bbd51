"""Other sites may show the lab in a frame only if the operator names their origins.

In a frame of another site a browser sends only cookies marked for that. Without its cookies an upload is refused
(Streamlit's CSRF token is a cookie), and a proxy does not know which process serves the student.
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
_REPLACED = {"samesite", "secure", "partitioned"}  # cookie attributes that are set here


def read_ancestors() -> tuple[str, ...]:
    """Read the allowed origins from the environment variable ``VARIABLE``, where spaces separate them.

    Raises ValueError, with a text for the operator, if one is not an exact origin.
    """
    origins = tuple(os.environ.get(VARIABLE, "").split())
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(
                f"{VARIABLE}: {origin!r} is not an exact origin. Write each page that may hold the lab in a frame as "
                "https://host or https://host:port, in lower case, without a path or a wildcard (or as "
                "http://localhost:port), with spaces in between."
            )
    return origins


def allow_in_frame(cookie: str) -> str:
    """Return this Set-Cookie value with the attributes that a frame of another site needs.

    The browser then keeps one cookie per embedding site, and sends it over HTTPS only (or to localhost).
    """
    parts = [part.strip() for part in cookie.split(";")]
    others = [part for part in parts if part.partition("=")[0].lower() not in _REPLACED]
    return "; ".join((*others, "SameSite=None", "Secure", "Partitioned"))


class FramedCookies:
    """Makes every cookie of the server work in a frame of another site."""

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
    """Empty if no frame is allowed. It must be outside of all middleware that sets a cookie."""
    return [Middleware(FramedCookies)] if read_ancestors() else []
