"""What the lab adds to Streamlit's server, called as plain ASGI: no port, no browser."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import gzip
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message

from lessons import plotly_js, replica, server, sweep, warmup
from tests.own_loop import in_own_loop

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


def get(path: str, headers: dict[str, str] | None = None) -> Answer:
    """The answer to one GET. An exception that the app raises after it answered goes to a server's log: ignored."""

    async def crash(request: Request) -> Response:
        raise ZeroDivisionError

    app = Starlette(routes=[*server.routes(), Route("/crash", crash)], middleware=server.middleware())
    sent: list[Message] = []

    requests: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        if not requests:
            await asyncio.Event().wait()  # the client stays: a response that streams listens for its leaving
        return requests.pop()

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": raw, "http_version": "1.1"}
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


def test_a_lone_process_goes_on_when_it_cannot_get_warm(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its pages without the engine can be read. One of several ends: see test_deploy.py."""
    monkeypatch.delenv(replica.VARIABLE, raising=False)
    monkeypatch.setattr(warmup, "HEAVY_MODULES", ("no_such_module",))
    monkeypatch.setattr(warmup, "_warm", threading.Event())
    monkeypatch.setattr(os, "_exit", lambda status: pytest.fail("ended"))
    server._warm()
    assert "warm-up failed" in caplog.text
    assert get("/ready").status == 503


def test_plotly_is_served_gzipped_and_cacheable() -> None:
    answer = get(plotly_js.url_path(), {"Accept-Encoding": "gzip, br"})
    assert answer.status == 200
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]
    assert gzip.decompress(answer.body) == plotly_js.SOURCE.read_bytes()
    assert len(answer.body) < 500_000
    again = get(plotly_js.url_path(), {"If-None-Match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0, br", "gzip;q=0.0"])
def test_plotly_is_served_plain_to_those_who_cannot_unzip(accepted: str) -> None:
    answer = get(plotly_js.url_path(), {"Accept-Encoding": accepted})
    assert "content-encoding" not in answer.headers
    assert answer.body == plotly_js.SOURCE.read_bytes()


def plotly_version(file: Path) -> str:
    """What the file's own first lines say."""
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
    """What a module draws with: `"type"` in Plotly's dicts, and Plotly's own classes."""
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
        file.name: kinds_of_trace(file.read_text(encoding="utf-8")) for file in (ROOT / "lab" / "figures").glob("*.py")
    }
    assert {"scatter", "bar"} <= set().union(*drawn.values())
    assert {name: kinds - held for name, kinds in drawn.items() if kinds - held} == {}


def test_nothing_heavy_is_imported_before_the_warm_up() -> None:
    """In a process of its own. (Plotly is not asked for: Streamlit itself imports it where it is installed.)"""
    code = """
import sys
import app, lessons.plot, lessons.operation_buttons, lessons.browser_store, lessons.copy_link
from lessons import warmup
early = [name for name in ("torch", "pandas", "lab.timeline") if name in sys.modules]
assert not early and not warmup.is_warm(), early
warmup.wait_until_warm()
warmup.wait_until_warm()
assert warmup.is_warm() and "torch" in sys.modules and "pandas" in sys.modules
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_a_sweep_that_fails_is_not_the_last(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Nor does it keep memory from being given back. That it forgets who has left: see test_load.py."""
    given: list[int] = []
    monkeypatch.setattr(sweep, "SECONDS", 0.0)
    monkeypatch.setattr(sweep, "forget_left_sessions", lambda: 1 / 0)
    monkeypatch.setattr(sweep, "give_back", lambda: given.append(1))

    async def run() -> None:
        sweeping = asyncio.create_task(sweep.for_ever())
        async with asyncio.timeout(10):
            while len(given) < 2:
                await asyncio.sleep(0)
        sweeping.cancel()

    in_own_loop(run)
    assert "a sweep failed" in caplog.text
