"""A server that runs an app of this repository for the time of a block."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90.0


@dataclass(frozen=True)
class Server:
    """A running app: its address, the file that gets its output, its process."""

    url: str
    log: Path
    pid: int


@contextmanager
def running(app_file: str, log: Path, *, address: str = "127.0.0.1", **variables: str) -> Iterator[Server]:
    """Run ``streamlit run app_file`` in the repository's root until the block ends; ready when /ready says so.

    address    where it listens; its url is that of this machine alone all the same.
    variables  are added to its environment.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", app_file, "--server.headless=true"]
    command += [f"--server.port={port}", f"--server.address={address}"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        if not comes_up(process, lambda: _is_ready(url), START_SECONDS):
            pytest.fail(f"{app_file} did not get ready:\n{log.read_text()[-4000:]}", pytrace=False)
        yield Server(url, log, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def comes_up(process: subprocess.Popen[bytes], is_up: Callable[[], bool], seconds: float) -> bool:
    """Wait until it is up. False as soon as the process has ended, or the time is over."""
    deadline = time.monotonic() + seconds
    while not is_up():
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            return False
        if time.monotonic() > deadline:
            return False
    return True


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
