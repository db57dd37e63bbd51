"""What the lab answers to everybody, and what it refuses: headers, websockets of other pages, floods of uploads."""

from __future__ import annotations

import base64
import hashlib
import logging
from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import Runtime

from lessons.server import frames, index_page

_log = logging.getLogger(__name__)

UPLOADS = "/_stcore/upload_file/"
MAX_HELD = 200 * 1024 * 1024  # bytes of uploads that one process holds, of everybody together
_MOST_LOGGED = 100  # pairs of origin and host; anybody may send any
_LOCAL = {"localhost", "127.0.0.1", "0.0.0.0"}
# What a page of the lab never asks for. Writing the clipboard stays allowed: a button copies the link.
_NEVER = "accelerometer camera clipboard-read display-capture geolocation gyroscope hid idle-detection magnetometer "
_NEVER += "microphone midi payment publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking"


# ------------------------------------------------------------------ the policy


class _InlineScripts(HTMLParser):
    """Collects the text of every script element that has no src."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and "src" not in dict(attrs)
        if self._inside:
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        self._inside = False


def _hash_script(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def build_content_security_policy(index_html: str, ancestors: tuple[str, ...] = ()) -> str:
    """The policy for a page whose inline scripts are those of ``index_html``, and no others; who may frame it.

    Each source was left out once in a real Chromium; what is here is what then broke a page or was reported.
    """
    parser = _InlineScripts()
    parser.feed(index_html)
    hashes = " ".join(_hash_script(text) for text in parser.scripts)
    return "; ".join(
        (
            "default-src 'none'",
            # blob: is how Streamlit loads a component's module; its protobuf library counts 64 bits in wasm.
            f"script-src 'self' blob: 'wasm-unsafe-eval' {hashes}".rstrip(),
            # Emotion's style elements, Plotly's style attributes.
            "style-src 'self' 'unsafe-inline'",
            # The code of a link as a picture; one of KaTeX's fonts.
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors " + (" ".join(ancestors) or "'none'"),
            "object-src 'none'",
        )
    )


def build_headers() -> dict[str, str]:
    """The headers of every response, with the policy for the lab's index.html and the frames that are allowed."""
    ancestors = frames.read_ancestors()
    return {
        "Content-Security-Policy": build_content_security_policy(index_page.build_html(), ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        # It knows no list of origins; the policy alone decides then.
        **({} if ancestors else {"X-Frame-Options": "DENY"}),
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _NEVER.split()),
    }


# ------------------------------------------------------------------ middleware


class SecurityHeaders:
    """Adds the same security headers to every response, the failed ones and refused websockets too."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]) -> None:
        self.app = app
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                started = True
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            # Starlette answers an unhandled error outside of all middleware, without these headers: answer first.
            # The error goes on its way to the log.
            if scope["type"] == "http" and not started:
                failed = PlainTextResponse("Internal Server Error", status_code=500)
                await failed(scope, receive, send_with_headers)
            raise


def _is_named(origin: str) -> bool:
    """Whether the operator has named this origin as the lab's own (behind a proxy that changes the host)."""
    return origin in {each.strip() for each in st.get_option("server.corsAllowedOrigins")}


def is_foreign(scope: Scope) -> bool:
    """Whether a page from somewhere else opens this websocket; see ``SameOrigin``."""
    sent = Headers(scope=scope)
    origin = sent.get("origin")
    if origin is None or not st.get_option("server.enableCORS") or _is_named(origin):
        return False
    try:
        place = urlsplit(origin)
        return place.netloc != sent.get("host") and place.hostname not in _LOCAL
    except ValueError:
        return True


class SameOrigin:
    """Refuses websockets that pages of other origins open, and says so in the log, once for each origin and host.

    Streamlit refuses them too, but first it asks a server outside for its own address, and all students wait meanwhile.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.logged: set[tuple[str, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
        elif is_foreign(scope):
            self._log(Headers(scope=scope))
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: answered with 403
        else:
            await self.app(_rewrite_origin(scope), receive, send)

    def _log(self, sent: Headers) -> None:
        origin, host = sent.get("origin", ""), sent.get("host", "")
        if (origin, host) in self.logged or len(self.logged) >= _MOST_LOGGED:
            return
        self.logged.add((origin, host))
        _log.warning(
            "Refused a websocket: its page is at %r, but the request names the host %r. If that page is the lab's own, "
            "a proxy in between changes the host: have it pass the header Host on (nginx: proxy_set_header Host "
            "$http_host), or start with --server.corsAllowedOrigins and that origin. See README, For a class.",
            origin,
            host,
        )


def _rewrite_origin(scope: Scope) -> Scope:
    """The scope with the host in its origin, where the operator has named the origin: Streamlit then asks nobody."""
    sent = Headers(scope=scope)
    if not _is_named(sent.get("origin", "")):
        return scope
    own = f"http://{sent.get('host', '')}".encode("latin-1")
    headers = [(name, own if name.lower() == b"origin" else value) for name, value in scope["headers"]]
    return {**scope, "headers": headers}


def _count_held() -> int:
    """Bytes of uploaded files that this process has in memory."""
    if not Runtime.exists():
        return 0
    stats = Runtime.instance().uploaded_file_mgr.get_stats()
    return sum(stat.byte_length for family in stats.values() for stat in family)  # type: ignore[attr-defined]


class BoundedUploads:
    """Refuses an upload when all uploads together, with those under way, would be more than ``limit`` bytes.

    Streamlit bounds each file (``server.maxUploadSize``), but not how many a session sends; it drops them when the
    session ends. Refused with 507: a 503 is what a proxy takes for a process that is down.
    """

    def __init__(self, app: ASGIApp, limit: int = MAX_HELD, held: Callable[[], int] = _count_held) -> None:
        self.app = app
        self.limit = limit
        self.held = held
        self.coming = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOADS not in scope["path"]:
            await self.app(scope, receive, send)
            return
        size = Headers(scope=scope).get("content-length", "")  # the server reads no more than it says
        expected = int(size) if size.isdecimal() else st.get_option("server.maxUploadSize") * 1024 * 1024
        if self.held() + self.coming + expected > self.limit:
            await PlainTextResponse("Too many files at once", status_code=507)(scope, receive, send)
            return
        self.coming += expected
        try:
            await self.app(scope, receive, send)
        finally:
            self.coming -= expected


def build_middleware() -> list[Middleware]:
    """What stands before Streamlit, the outermost first."""
    return [Middleware(SecurityHeaders, headers=build_headers()), Middleware(SameOrigin), Middleware(BoundedUploads)]
