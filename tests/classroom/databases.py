"""The databases of the store's tests: a SQLite file, and a schema of its own in PostgreSQL where one is named."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

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
