"""The nginx configuration of assets/deploy/ in a real nginx, with two small servers in place of the lab's."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from lessons.server import security, sticky_process
from tests.server.deployed import DEPLOY, TEMPLATE, free_port, proxy, variables

OURS = ("content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options")
LONG = "x" * 20_000


@dataclass
class Stub:
    """A stub for a process of the lab: it answers with its name, or with 503 while it is cold."""

    name: str
    port: int = 0
    cold: bool = False

    @contextmanager
    def serving(self) -> Iterator[Stub]:
        stub, headers = self, security.build_headers()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                asked = self.headers.get("Upgrade"), self.headers.get("Connection", "").lower()
                if asked == ("websocket", "upgrade") and not stub.cold:
                    self.send_response(101)
                    self.send_header("Upgrade", "websocket")
                    self.send_header("Connection", "Upgrade")
                    self.send_header("Set-Cookie", f"{sticky_process.COOKIE}={stub.name}")
                    self.end_headers()
                    return
                body = f"{stub.name} {self.headers['Host']} {self.path}".encode()
                self.send_response(503 if stub.cold else 200)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_PUT(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.port = server.server_port
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


@dataclass
class Deployed:
    url: str
    one: Stub
    two: Stub
    stop_one: ExitStack

    def get(self, path: str = "/", process: str | None = None) -> httpx.Response:
        cookies = {sticky_process.COOKIE: process} if process else None
        return httpx.get(self.url + path, cookies=cookies, trust_env=False)

    def served_by(self, process: str | None = None) -> str:
        return self.get("/", process).text.split()[0]


@pytest.fixture
def deployed(tmp_path: Path) -> Iterator[Deployed]:
    with ExitStack() as stop_one, Stub("two").serving() as two:
        one = stop_one.enter_context(Stub("one").serving())
        with proxy(tmp_path / "nginx", one.port, two.port) as url:
            yield Deployed(url, one, two, stop_one)


def test_a_student_stays_with_the_process_that_named_itself(deployed: Deployed) -> None:
    assert {deployed.served_by("one") for _ in range(4)} == {"one"}
    assert {deployed.served_by("two") for _ in range(4)} == {"two"}
    assert {deployed.served_by() for _ in range(4)} == {"one", "two"}
    assert deployed.served_by("three") in ("one", "two")


def test_a_process_that_is_cold_or_gone_is_passed_over(deployed: Deployed) -> None:
    deployed.one.cold = True
    assert {deployed.served_by(name) for name in ("one", "two", None, None, None)} == {"two"}
    deployed.one.cold = False
    deployed.stop_one.close()
    assert {deployed.served_by(name) for name in ("one", "two", None, None, None)} == {"two"}


def test_nothing_is_kept_of_what_students_open(deployed: Deployed, tmp_path: Path) -> None:
    """Nor while a process is down: nginx would log the address of the client and of the page."""
    deployed.stop_one.close()
    assert {deployed.get("/task?run=predicted", name).status_code for name in ("one", "two", None)} == {200}
    assert "predicted" not in (tmp_path / "nginx" / "nginx.log").read_text()


def test_ready_is_green_only_while_somebody_is_warm(deployed: Deployed) -> None:
    assert deployed.get("/ready").status_code == 200
    deployed.one.cold = True
    assert deployed.get("/ready").status_code == 200
    deployed.two.cold = True
    waiting = deployed.get("/task")
    assert (deployed.get("/ready").status_code, waiting.status_code) == (503, 503)
    assert "正在启动" in waiting.text
    assert 'http-equiv="refresh"' in waiting.text
    assert {name: len(waiting.headers.get_list(name)) for name in OURS} == dict.fromkeys(OURS, 1)


def test_every_answer_carries_the_headers_once(deployed: Deployed) -> None:
    large = httpx.put(f"{deployed.url}/_stcore/upload_file/s/f", content=b"0" * (11 * 1024 * 1024 + 1), trust_env=False)
    answers = [deployed.get("/"), deployed.get("/_stcore/metrics"), large, deployed.get("/" + "x" * 40_000)]
    assert [answer.status_code for answer in answers] == [200, 404, 413, 414]
    for answer in answers:
        assert {name: len(answer.headers.get_list(name)) for name in OURS} == dict.fromkeys(OURS, 1)
    assert answers[0].headers["content-security-policy"] == security.build_headers()["Content-Security-Policy"]


def test_nobody_is_framed_by_nginx_either_but_where_an_operator_says_so(tmp_path: Path) -> None:
    """nginx's own answers, such as while the lab starts; the lab's answers pass unchanged."""
    origin = "https://moodle.example"
    with Stub("one", cold=True).serving() as one, Stub("two", cold=True).serving() as two:
        for frames, ancestors in (("", "'none'"), (origin, origin)):
            with proxy(tmp_path / f"nginx{len(frames)}", one.port, two.port, frames=frames) as url:
                policy = httpx.get(url, trust_env=False).headers["content-security-policy"]
                assert policy.endswith(f"frame-ancestors {ancestors}")


def test_long_links_and_uploads_come_through_and_text_is_compressed(deployed: Deployed) -> None:
    answer = deployed.get(f"/task?run={LONG}")
    assert answer.text.endswith(f"/task?run={LONG}")
    assert answer.text.split()[1] == deployed.url.removeprefix("http://")  # Streamlit compares it with the Origin
    assert (answer.headers["content-encoding"], answer.headers["vary"]) == ("gzip", "Accept-Encoding")
    upload = httpx.put(f"{deployed.url}/_stcore/upload_file/s/f", content=b"0" * 10 * 1024 * 1024, trust_env=False)
    assert upload.status_code == 200


def test_a_websocket_comes_through_and_brings_the_cookie(deployed: Deployed) -> None:
    host, port = deployed.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 5) as connection:
        asked = f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {sticky_process.COOKIE}=two\r\n"
        connection.sendall(f"{asked}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert f"Set-Cookie: {sticky_process.COOKIE}=two".encode() in answer


def test_a_process_that_cannot_get_warm_ends_and_is_started_again(tmp_path: Path) -> None:
    """With a broken engine it would answer 503 for ever. A single process goes on: see test_server.py."""
    (tmp_path / "torch.py").write_text("raise ImportError('broken')")
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless=true",
        "--server.address=127.0.0.1",
    ]
    ended = subprocess.run(
        [*command, f"--server.port={free_port()}"],
        cwd=DEPLOY.parent.parent,
        env={**os.environ, "PYTHONPATH": str(tmp_path), sticky_process.VARIABLE: "one"},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr.decode()[-2000:]
    assert b"ImportError: broken" in ended.stderr
    again, services = (DEPLOY / "compose.yaml").read_text(encoding="utf-8").split("services:")
    assert "\n  restart: unless-stopped\n" in again
    assert services.count("<<: *lab\n") == services.count("LAB_PROCESS:") > 0


def test_compose_gives_what_the_template_wants() -> None:
    compose = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    template = TEMPLATE.read_text(encoding="utf-8")
    assert variables() == set(re.findall(r"(LAB_(?:ONE|TWO|LISTEN|FRAME_ANCESTORS)):", compose))
    names = re.findall(r"LAB_PROCESS: (\w+)", compose)
    assert names == re.findall(r"^ +(\w+) +process_\1;", template, re.MULTILINE)
    assert re.search(rf"\$cookie_{sticky_process.COOKIE}\b", template)
    for name in names:
        address = re.search(rf"^  {name}:.*?ipv4_address: ([\d.]+)", compose, re.MULTILINE | re.DOTALL)
        assert address is not None
        assert f"LAB_{name.upper()}: {address[1]}:8501" in compose
    copied = re.findall(r"^COPY (\S+)", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert all((DEPLOY.parent.parent / name).exists() for name in copied)
