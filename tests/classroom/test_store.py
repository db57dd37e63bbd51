"""Where votes are kept: SQLite everywhere, PostgreSQL too where LAB_TEST_DATABASE names one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.classroom.errors import (
    AnswerTooLongError,
    ClassFullError,
    NoSuchClassError,
    NotInstructorError,
    OtherQuestionError,
    StepNotOfferedError,
    TooManyClassesError,
    VoteClosedError,
)
from lab.classroom.phases import Counts
from lessons.classroom import store as store_module
from lessons.classroom.store import Store
from tests.classroom.databases import postgres


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with ExitStack() as stack:
        lite = request.param == "sqlite"
        made = Store(f"sqlite:///{tmp_path / 'classes.db'}" if lite else stack.enter_context(postgres()))
        stack.callback(made.engine.dispose)
        yield made


def open_vote(store: Store, people: int = 0) -> tuple[str, str]:
    """A class with that many participants whose first vote is open."""
    code, key = store.open_class()
    for number in range(people):
        store.join(code, f"p{number}")
    store.take_step(code, key, "ask", "task.4.used:blocks")
    store.take_step(code, key, "open")
    return code, key


def test_a_vote_can_be_changed_until_it_is_closed(store: Store) -> None:
    code, key = open_vote(store, 2)
    store.vote(code, "p0", 1, 1, answer="2", sure="guess")
    store.vote(code, "p0", 1, 1, answer="3", sure="sure")
    assert store.count(code) == Counts(participants=2, votes=1)
    store.take_step(code, key, "close")
    with pytest.raises(VoteClosedError):
        store.vote(code, "p0", 1, 1, answer="4", sure="sure")
    assert [(vote.answer, vote.sure) for vote in store.get_votes(code, key, 1)] == [("3", "sure")]


def test_rounds_are_kept_apart(store: Store) -> None:
    code, key = open_vote(store, 1)
    store.vote(code, "p0", 1, 1, answer="2", sure="think")
    store.take_step(code, key, "close")
    store.take_step(code, key, "vote_again")
    assert store.count(code).votes == 0
    store.vote(code, "p0", 1, 2, answer="3", sure="sure")
    with pytest.raises(VoteClosedError):
        store.vote(code, "p0", 1, 1, answer="3", sure="sure")
    assert {number: vote.answer for number, vote in store.get_own_votes(code, "p0", 1).items()} == {1: "2", 2: "3"}


def test_nobody_without_the_key_sees_votes_or_takes_a_step(store: Store) -> None:
    code, _ = open_vote(store, 1)
    store.vote(code, "p0", 1, 1, answer="2", sure="think")
    with pytest.raises(NotInstructorError):
        store.get_votes(code, "guessed", 1)
    with pytest.raises(NotInstructorError):
        store.take_step(code, "guessed", "close")


def test_a_vote_for_another_question_is_refused(store: Store) -> None:
    code, key = open_vote(store)
    for step in ("close", "reveal"):
        store.take_step(code, key, step)
    assert store.take_step(code, key, "ask", "another").question == 2
    store.take_step(code, key, "open")
    with pytest.raises(OtherQuestionError):
        store.vote(code, "p0", 1, 1, answer="2", sure="think")
    assert store.get_specs(code, key) == {1: "task.4.used:blocks", 2: "another"}


def test_a_question_that_is_only_read_is_replaced(store: Store) -> None:
    code, key = store.open_class()
    store.take_step(code, key, "ask", "one")
    state = store.take_step(code, key, "ask", "two")
    assert (state.question, state.spec) == (1, "two")


def test_a_step_that_another_window_has_taken_is_refused(store: Store) -> None:
    code, key = open_vote(store)
    store.take_step(code, key, "close")
    with pytest.raises(StepNotOfferedError):
        store.take_step(code, key, "close")
    assert store.get_state(code).phase == "closed"


def test_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_PARTICIPANTS", 2)
    monkeypatch.setattr(store_module, "MAX_CLASSES", 1)
    code, _ = open_vote(store, 2)
    store.join(code, "p0")  # coming again is not a third
    with pytest.raises(ClassFullError):
        store.join(code, "p2")
    with pytest.raises(TooManyClassesError):
        store.open_class()
    with pytest.raises(AnswerTooLongError):
        store.vote(code, "p0", 1, 1, answer="1" * 1_000_000, sure="sure")
    with pytest.raises(NoSuchClassError):
        store.join("abcdef", "p0")


def test_the_end_deletes_everything(store: Store) -> None:
    code, key = open_vote(store, 1)
    store.vote(code, "p0", 1, 1, answer="2", sure="think")
    store.end_class(code, key)
    with pytest.raises(NoSuchClassError):
        store.get_state(code)
    assert store.get_own_votes(code, "p0", 1) == {}


def test_a_class_is_deleted_a_day_after_its_last_vote(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _ = open_vote(store, 1)
    start = time.time()
    monkeypatch.setattr(time, "time", lambda: start + store_module.LIFE - 10)
    store.vote(code, "p0", 1, 1, answer="2", sure="think")
    monkeypatch.setattr(time, "time", lambda: start + store_module.LIFE + 10)
    store.delete_old()
    assert store.get_state(code).phase == "first"
    monkeypatch.setattr(time, "time", lambda: start + 2 * store_module.LIFE)
    store.delete_old()
    with pytest.raises(NoSuchClassError):
        store.get_state(code)


def test_two_hundred_at_once_lose_nothing_and_count_nothing_twice(store: Store) -> None:
    """Twenty threads join and vote, each vote sent twice, while the vote is closed in the middle."""
    code, key = open_vote(store)
    sent: list[str] = []
    refused: list[str] = []

    def answer(first: int) -> None:
        for number in range(first, 200, 20):
            who = f"p{number}"
            store.join(code, who)
            try:
                for _ in range(2):
                    store.vote(code, who, 1, 1, answer=str(number % 4), sure="think")
                sent.append(who)
            except VoteClosedError:
                refused.append(who)
            if number == 100:
                store.take_step(code, key, "close")

    threads = [threading.Thread(target=answer, args=(first,)) for first in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [vote.participant for vote in store.get_votes(code, key, 1)]
    assert len(kept) == len(set(kept))
    assert set(sent) <= set(kept) <= set(sent) | set(refused)
    assert len(sent) + len(refused) == 200
    assert store.count(code).participants == 200
