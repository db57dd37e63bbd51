"""Streamlit's index.html with the lab's styles, and a script of the lab's that explains why a page cannot connect.

The preload of Streamlit's font, which the lab does not use, is removed.
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

from lessons.server.asset_files import read_assets
from lessons.server.compression import accepts_gzip, compress, remove_unused_font
from lessons.server.hashed_files import serve_file
from lessons.text.translations import LANGUAGES, get_translations

_FILE = Path(st.__file__).parent / "static" / "index.html"
# What every page needs and what the components need. The layout comes last: where two rules are as strong, it counts.
STYLES = (
    "page.css",
    "lib/button.css",
    *(
        f"components/{name}/{file}.css"
        for name, file in (
            ("classroom", "classroom"),
            ("classroom", "follow"),
            ("copy_link", "copy_link"),
            ("operation_buttons", "operation_buttons"),
            ("picture_files", "picture_files"),
            ("player", "player"),
            ("svg_button", "svg_button"),
            ("tools_menu", "tools_menu"),
        )
    ),
    "layout.css",
    "components/cards/cards.css",
    "components/one_view/one_view.css",
)
# With one of these request headers Streamlit may answer with something else than the bytes of its file.
_DROPPED_HEADERS = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


def build_script() -> str:
    """Build the script with its texts. ``{origin}`` and ``{host}`` stay: the browser fills them in."""
    texts = {}
    for language in LANGUAGES:
        text = get_translations(language).text
        texts[language] = {
            "refused": text("connection.refused", origin="{origin}", host="{host}"),
            "no_websocket": text("connection.no_websocket"),
            "no_scripts": text("connection.no_scripts"),
        }
    data = json.dumps(texts, ensure_ascii=False).replace("</", "<\\/")
    return f"{read_assets('connection.js').rstrip()}({data});"


@cache
def build_html() -> str:
    """Build index.html as the lab serves it."""
    original = remove_unused_font(_FILE.read_bytes()).decode("utf-8")
    before, root, rest = original.partition('<div id="root">')
    inside, end, after = rest.partition("</body>")
    # Before the page, but after the head, where Streamlit puts its own styles.
    styles = f'<link rel="stylesheet" href="{serve_file("lab.css", read_assets(*STYLES).encode())}">'
    return f"{before}{styles}{root}{inside}<script>{build_script()}</script>{end}{after}"


class IndexPage:
    """Sends the lab's page wherever Streamlit would send its own, at any address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.original, self.page = _FILE.read_bytes(), build_html().encode()
        self.compressed = compress(self.page)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _asks_for_page(scope):
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def send_page(message: Message) -> None:
            """Hold back a response that may be the page until its body is complete; pass on any other at once."""
            if message["type"] == "http.response.start" and self._may_be_page(message):
                held.append(message)
                return
            if not held:
                await send(message)
                return
            held.append(message)
            if not message.get("more_body"):
                await self._answer(held, scope, receive, send)

        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in _DROPPED_HEADERS]
        await self.app({**scope, "headers": headers}, receive, send_page)

    def _may_be_page(self, start: Message) -> bool:
        size = Headers(raw=start["headers"]).get("content-length")
        return start["status"] == 200 and size == str(len(self.original))

    async def _answer(self, held: list[Message], scope: Scope, receive: Receive, send: Send) -> None:
        if b"".join(message.get("body", b"") for message in held) == self.original:
            headers, body = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}, self.page
            if accepts_gzip(Headers(scope=scope)):
                headers["Content-Encoding"], body = "gzip", self.compressed
            page = Response(body, media_type="text/html", headers=headers)
            await page(scope, receive, send)
            return
        for message in held:
            await send(message)


def _asks_for_page(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "")


def build_middleware() -> list[Middleware]:
    """The middleware of this module; it runs inside the middleware that adds headers."""
    return [Middleware(IndexPage)]
