"""What a learner can do to the engine. Frozen values, each with a short text for links: aA, tB, rA, kB, cB, mB."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.engine.errors import InvalidLinkError

SEQ_ID = re.compile(r"[A-Z][0-9]?")  # the names that requests may have


@dataclass(frozen=True)
class Allocate:
    """A request arrives with its prompt and asks for blocks."""

    seq_id: str


@dataclass(frozen=True)
class Append:
    """One more token of a running request, in one go: append_token, can_append, may_append, KV."""

    seq_id: str


@dataclass(frozen=True)
class AppendToken:
    """append_token alone: the scheduler adds the sampled token to the sequence; its KV is not written yet."""

    seq_id: str


@dataclass(frozen=True)
class CanAppend:
    """can_append alone: checks the sequence as it is; changes nothing."""

    seq_id: str


@dataclass(frozen=True)
class MayAppend:
    """may_append alone; then the model runner writes the KV of the pending token, if there is one."""

    seq_id: str


@dataclass(frozen=True)
class Release:
    """A request ends: deallocate."""

    seq_id: str


Operation = Allocate | Append | AppendToken | CanAppend | MayAppend | Release

_LETTERS: dict[str, type[Operation]] = {
    "a": Allocate,
    "t": Append,
    "k": AppendToken,
    "c": CanAppend,
    "m": MayAppend,
    "r": Release,
}
_BY_TYPE = {kind: letter for letter, kind in _LETTERS.items()}
_NAMES: dict[type[Operation], str] = {
    Allocate: "allocate",
    Append: "append",
    AppendToken: "append_token",
    CanAppend: "can_append",
    MayAppend: "may_append",
    Release: "release",
}


def name_operation(operation: Operation) -> str:
    """The key of an operation's kind in the translations."""
    return _NAMES[type(operation)]


def encode_operation(operation: Operation) -> str:
    """Short text of an operation: one letter and the request's name."""
    return _BY_TYPE[type(operation)] + operation.seq_id


def parse_operation(text: str) -> Operation:
    """Inverse of encode_operation. Raises InvalidLinkError."""
    kind = _LETTERS.get(text[:1])
    if kind is None or not SEQ_ID.fullmatch(text[1:]):
        raise InvalidLinkError(part="log", reason="unknown operation")
    return kind(text[1:])
