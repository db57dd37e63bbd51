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
from functools import cache, lru_cache
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
            _kept[file] = _packed(_UNUSED_FONT.sub(b"", content) if file.suffix == ".css" else content)
        return _kept[file]


def takes_gzip(headers: Headers) -> bool:
    """Whether this browser can unpack gzip."""
    asked = (part.replace(" ", "").lower().partition(";") for part in headers.get("accept-encoding", "").split(","))
    return any(name == "gzip" and not re.fullmatch(r"q=0(\.0*)?", weight) for name, _, weight in asked)


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=9, mtime=0)


@lru_cache(maxsize=4)
def _small(page: bytes, pack: bool) -> bytes:
    """Streamlit's page without what the lab has no use for."""
    page = _UNUSED_FONT.sub(b"", page)
    return _packed(page) if pack else page


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
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        file = _files().get(scope["path"].rpartition(_STATIC)[2])
        if file is not None and takes_gzip(headers):
            await self._send_file(file, scope, receive, send)
        elif "text/html" in headers.get("accept", ""):
            await self._send_page(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _send_file(self, file: Path, scope: Scope, receive: Receive, send: Send) -> None:
        heard: list[Message] = []

        async def hear(message: Message) -> None:
            heard.append(message)

        # Asked for the head only, Streamlit reads nothing from the disk.
        await self.app({**scope, "method": "HEAD"}, receive, hear)
        size = MutableHeaders(scope=heard[0]).get("content-length")
        if heard[0]["status"] != 200 or size != str(
            file.stat().st_size
        ):  # not changed since, or another file after all
            await self.app(scope, receive, send)
            return
        await _send(heard[0], await asyncio.to_thread(gzipped, file), True, send)

    async def _send_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Whatever is asked for as a page; where it is none, or has not changed since, nothing is done to it."""
        pack = takes_gzip(Headers(scope=scope))
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message | None = None
        body = b""

        async def gather(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                kind = MutableHeaders(scope=message).get("content-type", "")
                if message["status"] == 200 and kind.startswith("text/html"):
                    start = message
                    return
            if start is None:
                await send(message)
                return
            body += message.get("body", b"")
            if not message.get("more_body", False):
                await _send(start, _small(body, pack), pack, send)

        await self.app({**scope, "headers": plain}, receive, gather)


async def _send(start: Message, body: bytes, packed: bool, send: Send) -> None:
    headers = MutableHeaders(scope=start)
    headers["Content-Length"] = str(len(body))
    if packed:
        headers["Content-Encoding"] = "gzip"
    headers.add_vary_header("Accept-Encoding")
    await send(start)
    await send({"type": "http.response.body", "body": body})


def middleware() -> list[Middleware]:
    """For the server; nearer to Streamlit than what adds headers."""
    return [Middleware(Compressed)]
