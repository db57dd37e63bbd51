"""Context managers that run Debian's nginx with the configuration of assets/deploy/."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

import pytest

from tests.browser.served import comes_up

START_SECONDS = 20.0
DEPLOY = Path(__file__).resolve().parent.parent.parent / "assets" / "deploy"
TEMPLATE = DEPLOY / "nginx.conf.template"
# The rest of the container image's configuration, with paths and a user that a test may use.
_AROUND = """
user {user};
daemon off;
pid nginx.pid;
error_log stderr;
events {{ }}
http {{
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {lab};
}}
"""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def filled_in(**values: str) -> str:
    """Fill in the template as envsubst does: only these names, no other word that begins with a dollar."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def variables() -> set[str]:
    """The names of the variables in the template."""
    found = Template.pattern.finditer(TEMPLATE.read_text(encoding="utf-8"))
    return {match["braced"] for match in found if match["braced"]}


def nginx() -> str:
    """Path of nginx. Without it the test is skipped on a developer's machine and fails in CI."""
    path = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("nginx is not installed, and CI is set", pytrace=False)
        pytest.skip("nginx is not installed")
    return path


@contextmanager
def proxy(folder: Path, one: int, two: int, *, frames: str = "") -> Iterator[str]:
    """Run nginx as in assets/deploy/ in front of two ports of this machine; yields its address."""
    port = free_port()
    addresses = {"LAB_ONE": f"127.0.0.1:{one}", "LAB_TWO": f"127.0.0.1:{two}", "LAB_LISTEN": f"127.0.0.1:{port}"}
    with nginx_with(folder, filled_in(**addresses, LAB_FRAME_ANCESTORS=frames), port) as url:
        yield url


def readme_location(path: str, target: str) -> str:
    """The example location of assets/deploy/README.md, before a lab at ``target`` (with a slash: path stripped)."""
    text = (DEPLOY / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    assert len(found) == 1
    example = found[0].replace("/kvlab/", path).replace("http://127.0.0.1:8501;", f"{target};")
    assert path in example
    assert target in example
    return str(example)


@contextmanager
def location(folder: Path, text: str, port: int | None = None) -> Iterator[str]:
    """Run nginx with these locations and no others; yields its address without a path."""
    port = port or free_port()
    server = f"server {{ listen 127.0.0.1:{port}; access_log off; {text} }}"
    with nginx_with(folder, server, port) as url:
        yield url


@contextmanager
def nginx_with(folder: Path, lab: str, port: int) -> Iterator[str]:
    """Run nginx with this in its http block; yields its address."""
    program = nginx()
    folder.mkdir(parents=True, exist_ok=True)
    user = pwd.getpwuid(os.geteuid()).pw_name
    (folder / "lab.conf").write_text(lab, encoding="utf-8")
    (folder / "nginx.conf").write_text(_AROUND.format(lab=folder / "lab.conf", user=user), encoding="utf-8")
    log = folder / "nginx.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        if not comes_up(process, lambda: _listens(port), START_SECONDS):
            pytest.fail(f"nginx did not start:\n{log.read_text()[-2000:]}", pytrace=False)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
