"""A first visit loads Streamlit's files compressed, and its page without the font that the lab does not use."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import httpx
import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.types import ASGIApp
from streamlit.web.server.starlette.starlette_gzip_middleware import SelectiveGZipMiddleware
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from lessons.server import compression, index_page
from tests.server.event_loop import in_own_loop

STATIC = Path(st.__file__).parent / "static"
SCRIPT = next((STATIC / "static" / "js").glob("index.*.js"))
STYLES = next((STATIC / "static" / "css").glob("index.*.css"))
FONT = next((STATIC / "static" / "media").glob("SourceSansVF-Upright*"))
BROWSER = {"Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
PAGE = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "Accept-Encoding": "gzip, deflate"}


def streamlit_as_it_is(base: str = "") -> ASGIApp:
    """Streamlit's own files and compression behind the lab's compression."""
    app = Starlette(
        routes=create_streamlit_static_assets_routes(base),
        middleware=[
            *index_page.build_middleware(),
            *compression.build_middleware(),
            Middleware(SelectiveGZipMiddleware, base_url=base),
        ],
    )
    return app


def answers(*asked: tuple[str, dict[str, str]], base: str = "") -> list[httpx.Response]:
    """The answers to several requests at once."""

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(streamlit_as_it_is(base))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://lab", headers={"Accept-Encoding": ""}
        ) as client:
            return list(await asyncio.gather(*(client.get(path, headers=headers) for path, headers in asked)))

    return in_own_loop(ask)


def test_a_script_is_compressed_once_for_a_whole_class(monkeypatch: pytest.MonkeyPatch) -> None:
    packed: list[int] = []
    real = compression.compress

    def counted(content: bytes) -> bytes:
        packed.append(len(content))
        return real(content)

    monkeypatch.setattr(compression, "_compressed", {})
    monkeypatch.setattr(compression, "compress", counted)
    got = answers(*[(f"/static/js/{SCRIPT.name}", BROWSER)] * 20)
    assert {answer.headers["content-encoding"] for answer in got} == {"gzip"}
    assert all(answer.content == SCRIPT.read_bytes() for answer in got)
    assert packed == [SCRIPT.stat().st_size]


def test_the_rest_of_the_answer_is_streamlit_s() -> None:
    path = f"/static/js/{SCRIPT.name}"
    (plain,) = answers((path, {}))
    assert "content-encoding" not in plain.headers
    (small,) = answers((path, BROWSER))
    assert int(small.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert small.headers["vary"] == "Accept-Encoding"
    for name in ("cache-control", "content-type", "etag", "last-modified"):
        assert small.headers[name] == plain.headers[name]
    (unchanged,) = answers((path, {**BROWSER, "If-None-Match": plain.headers["etag"]}))
    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("page", ["/", "/task"])
def test_the_page_asks_for_no_font_of_its_own(page: str) -> None:
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    assert FONT.name in index
    small, plain = answers((page, PAGE), (page, {"Accept": "text/html"}))
    assert small.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert small.text == plain.text
    assert FONT.name not in small.text
    assert 'as="font"' not in small.text
    assert small.text == index_page.build_html()
    (styles,) = answers((f"/static/css/{STYLES.name}", BROWSER))
    assert FONT.name in STYLES.read_text(encoding="utf-8")
    assert FONT.name not in styles.text
    assert "Material Symbols" in styles.text


def test_behind_a_base_path_the_same_and_nothing_else() -> None:
    path = f"/static/js/{SCRIPT.name}"
    inside, outside = answers((f"/kvlab{path}", BROWSER), (path, BROWSER), base="kvlab")
    assert (inside.headers["content-encoding"], inside.content) == ("gzip", SCRIPT.read_bytes())
    assert outside.status_code == 404
    (lost,) = answers((f"/elsewhere{path}", BROWSER))
    assert lost.content == (STATIC / "index.html").read_bytes(), "Streamlit's page, as for every path it does not know"


def test_what_is_no_page_of_streamlit_s_passes_unchanged() -> None:
    favicon = answers(("/favicon.png", PAGE))[0]
    assert favicon.content == (STATIC / "favicon.png").read_bytes()
    assert "content-encoding" not in favicon.headers
    assert gzip.decompress(compression.compress_file(SCRIPT)) == SCRIPT.read_bytes()
