"""Requests refused before they reach Streamlit, the headers of every response, no secrets in the repository."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import subprocess
from collections.abc import Awaitable
from pathlib import Path

import pytest
import streamlit as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import net_util
from streamlit.web import bootstrap
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from lessons.server import frames, security, sticky_process, warmup
from lessons.server.security import BoundedUploads, SameOrigin, SecurityHeaders
from tests.server.event_loop import in_own_loop

ROOT = Path(__file__).resolve().parent.parent.parent
MEGABYTE = 1024 * 1024


async def welcome(scope: Scope, receive: Receive, send: Send) -> None:
    """A stub for Streamlit: it accepts every websocket and answers everything else with 200."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept", "subprotocol": "streamlit"})
    else:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def ask(app: ASGIApp, kind: str = "http", path: str = "/", method: str = "GET", **headers: str) -> Message:
    """The first message that answers a request."""
    return in_own_loop(lambda: asked(app, kind, path, method, **headers))


async def asked(app: ASGIApp, kind: str, path: str, method: str, **headers: str) -> Message:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: Scope = {"type": kind, "path": path, "query_string": b"", "headers": raw}
    if kind == "http":
        scope["method"] = method
    else:
        scope["extensions"] = {"websocket.http.response": {}}
    await app(scope, receive, send)
    return sent[0]


# ------------------------------------------------------------------ headers


def test_policy_allows_exactly_the_inline_scripts_of_the_page() -> None:
    script = "\n  window.first = 1 < 2 && '<b>'\n"
    html = f'<html><script>{script}</script><script type="module" src="a.js"></script><p>text</p></html>'
    expected = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'wasm-unsafe-eval' 'sha256-{expected}';" in security.build_content_security_policy(html)
    assert security.build_content_security_policy("<html></html>").count("sha256") == 0


def test_what_no_page_needs_is_denied_and_the_clipboard_is_not() -> None:
    denied = security.build_headers()["Permissions-Policy"].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "clipboard-read=()"} <= set(denied)
    assert not any("clipboard-write" in each for each in denied)


# ------------------------------------------------------------------ websockets of other pages


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://elsewhere.example", "lab.example"),
        ("http://lab.example:81", "lab.example"),
        ("null", "lab.example"),
        ("http://[", "lab.example"),
        ("http://localhost.elsewhere.example", "lab.example"),
    ],
)
def test_a_page_from_elsewhere_gets_no_websocket(origin: str, host: str) -> None:
    """Closed before it is accepted, so the answer is 403 (a body of our own would make uvicorn log an error)."""
    app = SecurityHeaders(SameOrigin(welcome), {"X-Content-Type-Options": "nosniff"})
    answer = ask(app, "websocket", "/_stcore/stream", origin=origin, host=host)
    assert answer == {"type": "websocket.close", "code": 1008}


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://lab.example", "lab.example"),
        ("http://192.0.2.7:8501", "192.0.2.7:8501"),
        ("http://localhost:8501", "127.0.0.1:8501"),
        ("", "lab.example"),
    ],
)
def test_the_labs_own_page_gets_its_websocket(origin: str, host: str) -> None:
    headers = {"origin": origin, "host": host} if origin else {"host": host}
    assert ask(SameOrigin(welcome), "websocket", "/_stcore/stream", **headers)["type"] == "websocket.accept"


def test_a_refusal_is_logged_once_with_what_did_not_match(caplog: pytest.LogCaptureFixture) -> None:
    app = SameOrigin(welcome)
    for _ in range(3):
        ask(app, "websocket", "/_stcore/stream", origin="https://lab.example", host="localhost:8501")
    assert len(caplog.messages) == 1
    for part in ("'https://lab.example'", "'localhost:8501'", "proxy_set_header Host", "--server.corsAllowedOrigins"):
        assert part in caplog.messages[0]
    for number in range(2 * security._MOST_LOGGED):
        ask(app, "websocket", "/_stcore/stream", origin=f"https://{number}.example", host="lab\r\n.example")
    assert len(caplog.messages) == security._MOST_LOGGED, "who floods does not fill the log"
    assert not any("\n" in message for message in caplog.messages)


