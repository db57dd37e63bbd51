"""Streamlit's index.html with one script of the lab's in it: it says why, where the page gets no connection."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lessons.component import asset
from lessons.text import LANGUAGES, words

_FILE = Path(st.__file__).parent / "static" / "index.html"
# What would have Streamlit answer with something else than the bytes of its file.
_NOT_ASKED = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


def script() -> str:
    """The script with its texts. ``{origin}`` and ``{host}`` stay: the browser fills them in."""
    texts = {}
    for language in LANGUAGES:
        text = words(language).text
        texts[language] = {
            "refused": text("connection.refused", origin="{origin}", host="{host}"),
            "no_websocket": text("connection.no_websocket"),
            "no_scripts": text("connection.no_scripts"),
        }
    data = json.dumps(texts, ensure_ascii=False).replace("</", "<\\/")
    return f"{asset('connection.js').rstrip()}({data});"


@cache
def html() -> str:
    """The page as the lab serves it."""
    before, end, after = _FILE.read_text(encoding="utf-8").partition("</body>")
    return f"{before}<script>{script()}</script>{end}{after}"


@cache
def _encoded() -> tuple[bytes, bytes, bytes]:
    """Streamlit's bytes, ours, and ours compressed; once for the life of the process."""
    ours = html().encode()
    return _FILE.read_bytes(), ours, gzip.compress(ours, mtime=0)


class IndexPage:
    """Answers with the lab's page wherever Streamlit would with its own, at whichever address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = Headers(scope=scope) if scope["type"] == "http" and scope["method"] == "GET" else {}
        if "text/html" not in asked.get("accept", ""):
            await self.app(scope, receive, send)
            return
        theirs, ours, compressed = _encoded()
        start: Message | None = None
        body: list[Message] | None = None

        async def send_page(message: Message) -> None:
            """Holds back what may be the page until it is known; anything else goes on as it comes."""
            nonlocal start, body
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                if message["status"] == 200 and found.get("content-length") == str(len(theirs)):
                    start, body = message, []
                    return
            if body is None or start is None:
                await send(message)
                return
            body.append(message)
            if message.get("more_body"):
                return
            if b"".join(each.get("body", b"") for each in body) == theirs:
                takes_gzip = "gzip" in asked.get("accept-encoding", "")
                headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
                headers |= {"Content-Encoding": "gzip"} if takes_gzip else {}
                page = Response(compressed if takes_gzip else ours, media_type="text/html", headers=headers)
                await page(scope, receive, send)
                return
            for each in (start, *body):
                await send(each)

        kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _NOT_ASKED]
        await self.app({**scope, "headers": kept}, receive, send_page)


def middleware() -> list[Middleware]:
    """For the server, inside of what adds headers."""
    return [Middleware(IndexPage)]
