"""A database that is away: tried for a while, then only once for each caller, until it answers."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from lab.classroom.errors import DatabaseAwayError
from lessons.classroom import patience
from lessons.classroom.patience import keep_trying


class Server:
    """A database that answers or does not; it counts how often it is asked."""

    def __init__(self) -> None:
        self.restarts, self.is_away, self.answers, self.asked = True, False, False, 0

    def prepare(self) -> None:
        """Nothing comes first."""

    @keep_trying
    def ask(self) -> str:
        """Answer, or raise what SQLAlchemy raises."""
        self.asked += 1
        if not self.answers:
            raise OperationalError("ask", {}, Exception("away"))
        return "here"


def test_who_waits_for_a_database_does_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("lessons.classroom.patience.time.monotonic", lambda: now[0])
    monkeypatch.setattr("lessons.classroom.patience.time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    server = Server()
    with pytest.raises(DatabaseAwayError):
        server.ask()
    assert now[0] >= patience.PATIENCE
    before, asked = now[0], server.asked
    with pytest.raises(DatabaseAwayError):
        server.ask()
    assert (now[0], server.asked) == (before, asked + 1)
    server.answers = True
    assert server.ask() == "here"
    server.answers = False
    with pytest.raises(DatabaseAwayError):
        server.ask()
    assert now[0] >= before + patience.PATIENCE
