"""A database that is away for a moment, as while it restarts: a transaction is tried again, and then given up."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy.exc import DBAPIError

from lab.classroom.errors import DatabaseAwayError

PATIENCE = 8.0  # seconds: PostgreSQL restarts in one or two
_PAUSE = 0.2  # seconds between two tries

_P = ParamSpec("_P")
_R = TypeVar("_R")


class _Server(Protocol):
    """What speaks to a database. `restarts`: it is a server, which may come back. `is_away`: it was given up."""

    restarts: bool
    is_away: bool

    def prepare(self) -> None:
        """Do what comes before the first transaction."""


_S = TypeVar("_S", bound=_Server)


def keep_trying(transact: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """Make a method try its transaction again while the database is away. Raises DatabaseAwayError after PATIENCE.

    Once it was given up, it is tried only once until it answers: those who wait do not wait for each other.
    A transaction whose end was cut off may be done twice, so it must do no harm twice.
    """

    @wraps(transact)
    def call(self: _S, /, *args: _P.args, **others: _P.kwargs) -> _R:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                self.prepare()
                result = transact(self, *args, **others)
            except DBAPIError as problem:
                if not self.restarts or self.is_away or time.monotonic() > until:
                    self.is_away = True
                    raise DatabaseAwayError from problem
                time.sleep(_PAUSE)
            else:
                self.is_away = False
                return result

    return call
