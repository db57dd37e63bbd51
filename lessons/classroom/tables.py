"""The tables of the store, and how a SQLite file is opened."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
)

MAX_ANSWER = 1000  # characters
MAX_QUESTION = 2000
MAX_TOLD = 20_000  # characters that a window tells another one

TABLES = MetaData()
CLASSES = Table(
    "class",
    TABLES,
    Column("code", String(6), primary_key=True),
    Column("key_hash", String(64), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("question", Integer, nullable=False),  # number of the question in view; 0 before the first
    Column("stepped_at", Float, nullable=False),  # seconds since the epoch
)
QUESTIONS = Table(
    "question",
    TABLES,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("spec", String(MAX_QUESTION), nullable=False),  # what produces the question, never the question itself
)
PARTICIPANTS = Table(
    "participant",
    TABLES,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("participant", String(32), primary_key=True),
)
VOTES = Table(
    "vote",
    TABLES,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("participant", String(32), primary_key=True),
    Column("answer", String(MAX_ANSWER), nullable=False),
    Column("sure", String(8), nullable=False),
    Column("voted_at", Float, nullable=False),  # seconds since the epoch
)
PRESENTED = Table(
    "presented",
    TABLES,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("side", String(8), primary_key=True),
    Column("text", String(MAX_TOLD), nullable=False),
)


def _set_up_sqlite(connection: Any, _record: object) -> None:
    """Readers do not wait for a writer (WAL); foreign keys delete what belongs to a class."""
    connection.isolation_level = None  # the driver begins no transaction of its own; `_begin_sqlite` does
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=20000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that writes takes its lock at once, so that what it has read stays true until it has written."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def open_database(url: str) -> Engine:
    """The engine of that database. Nothing is asked of it yet, so it may be away."""
    lite = url.startswith("sqlite")
    patience: dict[str, object] = {} if lite else {"connect_timeout": 5}  # seconds
    engine = create_engine(url, pool_size=8, max_overflow=24, pool_pre_ping=not lite, connect_args=patience)
    if lite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine
