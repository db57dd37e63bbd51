"""Security headers for every response; websockets from other origins and too many uploads are refused."""

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
MAX_UPLOAD_BYTES = 200 * 1024 * 1024  # bytes of uploads in one process, of all sessions together
_MOST_LOGGED = 100  # pairs of origin and host: a client can send any number of different ones
_LOCAL = {"localhost", "127.0.0.1", "0.0.0.0"}
# Browser features that no page of the lab uses. Writing to the clipboard stays allowed: a button copies the link.
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
    """Build the policy for a page with the inline scripts of ``index_html``; ``ancestors`` may show it in a frame.

    Every source is needed: without it a page in Chromium broke or reported a violation.
    """
    parser = _InlineScripts()
    parser.feed(index_html)
    hashes = " ".join(_hash_script(text) for text in parser.scripts)
    return "; ".join(
        (
            "default-src 'none'",
            # Streamlit loads a component's module from a blob: address; its protobuf library uses wasm for 64 bits.
            f"script-src 'self' blob: 'wasm-unsafe-eval' {hashes}".rstrip(),
            # Emotion's style elements, Plotly's style attributes.
            "style-src 'self' 'unsafe-inline'",
            # A link's QR code is a data: image; so is one of KaTeX's fonts.
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
    """Build the headers of every response; the policy fits the lab's index.html and the allowed frames."""
    ancestors = frames.read_ancestors()
    return {
        "Content-Security-Policy": build_content_security_policy(index_page.build_html(), ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        # X-Frame-Options cannot list origins: if frames are allowed, the policy alone decides.
        **({} if ancestors else {"X-Frame-Options": "DENY"}),
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _NEVER.split()),
    }


# ------------------------------------------------------------------ middleware


class SecurityHeaders:
    """Adds the security headers to every response, also to errors and refused websockets."""

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
            # Starlette answers an unhandled error outside of all middleware, without these headers. Answer first, and
            # raise the error again for the log.
            if scope["type"] == "http" and not started:
                response = PlainTextResponse("Internal Server Error", status_code=500)
                await response(scope, receive, send_with_headers)
            raise


def _is_named(origin: str) -> bool:
    """Has the operator named this origin as the lab's own (behind a proxy that changes the host)?"""
    return origin in {each.strip() for each in st.get_option("server.corsAllowedOrigins")}


def is_foreign(scope: Scope) -> bool:
    """Does a page of another origin open this websocket? See ``SameOrigin``."""
    headers = Headers(scope=scope)
    origin = headers.get("origin")
    if origin is None or not st.get_option("server.enableCORS") or _is_named(origin):
        return False
    try:
        parts = urlsplit(origin)
        return parts.netloc != headers.get("host") and parts.hostname not in _LOCAL
    except ValueError:
        return True


class SameOrigin:
    """Refuses websockets from pages of other origins, and logs each pair of origin and host once.

    Streamlit refuses them too, but first it asks an outside server for its own address, and all students wait for that.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.logged: set[tuple[str, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
        elif is_foreign(scope):
            self._log(Headers(scope=scope))
            await send({"type": "websocket.close", "code": 1008})  # closed before it is accepted: the answer is 403
        else:
            await self.app(_rewrite_origin(scope), receive, send)

    def _log(self, headers: Headers) -> None:
        origin, host = headers.get("origin", ""), headers.get("host", "")
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
    """Put the host into the origin header, if the operator has named the origin: Streamlit then accepts it at once."""
    sent = Headers(scope=scope)
    if not _is_named(sent.get("origin", "")):
        return scope
    origin = f"http://{sent.get('host', '')}".encode("latin-1")
    headers = [(name, origin if name.lower() == b"origin" else value) for name, value in scope["headers"]]
    return {**scope, "headers": headers}


def _count_upload_bytes() -> int:
    """Bytes of uploaded files in the memory of this process."""
    if not Runtime.exists():
        return 0
    stats = Runtime.instance().uploaded_file_mgr.get_stats()
    return sum(stat.byte_length for family in stats.values() for stat in family)  # type: ignore[attr-defined]


class BoundedUploads:
    """Refuses an upload if all uploads together, including those in progress, would exceed ``limit`` bytes.

    Streamlit limits the size of each file (``server.maxUploadSize``) but not their number; it drops them when the
    session ends. The status is 507, because a proxy takes a 503 for a process that is down.
    """

    def __init__(
        self, app: ASGIApp, limit: int = MAX_UPLOAD_BYTES, held: Callable[[], int] = _count_upload_bytes
    ) -> None:
        self.app = app
        self.limit = limit
        self.held = held
        self.in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or UPLOADS not in scope["path"]:
            await self.app(scope, receive, send)
            return
        size = Headers(scope=scope).get("content-length", "")  # the server reads at most this many bytes
        expected = int(size) if size.isdecimal() else st.get_option("server.maxUploadSize") * 1024 * 1024
        if self.held() + self.in_progress + expected > self.limit:
            await PlainTextResponse("Too many files at once", status_code=507)(scope, receive, send)
            return
        self.in_progress += expected
        try:
            await self.app(scope, receive, send)
        finally:
            self.in_progress -= expected


def build_middleware() -> list[Middleware]:
    """The middleware of this module, the outermost first."""
    return [Middleware(SecurityHeaders, headers=build_headers()), Middleware(SameOrigin), Middleware(BoundedUploads)]
