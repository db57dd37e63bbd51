"""Streamlit's index.html with one script of the lab's in it: it says why, where the page gets no connection.

And without the font that it would load ahead of need, which the lab has no use for.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lessons.component import asset
from lessons.compressed import packed, takes_gzip, without_unused_font
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
    theirs = without_unused_font(_FILE.read_bytes()).decode("utf-8")
    before, end, after = theirs.partition("</body>")
    return f"{before}<script>{script()}</script>{end}{after}"


class IndexPage:
    """Answers with the lab's page wherever Streamlit would with its own, at whichever address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.theirs, self.ours = _FILE.read_bytes(), html().encode()
        self.packed = packed(self.ours)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def send_page(message: Message) -> None:
            """Holds back what may be the page until it is known; anything else goes on as it comes."""
            if message["type"] == "http.response.start" and self._may_be_page(message):
                held.append(message)
                return
            if not held:
                await send(message)
                return
            held.append(message)
            if not message.get("more_body"):
                await self._answer(held, scope, receive, send)

        kept = [(name, value) for name, value in scope["headers"] if name.lower() not in _NOT_ASKED]
        await self.app({**scope, "headers": kept}, receive, send_page)

    def _may_be_page(self, start: Message) -> bool:
        size = Headers(raw=start["headers"]).get("content-length")
        return start["status"] == 200 and size == str(len(self.theirs))

    async def _answer(self, held: list[Message], scope: Scope, receive: Receive, send: Send) -> None:
        if b"".join(message.get("body", b"") for message in held) == self.theirs:
            headers, body = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}, self.ours
            if takes_gzip(Headers(scope=scope)):
                headers["Content-Encoding"], body = "gzip", self.packed
            page = Response(body, media_type="text/html", headers=headers)
            await page(scope, receive, send)
            return
        for message in held:
            await send(message)


def _asks_for_page(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "")


def middleware() -> list[Middleware]:
    """For the server, inside of what adds headers."""
    return [Middleware(IndexPage)]
