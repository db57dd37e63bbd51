"""What a learner can do to the engine. Frozen values, each with a short text for links: aA, tB, rA."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.errors import InvalidLinkError

SEQ_ID = re.compile(r"[A-Z][0-9]?")  # the names that requests may have


@dataclass(frozen=True)
class Allocate:
    """A request arrives with its prompt and asks for blocks."""

    seq_id: str


@dataclass(frozen=True)
class Append:
    """One more token of a running request: append_token, can_append, may_append, KV."""

    seq_id: str


@dataclass(frozen=True)
class Release:
    """A request ends: deallocate."""

    seq_id: str


Operation = Allocate | Append | Release

_LETTERS: dict[str, type[Allocate] | type[Append] | type[Release]] = {"a": Allocate, "t": Append, "r": Release}
_BY_TYPE = {kind: letter for letter, kind in _LETTERS.items()}


def operation_text(operation: Operation) -> str:
    """Short text of an operation: one letter and the request's name."""
    return _BY_TYPE[type(operation)] + operation.seq_id


def parse_operation(text: str) -> Operation:
    """Inverse of operation_text. Raises InvalidLinkError."""
    kind = _LETTERS.get(text[:1])
    if kind is None or not SEQ_ID.fullmatch(text[1:]):
        raise InvalidLinkError(part="log", reason="unknown operation")
    return kind(text[1:])
