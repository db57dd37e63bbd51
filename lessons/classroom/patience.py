"""A database that is away for a moment, as while it restarts: a transaction is tried again, and then given up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import streamlit as st
from sqlalchemy.exc import DBAPIError

from lab.classroom.errors import DatabaseAwayError
from lessons.text.sentences import format_error
from lessons.text.translations import Translations

PATIENCE = 8.0  # seconds: PostgreSQL restarts in one or two
_PAUSE = 0.2  # seconds between two tries

_P = ParamSpec("_P")
_R = TypeVar("_R")


class _Server(Protocol):
    """What speaks to a database. `restarts`: it is a server, which may come back."""

    restarts: bool


_S = TypeVar("_S", bound=_Server)


def keep_trying(transact: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R]:
    """Make a method try its transaction again while the database is away. Raises DatabaseAwayError after PATIENCE.

    A transaction whose end was cut off may be done twice, so it must do no harm twice.
    """

    @wraps(transact)
    def call(self: _S, /, *args: _P.args, **others: _P.kwargs) -> _R:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return transact(self, *args, **others)
            except DBAPIError as problem:
                if not self.restarts or time.monotonic() > until:
                    raise DatabaseAwayError from problem
                time.sleep(_PAUSE)

    return call


@contextmanager
def tell_if_away(words: Translations) -> Iterator[None]:
    """Draw a part of a page; if the database is away, draw a sentence that says so instead of the rest."""
    try:
        yield
    except DatabaseAwayError as problem:
        st.warning(format_error(problem, words))
