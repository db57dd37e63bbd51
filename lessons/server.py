"""What the lab adds to Streamlit's web server: routes, security headers, a warm start and tidy memory."""

from __future__ import annotations

import base64
import ctypes
import gc
import hashlib
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lab.serving_jobs import runner
from lessons import plotly_js, warmup

SWEEP_SECONDS = 60.0
_log = logging.getLogger(__name__)


# ------------------------------------------------------------------ routes


def _plotly(request: Request) -> Response:
    """plotly.js, cacheable for ever because its URL carries its hash."""
    etag = f'"{plotly_js.digest()}"'
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(plotly_js.gzipped(), media_type="text/javascript", headers=headers)
    return FileResponse(plotly_js.source(), media_type="text/javascript", headers=headers)


def _ready(request: Request) -> Response:
    """200 once a learner would not have to wait for an import. Streamlit's own health route is green long before."""
    warm = warmup.is_warm()
    return PlainTextResponse(
        "ready" if warm else "warming up", status_code=200 if warm else 503, headers={"Cache-Control": "no-store"}
    )


def routes() -> list[BaseRoute]:
    """The lab's own routes; Streamlit's come after them."""
    return [Route(plotly_js.url_path(), _plotly), Route("/ready", _ready)]


# ------------------------------------------------------------------ security headers


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


def _script_hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def content_security_policy(index_html: str) -> str:
    """The policy for a page whose inline scripts are those of ``index_html``, and no others."""
    parser = _InlineScripts()
    parser.feed(index_html)
    hashes = " ".join(_script_hash(text) for text in parser.scripts)
    return "; ".join(
        (
            "default-src 'none'",
            # blob: is how Streamlit loads a component's module; wasm is for its Arrow tables.
            f"script-src 'self' blob: 'wasm-unsafe-eval' {hashes}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "object-src 'none'",
        )
    )


class SecurityHeaders:
    """Adds the same security headers to every response, the failed ones too."""

    def __init__(self, app: ASGIApp, headers: dict[str, str]) -> None:
        self.app = app
        self.headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            # Starlette answers an unhandled error outside of all middleware, without these headers: answer first.
            # The error goes on its way to the log.
            if not started:
                failed = PlainTextResponse("Internal Server Error", status_code=500)
                await failed(scope, receive, send_with_headers)
            raise


def middleware() -> list[Middleware]:
    """The headers, with the policy computed from the index.html of the installed Streamlit."""
    index_html = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    headers = {
        "Content-Security-Policy": content_security_policy(index_html),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "DENY",
    }
    return [Middleware(SecurityHeaders, headers=headers)]


# ------------------------------------------------------------------ lifespan


def _warm() -> None:
    """Thread: compress plotly.js, then make the heavy imports."""
    try:
        plotly_js.gzipped()
        warmup.warm_up()
    except Exception:
        # /ready stays 503; the page that needs the engine tries again and shows the error.
        _log.exception("warm-up failed")


def _sweep(stop: threading.Event) -> None:
    """Thread: once a minute collect garbage and give freed pages back to the system.

    Streamlit would collect after every run, which costs more than most of our runs; see ``postScriptGC`` in the
    configuration. Without the trim, glibc keeps memory at its peak for ever; other C libraries have no such call.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        trim = None
    while not stop.wait(SWEEP_SECONDS):
        gc.collect()
        if trim is not None:
            trim(0)


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    """Runs with the server: starts the warm-up and the sweep; ends the sweep, and the simulations if there are any."""
    stop = threading.Event()
    threading.Thread(target=_warm, name="warm-up", daemon=True).start()
    threading.Thread(target=_sweep, args=(stop,), name="memory sweep", daemon=True).start()
    try:
        yield
    finally:
        stop.set()
        if runner.cache_info().currsize:
            runner().close()
            runner.cache_clear()