def test_of_a_named_origin_streamlit_asks_nobody_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit would ask for this machine's address before it looks at the allowed origins."""
    own = "https://lab.example"
    monkeypatch.setattr(st, "get_option", {"server.enableCORS": True, "server.corsAllowedOrigins": [own]}.get)
    monkeypatch.setattr(net_util, "get_external_ip", lambda: pytest.fail("asked outside"))
    allowed: list[bool] = []

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        sent = Headers(scope=scope)
        allowed.append(_is_origin_allowed(sent.get("origin"), sent.get("host")))
        await welcome(scope, receive, send)

    answer = ask(SameOrigin(streamlit), "websocket", "/_stcore/stream", origin=own, host="localhost:8501")
    assert (answer["type"], allowed) == ("websocket.accept", [True])
    other = ask(SameOrigin(streamlit), "websocket", "/_stcore/stream", origin=f"{own}.other", host="localhost:8501")
    assert other["type"] == "websocket.close"


def test_the_start_asks_nobody_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit prints addresses when it starts, and may ask an outside server for one of them."""

    def outside(*_: object, **__: object) -> None:
        raise AssertionError("asked outside")

    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "_make_blocking_http_get", outside)
    bootstrap._print_url(is_running_hello=False)


# ------------------------------------------------------------------ frames

NAMED = "https://moodle.example https://canvas.example:8443 http://localhost:9101 http://127.0.0.1"


def test_frames_of_named_origins_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(frames.VARIABLE, raising=False)
    assert "frame-ancestors 'none'" in security.build_headers()["Content-Security-Policy"].split("; ")
    assert security.build_headers()["X-Frame-Options"] == "DENY"
    assert frames.build_middleware() == []
    monkeypatch.setenv(frames.VARIABLE, f"  {NAMED}\n")
    assert f"frame-ancestors {NAMED}" in security.build_headers()["Content-Security-Policy"].split("; ")
    assert "X-Frame-Options" not in security.build_headers()
    assert len(frames.build_middleware()) == 1


@pytest.mark.parametrize(
    "value",
    [
        *("*", "https://*", "https://*.example", "'self'", "'none'", "https:", "null", "moodle.example"),
        *("http://moodle.example", "http://localhost.example", "https://moodle.example/", "https://moodle.example/a"),
        *("https://a.example,https://b.example", "https://a.example;script-src", "https://user@a.example"),
        *(
            "https://a.example:",
            "https://a.example:0",
            "https://A.example",
            "https://a.example?x",
            "https://-a",
            "*:443",
        ),
        *("https://a..example", "https://a.example:port", "https://ä.example", "https://a.example *"),
    ],
)
def test_what_is_no_exact_origin_is_named_in_a_sentence(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(frames.VARIABLE, value)
    with pytest.raises(ValueError, match=r"LAB_FRAME_ANCESTORS: .* is not an exact origin"):
        frames.read_ancestors()


def test_every_cookie_works_in_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's cookie in a response, and the process's cookie in a websocket's handshake."""
    monkeypatch.setattr(warmup, "is_warm", lambda: True)

    async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
        cookies = [(b"set-cookie", b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax"), (b"set-cookie", b"other=1")]
        await send({"type": "http.response.start", "status": 200, "headers": cookies})
        await send({"type": "http.response.body", "body": b""})

    want = "SameSite=None; Secure; Partitioned"
    got = ask(frames.FramedCookies(streamlit))["headers"]
    assert [value.decode() for _, value in got] == [f"_streamlit_xsrf=2|a|b|1; Path=/; {want}", f"other=1; {want}"]
    accepted = ask(frames.FramedCookies(sticky_process.StickyProcess(welcome, "one")), "websocket", "/_stcore/stream")
    assert dict(accepted["headers"])[b"set-cookie"].decode() == f"lab_process=one; Path=/; HttpOnly; {want}"


# ------------------------------------------------------------------ uploads


def put(app: ASGIApp, size: int | None) -> int:
    headers = {} if size is None else {"content_length": str(size)}
    return int(ask(app, "http", f"{security.UPLOADS}session/file", "PUT", **headers)["status"])


def test_uploads_are_bounded_together() -> None:
    held = 0
    app = BoundedUploads(welcome, limit=25 * MEGABYTE, held=lambda: held)
    assert put(app, 25 * MEGABYTE) == 200
    assert put(app, 25 * MEGABYTE + 1) == 507
    held = 16 * MEGABYTE
    assert put(app, 9 * MEGABYTE) == 200
    assert put(app, None) == 507  # unknown length: counted as the longest allowed
    assert app.in_progress == 0
    assert ask(app, "http", "/_stcore/upload_file/session/file", "DELETE")["status"] == 200


def test_uploads_under_way_count() -> None:
    async def crowd() -> Message:
        go_on = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await go_on.wait()
            await welcome(scope, receive, send)

        app = BoundedUploads(slow, limit=25 * MEGABYTE, held=lambda: 0)

        def upload() -> Awaitable[Message]:
            return asked(app, "http", f"{security.UPLOADS}s/f", "PUT", content_length=str(10 * MEGABYTE))

        first = [asyncio.ensure_future(upload()) for _ in range(2)]
        await asyncio.sleep(0)
        third = await upload()
        go_on.set()
        assert [answer["status"] for answer in await asyncio.gather(*first)] == [200, 200]
        return third

    assert in_own_loop(crowd)["status"] == 507


def test_one_upload_and_one_message_are_bounded_by_streamlit() -> None:
    assert st.get_option("server.maxUploadSize") * MEGABYTE * 10 < security.MAX_UPLOAD_BYTES
    assert st.get_option("server.maxMessageSize") <= 20


# ------------------------------------------------------------------ one of several processes


def test_a_process_alone_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sticky_process.VARIABLE, raising=False)
    assert sticky_process.build_middleware() == []
    monkeypatch.setenv(sticky_process.VARIABLE, "a; Domain=b")
    with pytest.raises(ValueError, match=sticky_process.VARIABLE):
        sticky_process.build_middleware()


def test_a_named_process_tells_its_name_with_the_websocket_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda: True)
    app = sticky_process.StickyProcess(welcome, "one")
    accepted = ask(app, "websocket", "/_stcore/stream")
    assert dict(accepted["headers"])[b"set-cookie"].startswith(b"lab_process=one; Path=/; HttpOnly")
    assert ask(app)["headers"] == []


