"""The lab's additions to Streamlit's server, called as plain ASGI: no port, no browser."""

from __future__ import annotations

import ast
import asyncio
import base64
import contextlib
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_gzip_middleware import SelectiveGZipMiddleware
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from lessons.server import components, index_page, memory_cleanup, plotly_js, security, server, sticky_process, warmup
from lessons.server.asset_files import read_assets
from lessons.server.index_page import IndexPage
from tests.server.event_loop import in_own_loop

OPTIONS = {"server.enableCORS": True, "server.corsAllowedOrigins": []}
PLOTLY = plotly_js.get_url().removeprefix(".")
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def get(path: str, headers: dict[str, str] | None = None, method: str = "GET") -> Answer:
    """The lab's answer to one request. An exception that the app raises after its answer is ignored, as by a server."""

    async def crash(request: Request) -> Response:
        raise ZeroDivisionError

    app = Starlette(routes=[*server.build_routes(), Route("/crash", crash)], middleware=server.build_middleware())
    return answer_of(app, path, headers or {}, method)


def answer_of(app: ASGIApp, path: str, headers: dict[str, str], method: str = "GET") -> Answer:
    """The answer of an app to one request."""
    sent: list[Message] = []

    requests: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not requests:
            await asyncio.Event().wait()  # the client stays connected: a streaming response waits for it to disconnect
        return requests.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": raw, "http_version": "1.1"}
    with contextlib.suppress(ZeroDivisionError):
        in_own_loop(lambda: app(scope, receive, send))
    starts = [message for message in sent if message["type"] == "http.response.start"]
    assert len(starts) == 1
    return Answer(
        starts[0]["status"],
        {name.decode(): value.decode() for name, value in starts[0]["headers"]},
        b"".join(message.get("body", b"") for message in sent),
    )


@pytest.mark.parametrize(("path", "status"), [("/ready", None), ("/nothing", 404), ("/crash", 500)])
def test_every_response_carries_the_headers(path: str, status: int | None) -> None:
    answer = get(path)
    assert status is None or answer.status == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    policy = answer.headers["content-security-policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert {"connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"} <= set(policy)
    assert not any("unsafe-inline" in part or "unsafe-eval'" in part.split() for part in policy if "script" in part)


def test_ready_only_when_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda: False)
    assert (get("/ready").status, get("/ready").body) == (503, b"warming up")
    monkeypatch.setattr(warmup, "is_warm", lambda: True)
    assert (get("/ready").status, get("/ready").body) == (200, b"ready")
    assert get("/ready").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("base", ["", "kvlab", "/courses/kv/"])
def test_everything_of_the_labs_own_lies_below_its_path(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda: True)
    monkeypatch.setattr(st, "get_option", {**OPTIONS, "server.baseUrlPath": base}.get)
    root = f"/{base.strip('/')}" if base else ""
    assert (get(f"{root}/ready").status, get(f"{root}/ready").body) == (200, b"ready")
    assert get("/ready").status == 200, "for a check beside the process"
    assert get(f"{root}/elsewhere/ready").status == get("/elsewhere/ready").status == 404
    assert get(f"{root}{PLOTLY}").status == 200
    asked = get(f"{root}/connection", {"origin": "https://lab.example", "host": "lab:80"}, "POST")
    assert json.loads(asked.body) == {"refused": True, "host": "lab:80"}
    asked = get(f"{root}/connection", {"origin": "https://lab.example", "host": "lab.example"}, "POST")
    assert json.loads(asked.body) == {"refused": False, "host": "lab.example"}


def test_a_page_finds_plotly_beside_itself() -> None:
    """The lab may be below any path, so no address in a page begins at the root."""
    assert urljoin("https://host/proxy/8501/task?run=1", plotly_js.get_url()) == f"https://host/proxy/8501{PLOTLY}"


# ------------------------------------------------------------------ the page


def page_of(path: str, **headers: str) -> Answer:
    """The answer of Streamlit's file handler behind the lab's IndexPage."""
    folder = str(Path(st.__file__).parent / "static")
    app = IndexPage(SelectiveGZipMiddleware(create_streamlit_static_handler(folder, None), minimum_size=500))
    return answer_of(app, path, {"accept": "text/html,*/*;q=0.8", **headers})


@pytest.mark.parametrize("path", ["/", "/task", "/nothing/here"])
@pytest.mark.parametrize("coding", ["", "gzip, br"])
def test_every_page_has_the_script_that_its_policy_allows(path: str, coding: str) -> None:
    answer = page_of(path, **{"accept-encoding": coding, "if-none-match": "*", "range": "bytes=0-9"})
    packed = answer.headers.get("content-encoding") == "gzip"
    assert packed == ("gzip" in coding)
    text = (gzip.decompress(answer.body) if packed else answer.body).decode()
    assert (answer.status, text) == (200, index_page.build_html())
    assert int(answer.headers["content-length"]) == len(answer.body)
    assert answer.headers["cache-control"] == "no-cache"
    assert "etag" not in answer.headers
    assert index_page.build_script() in text
    digest = base64.b64encode(hashlib.sha256(index_page.build_script().encode()).digest()).decode()
    policy = security.build_headers()["Content-Security-Policy"]
    assert f"'sha256-{digest}'" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]


def test_nothing_but_the_page_is_changed() -> None:
    assert page_of("/manifest.json").body == (Path(st.__file__).parent / "static" / "manifest.json").read_bytes()

    async def download(scope: Scope, receive: Receive, send: Send) -> None:
        """A report: HTML as long as the page, in two parts."""
        size = len(index_page._FILE.read_bytes())
        await Response(b"r" * size, media_type="text/html")(scope, receive, send)

    assert set(answer_of(download, "/media/report.html", {"accept": "text/html"}).body) == {ord("r")}
    assert set(answer_of(IndexPage(download), "/media/report.html", {"accept": "text/html"}).body) == {ord("r")}


