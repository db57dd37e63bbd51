"""The tests' databases: a schema of its own in the PostgreSQL that is named, and a PostgreSQL of a test's own."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

POSTGRES = os.environ.get("LAB_TEST_DATABASE", "")  # in the form of LAB_DATABASE


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty schema; tests that run at the same time do not meet. Skips if no PostgreSQL is named."""
    if not POSTGRES:
        pytest.skip("LAB_TEST_DATABASE names no PostgreSQL")
    schema = f"test_{secrets.token_hex(6)}"
    engine = create_engine(POSTGRES, pool_pre_ping=True)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield url.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        engine.dispose()


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL that a test has for itself: Debian's, on no port, reached by a socket in its folder."""

    folder: Path
    programs: Path

    @property
    def url(self) -> str:
        """In the form of LAB_DATABASE."""
        return f"postgresql+psycopg://postgres@/postgres?host={self.folder}"

    def control(self, *command: str) -> None:
        """Run pg_ctl on it and wait until that is done."""
        socket = f"-k {self.folder} -c listen_addresses='' -c unix_socket_permissions=0777"
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", socket, *command)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of its programs; as root, under the user that Debian has for it: it refuses root."""
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        subprocess.run([*user, str(self.programs / program), *arguments], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A PostgreSQL that runs until the block ends. Skips without its programs; fails in CI."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory() as folder:  # not pytest's own, which is closed to other users
        cluster = Cluster(Path(folder), found[-1].parent)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        cluster.run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres")
        cluster.control("start")
        try:
            yield cluster
        finally:
            cluster.control("stop", "-m", "immediate")
