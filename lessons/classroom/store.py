"""Where classes and their votes are kept: SQLite in one file, or PostgreSQL for several processes.

A vote is one row for each class, question, round and participant. Counts are counted, never kept. There are no names:
a participant is a random number of a browser. A class is deleted when its instructor ends it, or 24 hours after its
last step or vote.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal, cast

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from lab.activities.question import LEVELS
from lab.classroom.errors import (
    AnswerTooLongError,
    ClassFullError,
    NoSuchClassError,
    NotInstructorError,
    OtherQuestionError,
    TooManyClassesError,
    VoteClosedError,
)
from lab.classroom.phases import ClassState, Counts, Phase, Step, get_open_round, take_step
from lab.classroom.tally import Vote
from lessons.classroom.patience import keep_trying
from lessons.classroom.tables import (
    CLASSES,
    MAX_ANSWER,
    MAX_QUESTION,
    PARTICIPANTS,
    QUESTIONS,
    TABLES,
    VOTES,
    open_database,
)

MAX_CLASSES = 50
MAX_PARTICIPANTS = 500
LIFE = 24 * 3600  # seconds after the last step or vote
CHANNEL = "kv_lab_class"  # of PostgreSQL's NOTIFY; the payload is the class's code
_CODES = 1_000_000

# Read for every participant and every vote.
_STATE = (
    select(CLASSES.c.phase, CLASSES.c.question, QUESTIONS.c.spec)
    .select_from(
        CLASSES.outerjoin(QUESTIONS, (QUESTIONS.c.code == CLASSES.c.code) & (QUESTIONS.c.number == CLASSES.c.question))
    )
    .where(CLASSES.c.code == bindparam("code"))
)
_PEOPLE = select(func.count()).select_from(PARTICIPANTS).where(PARTICIPANTS.c.code == bindparam("code"))


class Store:
    """Classes, questions, participants and votes. Every method is one transaction; threads may share a store.

    Without the database each of them raises DatabaseAwayError after a while.
    `notify` is called with a class's code after each change that others should see. With PostgreSQL, every process
    that listens to CHANNEL gets the code too.
    """

    def __init__(self, url: str, notify: Callable[[str], None] = lambda code: None) -> None:
        self._lite = url.startswith("sqlite")
        self.restarts = not self._lite
        self.is_away = False
        self._notify = notify
        self._turn = threading.Lock()
        self._has_tables = False
        self.engine = open_database(url)

    def prepare(self) -> None:
        """Make the tables, once; the database may have been away until now."""
        if self._has_tables:  # who reads does not wait for who writes
            return
        with self._turn:
            if not self._has_tables:
                TABLES.create_all(self.engine)
                self._has_tables = True

    @contextmanager
    def _write(self, code: str = "") -> Iterator[Connection]:
        """A transaction that writes; after it everybody who waits for news of that class is told.

        SQLite has one writer at a time; those who wait in SQLite itself only look again after a while, in no order.
        """
        alone = self._turn if self._lite else nullcontext()
        with alone, self.engine.execution_options(writes=True).begin() as connection:
            yield connection
            if code and not self._lite:
                connection.execute(select(func.pg_notify(CHANNEL, code)))
        if code:
            self._notify(code)

    def _insert(self, table: Table) -> Any:
        return (sqlite if self._lite else postgresql).insert(table)

    # ------------------------------------------------------------------ the instructor

    @keep_trying
    def open_class(self) -> tuple[str, str]:
        """Open a class; return its code (six digits) and its key, which is kept nowhere else.

        Raises TooManyClassesError.
        """
        self.delete_old()
        key = secrets.token_urlsafe(18)
        with self._write() as connection:
            if (connection.scalar(select(func.count()).select_from(CLASSES)) or 0) >= MAX_CLASSES:
                raise TooManyClassesError(limit=MAX_CLASSES)
            taken = set(connection.scalars(select(CLASSES.c.code)))
            code = next(c for c in iter(lambda: f"{secrets.randbelow(_CODES):06}", None) if c not in taken)
            row = {"code": code, "key_hash": hash_key(key), "phase": "lobby", "question": 0, "stepped_at": time.time()}
            connection.execute(CLASSES.insert().values(**row))
        return code, key

    @keep_trying
    def is_instructor(self, code: str, key: str) -> bool:
        """Is this the key of that class?"""
        with self.engine.begin() as connection:
            found = connection.scalar(select(CLASSES.c.key_hash).where(CLASSES.c.code == code))
        return found is not None and secrets.compare_digest(found, hash_key(key))

    @keep_trying
    def take_step(self, code: str, key: str, step: Step, spec: str = "") -> ClassState:
        """Go on; `ask` needs the `spec` of the question. Raises StepNotOfferedError, NotInstructorError."""
        with self._write(code) as connection:
            self._check_key(connection, code, key)
            before = self._read(connection, code, lock="alone")
            phase, number = take_step(before.phase, step), before.question
            if step == "ask":
                number += before.phase != "read"  # nobody has voted on a question that is only read: it is replaced
                values = {"code": code, "number": number, "spec": spec[:MAX_QUESTION]}
                put = self._insert(QUESTIONS).values(**values)
                connection.execute(
                    put.on_conflict_do_update(index_elements=["code", "number"], set_={"spec": put.excluded.spec})
                )
            connection.execute(
                update(CLASSES)
                .where(CLASSES.c.code == code)
                .values(phase=phase, question=number, stepped_at=time.time())
            )
            return self._read(connection, code)

    @keep_trying
    def get_votes(self, code: str, key: str, question: int) -> list[Vote]:
        """The votes on one question, for who holds the key. Raises NoSuchClassError, NotInstructorError."""
        with self.engine.begin() as connection:
            self._check_key(connection, code, key)
            return self._read_votes(connection, code, question)

    @keep_trying
    def get_specs(self, code: str, key: str) -> dict[int, str]:
        """What produced each question so far, by number. Raises NoSuchClassError, NotInstructorError."""
        with self.engine.begin() as connection:
            self._check_key(connection, code, key)
            rows = connection.execute(
                select(QUESTIONS.c.number, QUESTIONS.c.spec)
                .where(QUESTIONS.c.code == code)
                .order_by(QUESTIONS.c.number)
            )
            return {row.number: row.spec for row in rows}

    @keep_trying
    def end_class(self, code: str, key: str) -> None:
        """Delete the class with all its votes. Raises NoSuchClassError, NotInstructorError."""
        with self._write(code) as connection:
            self._check_key(connection, code, key)
            connection.execute(delete(CLASSES).where(CLASSES.c.code == code))

    @keep_trying
    def delete_old(self) -> None:
        """Delete the classes without a step or a vote in the last LIFE seconds."""
        since = time.time() - LIFE
        voted = select(VOTES.c.code).where(VOTES.c.voted_at >= since)
        with self._write() as connection:
            connection.execute(delete(CLASSES).where((CLASSES.c.stepped_at < since) & CLASSES.c.code.not_in(voted)))

    # ------------------------------------------------------------------ everybody

    @keep_trying
    def get_state(self, code: str) -> ClassState:
        """What everybody may know. Raises NoSuchClassError."""
        with self.engine.begin() as connection:
            return self._read(connection, code)

    @keep_trying
    def count(self, code: str) -> Counts:
        """How many are in, and how many have answered in the latest round. Raises NoSuchClassError."""
        with self.engine.begin() as connection:
            state = self._read(connection, code)
            asked = (VOTES.c.code == code) & (VOTES.c.number == state.question)
            latest = get_open_round(state.phase) or connection.scalar(select(func.max(VOTES.c.round)).where(asked))
            given = select(func.count(), func.max(VOTES.c.voted_at)).where(asked & (VOTES.c.round == latest))
            votes, voted_at = connection.execute(given).one()
            return Counts(connection.scalar(_PEOPLE, {"code": code}) or 0, votes, voted_at or 0.0)

    @keep_trying
    def join(self, code: str, participant: str) -> ClassState:
        """Come in; coming again changes nothing. Raises NoSuchClassError, ClassFullError."""
        with self._write(code) as connection:
            state = self._read(connection, code, lock="alone")
            put = self._insert(PARTICIPANTS).on_conflict_do_nothing().returning(PARTICIPANTS.c.participant)
            is_new = connection.execute(put, {"code": code, "participant": participant}).first() is not None
            if is_new and (connection.scalar(_PEOPLE, {"code": code}) or 0) > MAX_PARTICIPANTS:
                raise ClassFullError(limit=MAX_PARTICIPANTS)  # which takes the row back
            return state

    @keep_trying
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
            put = self._insert(VOTES).values(**key, **said)
            changed = {name: put.excluded[name] for name in said}
            connection.execute(put.on_conflict_do_update(index_elements=list(key), set_=changed))

    @keep_trying
    def get_own_votes(self, code: str, participant: str, question: int) -> dict[int, Vote]:
        """What this participant has answered to a question, by round."""
        with self.engine.begin() as connection:
            votes = self._read_votes(connection, code, question, participant)
            return {vote.round: vote for vote in votes}

    # ------------------------------------------------------------------ parts of a transaction

    def _read(self, connection: Connection, code: str, lock: Literal["", "together", "alone"] = "") -> ClassState:
        """The class's state. With a lock it stays until the transaction ends: nobody else may change it, and with
        "alone" nobody else may lock it. SQLite's transactions that write are alone anyway."""
        query = _STATE.with_for_update(read=lock == "together", of=CLASSES) if lock and not self._lite else _STATE
        row = connection.execute(query, {"code": code}).first()
        if row is None:
            raise NoSuchClassError(code=code)
        return ClassState(code, cast(Phase, row.phase), row.question, row.spec or "")

    def _check_key(self, connection: Connection, code: str, key: str) -> None:
        found = connection.scalar(select(CLASSES.c.key_hash).where(CLASSES.c.code == code))
        if found is None:
            raise NoSuchClassError(code=code)
        if not secrets.compare_digest(found, hash_key(key)):
            raise NotInstructorError(code=code)

    def _read_votes(self, connection: Connection, code: str, question: int, participant: str = "") -> list[Vote]:
        query = select(VOTES.c.participant, VOTES.c.round, VOTES.c.answer, VOTES.c.sure).where(
            (VOTES.c.code == code) & (VOTES.c.number == question)
        )
        if participant:
            query = query.where(VOTES.c.participant == participant)
        rows = connection.execute(query.order_by(VOTES.c.round, VOTES.c.participant))
        return [Vote(row.participant, row.round, row.answer, row.sure) for row in rows]


def hash_key(key: str) -> str:
    """What the store keeps instead of a key."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