def test_a_named_process_serves_nobody_before_it_is_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "is_warm", lambda: False)
    app = sticky_process.StickyProcess(welcome, "one")
    assert ask(app)["status"] == 503
    assert ask(app, "websocket", "/_stcore/stream")["status"] == 503
    assert ask(app, path="/ready")["status"] == 200  # the route answers even before the warm-up


# ------------------------------------------------------------------ secrets

SECRET_FILES = r"(^|/)(secrets\.toml|\.env.*|id_[a-z0-9]+|.*\.(pem|key|p12|pfx))$"
SECRETS = {
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "key of a cloud": r"\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}\b",
    "token": r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_\w{40,}|hf_[A-Za-z]{30,}|xox[abprs]-[\w-]{10,}|sk-[\w-]{20,})",
    "password in an address": r"\w+://[^/\s:@{}<>\"']+:[^/\s:@{}<>\"']+@\w",
    "value of a secret": r"(?i)\b(?:password|secret|api_?key|access_token|cookieSecret)\b[\"']?\s*[=:]\s*"
    r"[\"'][^\"'${}]{6}",
}


def secrets(text: str) -> list[str]:
    """Names of the patterns of secrets that match a text."""
    return [name for name, pattern in SECRETS.items() if re.search(pattern, text)]


def test_no_file_of_the_repository_holds_a_secret() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    assert "app.py" in names
    assert [name for name in names if re.search(SECRET_FILES, name)] == []
    own = Path(__file__).relative_to(ROOT).as_posix()
    texts = {name: (ROOT / name).read_bytes().decode("utf-8", "ignore") for name in names if name != own}
    assert {name: found for name, text in texts.items() if (found := secrets(text))} == {}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("-----BEGIN RSA PRIVATE KEY-----", "private key"),
        ("AKIA" + "A" * 16, "key of a cloud"),
        ("ghp_" + "a" * 36, "token"),
        ("postgres://lab:hunter2@host", "password in an address"),
        ("cookieSecret = 'abcdefgh'", "value of a secret"),
    ],
)
def test_a_secret_would_be_seen(text: str, name: str) -> None:
    assert secrets(text) == [name]


@pytest.mark.parametrize("name", [".env", "a/.env.local", ".streamlit/secrets.toml", "id_rsa", "assets/deploy/lab.key"])
def test_a_file_of_secrets_would_be_seen(name: str) -> None:
    assert re.search(SECRET_FILES, name)