def test_a_lone_process_goes_on_when_it_cannot_get_warm(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Pages that need no engine can still be read. A named process exits instead: see test_deploy.py."""
    monkeypatch.delenv(sticky_process.VARIABLE, raising=False)
    monkeypatch.setattr(warmup, "OWN_MODULES", ("no_such_module",))
    monkeypatch.setattr(warmup, "_warm", threading.Event())
    monkeypatch.setattr(os, "_exit", lambda status: pytest.fail("ended"))
    server._warm()
    assert "warm-up failed" in caplog.text
    assert get("/ready").status == 503


def test_plotly_is_served_gzipped_and_cacheable() -> None:
    answer = get(PLOTLY, {"Accept-Encoding": "gzip, br"})
    assert answer.status == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert gzip.decompress(answer.body) == plotly_js.SOURCE.read_bytes()
    assert len(answer.body) < 500_000
    again = get(PLOTLY, {"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0, br", "gzip;q=0.0"])
def test_plotly_is_served_plain_to_those_who_cannot_unzip(accepted: str) -> None:
    answer = get(PLOTLY, {"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers
    assert answer.body == plotly_js.SOURCE.read_bytes()


def test_a_file_that_this_version_does_not_have_is_not_the_page() -> None:
    """Streamlit would answer with its page and status 200, and the browser would take it for the script."""
    answer = get(PLOTLY.replace("plotly-", "plotly-0"))
    assert (answer.status, answer.headers["cache-control"]) == (404, "no-store")


def test_streamlit_sends_an_import_in_place_of_a_components_script() -> None:
    sent: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st.components.v2, "component", lambda name, **texts: sent.update(texts))
        components.declare_component("plot", "lib/element.js", "components/plot/plot.js")
    address = re.search(r'"(\./file/plot-[0-9a-f]{16}\.js)"', sent["js"])
    assert address is not None
    script = get(address[1].removeprefix("."), {"Accept-Encoding": ""}).body.decode()
    assert script == read_assets("lib/element.js", "components/plot/plot.js")
    assert "ADDRESS" not in sent["js"]
    assert len(sent["js"]) < 500


def test_every_page_begins_with_the_labs_styles() -> None:
    link = re.search(r'<link rel="stylesheet" href="\.(/file/lab-[0-9a-f]{16}\.css)"><div id="root">', page_text())
    assert link is not None
    answer = get(link[1])
    assert answer.headers["content-type"].startswith("text/css")
    assert answer.body.decode() == read_assets(*index_page.STYLES)


def page_text() -> str:
    return page_of("/task").body.decode()


def plotly_version(file: Path) -> str:
    """The version in the file's first lines."""
    found = re.search(r"plotly\.js \D*v([0-9.]+)", file.read_text(encoding="utf-8")[:200])
    assert found is not None
    return found[1]


def test_plotly_js_is_that_of_the_wheel() -> None:
    spec = find_spec("plotly")
    assert spec is not None
    assert spec.origin is not None
    assert plotly_version(plotly_js.SOURCE) == plotly_version(
        Path(spec.origin).parent / "package_data" / "plotly.min.js"
    )


def kinds_of_trace(code: str) -> set[str]:
    """The kinds of trace in a module's code: `"type"` in Plotly's dicts, and Plotly's own classes."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Dict):
            pairs = {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            if "type" in pairs:
                found.add(ast.literal_eval(pairs["type"]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "go":
            found.add(node.func.attr.lower())
    return found - {"figure"}


def test_plotly_js_holds_every_kind_of_trace_that_the_lab_draws_with() -> None:
    held = set(re.findall(r'moduleType:"trace",name:"(\w+)"', plotly_js.SOURCE.read_text(encoding="utf-8")))
    drawn = {
        file.name: kinds_of_trace(file.read_text(encoding="utf-8")) for file in (ROOT / "lab" / "figures").rglob("*.py")
    }
    assert {"scatter", "bar"} <= set().union(*drawn.values())
    assert {name: kinds - held for name, kinds in drawn.items() if kinds - held} == {}


def test_nothing_heavy_is_imported_before_the_warm_up() -> None:
    """Checked in a process of its own. Plotly is left out: Streamlit imports it if it is installed."""
    code = """
import sys
import app, lessons.widgets.plot, lessons.widgets.operation_buttons
import lessons.state.browser_store, lessons.widgets.copy_link
from lessons.server import warmup
early = [name for name in ("torch", "pandas") if name in sys.modules]
assert not early and not warmup.is_warm(), early
warmup.wait_until_warm()
warmup.wait_until_warm()
assert warmup.is_warm() and "torch" in sys.modules and "pandas" in sys.modules
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_a_failed_cleanup_does_not_stop_the_loop(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Memory is released anyway. test_load.py checks that expired sessions are dropped."""
    released: list[int] = []
    monkeypatch.setattr(memory_cleanup, "SECONDS", 0.0)
    monkeypatch.setattr(memory_cleanup, "drop_expired_sessions", lambda: 1 / 0)
    monkeypatch.setattr(memory_cleanup, "release_memory", lambda: released.append(1))

    async def run() -> None:
        cleanup = asyncio.create_task(memory_cleanup.clean_forever())
        async with asyncio.timeout(10):
            while len(released) < 2:
                await asyncio.sleep(0)
        cleanup.cancel()

    in_own_loop(run)
    assert "a memory clean-up failed" in caplog.text
