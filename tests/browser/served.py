"""A server that runs an app of this repository for the time of a block."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
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
def running(app_file: str, log: Path, **variables: str) -> Iterator[Server]:
    """Run ``streamlit run app_file`` in the repository's root until the block ends; ready when /ready says so.

    ``variables`` are added to its environment.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", app_file, "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not _is_ready(url):
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{app_file} did not get ready:\n{log.read_text()[-4000:]}", pytrace=False)
            time.sleep(0.1)
        yield Server(url, log, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
