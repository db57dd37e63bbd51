"""Where classes and their votes are kept: SQLite in one file, or PostgreSQL for several processes.

A vote is one row for each class, question, round and participant. Counts are counted, never kept. There are no names:
a participant is a random number of a browser. A class is deleted when its instructor ends it, or 24 hours after its
last step or vote.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, cast

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    create_engine,
    delete,
    event,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from lab.classroom.errors import (
    AnswerTooLongError,
    ClassFullError,
    NoSuchClassError,
    NotInstructorError,
    OtherQuestionError,
    TooManyClassesError,
    VoteClosedError,
)
from lab.classroom.phases import Phase, Step, get_open_round, take_step
from lab.classroom.tally import LEVELS, Vote

MAX_CLASSES = 50
MAX_PARTICIPANTS = 500
MAX_ANSWER = 500  # characters
MAX_QUESTION = 2000
LIFE = 24 * 3600  # seconds after the last step or vote
CHANNEL = "kv_lab_class"  # of PostgreSQL's NOTIFY; the payload is the class's code
_CODES = 1_000_000

_tables = MetaData()
_classes = Table(
    "class",
    _tables,
    Column("code", String(6), primary_key=True),
    Column("key_hash", String(64), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("question", Integer, nullable=False),  # number of the question in view; 0 before the first
    Column("stepped_at", Float, nullable=False),  # seconds since the epoch
)
_questions = Table(
    "question",
    _tables,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("spec", String(MAX_QUESTION), nullable=False),  # what produces the question, never the question itself
)
_participants = Table(
    "participant",
    _tables,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("participant", String(32), primary_key=True),
)
_votes = Table(
    "vote",
    _tables,
    Column("code", ForeignKey("class.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("participant", String(32), primary_key=True),
    Column("answer", String(MAX_ANSWER), nullable=False),
    Column("sure", String(8), nullable=False),
    Column("voted_at", Float, nullable=False),  # seconds since the epoch
)


@dataclass(frozen=True)
class ClassState:
    """What everybody in the class may know. `spec`: what produces the question in view; "" before the first."""

    code: str
    phase: Phase
    question: int
    spec: str


@dataclass(frozen=True)
class Counts:
    """For the projector: how many are in, and how many have answered in the round that is open or was held last."""

    participants: int
    votes: int


def _set_up_sqlite(connection: Any, _record: object) -> None:
    """Readers do not wait for a writer (WAL); foreign keys delete what belongs to a class."""
    connection.isolation_level = None  # the driver begins no transaction of its own; `_begin_sqlite` does
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=5000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that writes takes its lock at once, so that what it has read stays true until it has written."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


class Store:
    """Classes, questions, participants and votes. Every method is one transaction; threads may share a store.

    `notify` is called with a class's code after each change that others should see. With PostgreSQL, every process
    that listens to CHANNEL gets the code too.
    """

    def __init__(self, url: str, notify: Callable[[str], None] = lambda code: None) -> None:
        self._lite = url.startswith("sqlite")
        self._notify = notify
        self.engine: Engine = create_engine(url, pool_size=8, max_overflow=24, pool_pre_ping=not self._lite)
        if self._lite:
            event.listen(self.engine, "connect", _set_up_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        _tables.create_all(self.engine)

    @contextmanager
    def _write(self, code: str = "") -> Iterator[Connection]:
        """A transaction that writes; after it everybody who waits for news of that class is told."""
        with self.engine.execution_options(writes=True).begin() as connection:
            yield connection
            if code and not self._lite:
                connection.execute(select(func.pg_notify(CHANNEL, code)))
        if code:
            self._notify(code)

    def _insert(self, table: Table) -> Any:
        return (sqlite if self._lite else postgresql).insert(table)

    # ------------------------------------------------------------------ the instructor

    def open_class(self) -> tuple[str, str]:
        """Open a class; return its code (six digits) and its key, which is kept nowhere else.

        Raises TooManyClassesError.
        """
        self.delete_old()
        key = secrets.token_urlsafe(18)
        with self._write() as connection:
            if (connection.scalar(select(func.count()).select_from(_classes)) or 0) >= MAX_CLASSES:
                raise TooManyClassesError(limit=MAX_CLASSES)
            taken = set(connection.scalars(select(_classes.c.code)))
            code = next(c for c in iter(lambda: f"{secrets.randbelow(_CODES):06}", None) if c not in taken)
            row = {"code": code, "key_hash": _hash(key), "phase": "lobby", "question": 0, "stepped_at": time.time()}
            connection.execute(_classes.insert().values(**row))
        return code, key

    def is_instructor(self, code: str, key: str) -> bool:
        """Is this the key of that class?"""
        with self.engine.begin() as connection:
            found = connection.scalar(select(_classes.c.key_hash).where(_classes.c.code == code))
        return found is not None and secrets.compare_digest(found, _hash(key))

    def take_step(self, code: str, key: str, step: Step, spec: str = "") -> ClassState:
        """Go on; `ask` needs the `spec` of the question. Raises StepNotOfferedError, NotInstructorError."""
        with self._write(code) as connection:
            self._check_key(connection, code, key)
            before = self._read(connection, code, lock="alone")
            phase, number = take_step(before.phase, step), before.question
            if step == "ask":
                number += before.phase != "read"  # nobody has voted on a question that is only read: it is replaced
                values = {"code": code, "number": number, "spec": spec[:MAX_QUESTION]}
                put = self._insert(_questions).values(**values)
                connection.execute(
                    put.on_conflict_do_update(index_elements=["code", "number"], set_={"spec": put.excluded.spec})
                )
            connection.execute(
                update(_classes)
                .where(_classes.c.code == code)
                .values(phase=phase, question=number, stepped_at=time.time())
            )
            return self._read(connection, code)

    def get_votes(self, code: str, key: str, question: int) -> list[Vote]:
        """The votes on one question, for who holds the key. Raises NoSuchClassError, NotInstructorError."""
        with self.engine.begin() as connection:
            self._check_key(connection, code, key)
            return self._read_votes(connection, code, question)

    def get_revealed_votes(self, code: str, question: int) -> list[Vote]:
        """The votes on the question in view, for everybody, once it is revealed; before that there are none."""
        with self.engine.begin() as connection:
            state = self._read(connection, code)
            shown = state.phase == "revealed" and state.question == question
            return self._read_votes(connection, code, question) if shown else []

    def get_specs(self, code: str, key: str) -> dict[int, str]:
        """What produced each question so far, by number. Raises NoSuchClassError, NotInstructorError."""
        with self.engine.begin() as connection:
            self._check_key(connection, code, key)
            rows = connection.execute(
                select(_questions.c.number, _questions.c.spec)
                .where(_questions.c.code == code)
                .order_by(_questions.c.number)
            )
            return {row.number: row.spec for row in rows}

    def end_class(self, code: str, key: str) -> None:
        """Delete the class with all its votes. Raises NoSuchClassError, NotInstructorError."""
        with self._write(code) as connection:
            self._check_key(connection, code, key)
            connection.execute(delete(_classes).where(_classes.c.code == code))

    def delete_old(self) -> None:
        """Delete the classes without a step or a vote in the last LIFE seconds."""
        since = time.time() - LIFE
        voted = select(_votes.c.code).where(_votes.c.voted_at >= since)
        with self._write() as connection:
            connection.execute(delete(_classes).where((_classes.c.stepped_at < since) & _classes.c.code.not_in(voted)))

    # ------------------------------------------------------------------ everybody

    def get_state(self, code: str) -> ClassState:
        """What everybody may know. Raises NoSuchClassError."""
        with self.engine.begin() as connection:
            return self._read(connection, code)

    def count(self, code: str) -> Counts:
        """How many are in, and how many have answered in the latest round. Raises NoSuchClassError."""
        with self.engine.begin() as connection:
            state = self._read(connection, code)
            asked = (_votes.c.code == code) & (_votes.c.number == state.question)
            latest = get_open_round(state.phase) or connection.scalar(select(func.max(_votes.c.round)).where(asked))
            people = select(func.count()).select_from(_participants).where(_participants.c.code == code)
            given = select(func.count()).select_from(_votes).where(asked & (_votes.c.round == latest))
            return Counts(connection.scalar(people) or 0, connection.scalar(given) or 0)

    def join(self, code: str, participant: str) -> ClassState:
        """Come in; coming again changes nothing. Raises NoSuchClassError, ClassFullError."""
        with self._write(code) as connection:
            state = self._read(connection, code, lock="alone")
            mine = (_participants.c.code == code) & (_participants.c.participant == participant)
            if connection.scalar(select(func.count()).select_from(_participants).where(mine)):
                return state
            people = select(func.count()).select_from(_participants).where(_participants.c.code == code)
            if (connection.scalar(people) or 0) >= MAX_PARTICIPANTS:
                raise ClassFullError(limit=MAX_PARTICIPANTS)
            connection.execute(_participants.insert().values(code=code, participant=participant))
            return state

    def vote(self, code: str, participant: str, question: int, round_: int, *, answer: str, sure: str) -> None:
        """Cast or change a vote. The transaction holds the class, so that no vote comes in after it was closed.

        Raises NoSuchClassError, VoteClosedError, OtherQuestionError, AnswerTooLongError.
        """
        if len(answer) > MAX_ANSWER:
            raise AnswerTooLongError(characters=len(answer), limit=MAX_ANSWER)
        with self._write(code) as connection:
            state = self._read(connection, code, lock="together")
            if state.question != question:
                raise OtherQuestionError(asked=state.question, answered=question)
            if get_open_round(state.phase) != round_:
                raise VoteClosedError(phase=state.phase)
            key = {"code": code, "number": question, "round": round_, "participant": participant}
            said = {"answer": answer, "sure": sure if sure in LEVELS else "", "voted_at": time.time()}
            put = self._insert(_votes).values(**key, **said)
            changed = {name: put.excluded[name] for name in said}
            connection.execute(put.on_conflict_do_update(index_elements=list(key), set_=changed))

    def get_own_votes(self, code: str, participant: str, question: int) -> dict[int, Vote]:
        """What this participant has answered to a question, by round."""
        with self.engine.begin() as connection:
            votes = self._read_votes(connection, code, question, participant)
            return {vote.round: vote for vote in votes}

    # ------------------------------------------------------------------ parts of a transaction

    def _read(self, connection: Connection, code: str, lock: Literal["", "together", "alone"] = "") -> ClassState:
        """The class's state. With a lock it stays until the transaction ends: nobody else may change it, and with
        "alone" nobody else may lock it. SQLite's transactions that write are alone anyway."""
        query: Select[Any] = select(_classes.c.phase, _classes.c.question).where(_classes.c.code == code)
        if lock and not self._lite:
            query = query.with_for_update(read=lock == "together")
        row = connection.execute(query).first()
        if row is None:
            raise NoSuchClassError(code=code)
        asked = (_questions.c.code == code) & (_questions.c.number == row.question)
        spec = connection.scalar(select(_questions.c.spec).where(asked)) or ""
        return ClassState(code, cast(Phase, row.phase), row.question, spec)

    def _check_key(self, connection: Connection, code: str, key: str) -> None:
        found = connection.scalar(select(_classes.c.key_hash).where(_classes.c.code == code))
        if found is None:
            raise NoSuchClassError(code=code)
        if not secrets.compare_digest(found, _hash(key)):
            raise NotInstructorError(code=code)

    def _read_votes(self, connection: Connection, code: str, question: int, participant: str = "") -> list[Vote]:
        query = select(_votes.c.participant, _votes.c.round, _votes.c.answer, _votes.c.sure).where(
            (_votes.c.code == code) & (_votes.c.number == question)
        )
        if participant:
            query = query.where(_votes.c.participant == participant)
        rows = connection.execute(query.order_by(_votes.c.round, _votes.c.participant))
        return [Vote(row.participant, row.round, row.answer, row.sure) for row in rows]


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
