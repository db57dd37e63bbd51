"""What every first visit needs, made small: compressed once for everybody and not for each visitor.

Streamlit sends its own scripts as they lie on the disk (`SelectiveGZipMiddleware`): three megabytes for a first visit.
Whoever compresses them for every answer keeps the processor from the students; so what has been compressed is kept.
gzip and nothing newer: over plain HTTP, as in a classroom, browsers take no Brotli.
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

_STATIC = "/static/"  # of Streamlit's own files, behind any path that the server or a proxy puts before it
_WORTH = {".js", ".css", ".wasm", ".json", ".svg"}  # pictures and fonts are compressed as they are
# The lab's theme has the fonts of the reader's system. Before the theme comes, Streamlit's page would load its own.
_UNUSED_FONT = re.compile(rb'<link\s+rel="preload"[^>]*\bas="font"[^>]*>|@font-face\{font-family:Source Sans;[^}]*\}')
_kept: dict[Path, bytes] = {}
_lock = threading.Lock()


def gzipped(file: Path) -> bytes:
    """The file compressed, once for the life of the process; a second caller waits for the first."""
    with _lock:
        if file not in _kept:
            content = file.read_bytes()
            _kept[file] = packed(without_unused_font(content) if file.suffix == ".css" else content)
        return _kept[file]


def takes_gzip(headers: Headers) -> bool:
    """Whether this browser can unpack gzip."""
    asked = (part.replace(" ", "").lower().partition(";") for part in headers.get("accept-encoding", "").split(","))
    return any(name == "gzip" and not re.fullmatch(r"q=0(\.0*)?", weight) for name, _, weight in asked)


def packed(content: bytes) -> bytes:
    """Compressed as far as gzip goes."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def without_unused_font(content: bytes) -> bytes:
    """Streamlit's page or its styles, without what loads the font that the lab's theme has no use for."""
    return _UNUSED_FONT.sub(b"", content)


@cache
def _files() -> dict[str, Path]:
    """Streamlit's own files that are worth it, by what their address has after `/static/`."""
    folder = Path(st.__file__).parent / "static" / "static"
    found = (file for file in folder.rglob("*") if file.suffix in _WORTH)
    return {file.relative_to(folder).as_posix(): file for file in found}


class Compressed:
    """Answers with the kept bytes where Streamlit would send one of these; the other headers stay Streamlit's."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = _files().get(scope["path"].rpartition(_STATIC)[2]) if scope["type"] == "http" else None
        if file is None or scope["method"] != "GET" or not takes_gzip(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        heard: list[Message] = []

        async def hear(message: Message) -> None:
            heard.append(message)

        # Asked for the head only, Streamlit reads nothing from the disk.
        await self.app({**scope, "method": "HEAD"}, receive, hear)
        headers = MutableHeaders(scope=heard[0])
        size = headers.get("content-length")
        if heard[0]["status"] != 200 or size != str(
            file.stat().st_size
        ):  # not changed since, or another file after all
            await self.app(scope, receive, send)
            return
        body = await asyncio.to_thread(gzipped, file)
        headers.update({"Content-Encoding": "gzip", "Content-Length": str(len(body))})
        headers.add_vary_header("Accept-Encoding")
        await send(heard[0])
        await send({"type": "http.response.body", "body": body})


def middleware() -> list[Middleware]:
    """For the server; nearer to Streamlit than what adds headers."""
    return [Middleware(Compressed)]
