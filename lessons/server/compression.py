"""Streamlit's own files, compressed once per process instead of once per visitor.

Streamlit sends its scripts uncompressed (`SelectiveGZipMiddleware`): three megabytes for a first visit. Compressing
them for every response would cost too much CPU in a class, so the compressed bytes are kept in memory.
Only gzip: over plain HTTP, as in a classroom, browsers do not accept Brotli.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import threading
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_STATIC = "/static/"  # Streamlit's own files; the server or a proxy may put a path before it
_COMPRESSIBLE = {".js", ".css", ".wasm", ".json", ".svg"}  # pictures and fonts are compressed already
# The lab's theme uses system fonts. Without this, Streamlit's page would load its own font before the theme arrives.
_UNUSED_FONT = re.compile(rb'<link\s+rel="preload"[^>]*\bas="font"[^>]*>|@font-face\{font-family:Source Sans;[^}]*\}')
_compressed: dict[Path, bytes] = {}
_lock = threading.Lock()


def compress_file(file: Path) -> bytes:
    """Return the compressed file. The first call compresses it and keeps the result; other callers wait for that."""
    with _lock:
        if file not in _compressed:
            content = file.read_bytes()
            _compressed[file] = compress(remove_unused_font(content) if file.suffix == ".css" else content)
        return _compressed[file]


def accepts_gzip(headers: Headers) -> bool:
    """Does this browser accept gzip?"""
    accepted = (part.replace(" ", "").lower().partition(";") for part in headers.get("accept-encoding", "").split(","))
    return any(name == "gzip" and not re.fullmatch(r"q=0(\.0*)?", weight) for name, _, weight in accepted)


def compress(content: bytes) -> bytes:
    """Compress with gzip at its highest level. Equal content gives equal bytes."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def remove_unused_font(content: bytes) -> bytes:
    """Remove from Streamlit's page or styles what loads a font that the lab's theme does not use."""
    return _UNUSED_FONT.sub(b"", content)


@cache
def _list_files() -> dict[str, Path]:
    """Streamlit's compressible files, by the part of their address after `/static/`."""
    folder = Path(st.__file__).parent / "static" / "static"
    files = (file for file in folder.rglob("*") if file.suffix in _COMPRESSIBLE)
    return {file.relative_to(folder).as_posix(): file for file in files}


class Compression:
    """Sends the compressed bytes of Streamlit's files; the other headers stay Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = _list_files().get(scope["path"].rpartition(_STATIC)[2]) if scope["type"] == "http" else None
        if file is None or scope["method"] != "GET" or not accepts_gzip(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        responses: list[Message] = []

        async def collect(message: Message) -> None:
            responses.append(message)

        # For a HEAD request Streamlit does not read the file.
        await self.app({**scope, "method": "HEAD"}, receive, collect)
        start = responses[0]
        headers = MutableHeaders(scope=start)
        # Another status: the browser's copy is current. Another size: Streamlit would send another file.
        if start["status"] != 200 or headers.get("content-length") != str(file.stat().st_size):
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(compress_file, file)
        headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(body))})
        headers.add_vary_header("Accept-Encoding")
        await send(start)
        await send({"type": "http.response.body", "body": body})


def build_middleware() -> list[Middleware]:
    """The middleware of this module; it runs inside the middleware that adds headers."""
    return [Middleware(Compression)]
