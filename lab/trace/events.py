"""What the engine did, one change or decision at a time. Codes and numbers, no prose.

An event is emitted after its change. `code` is the key of its sentence in lessons/text/strings/*/events.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class RequestArrived:
    """The scheduler has a request with these tokens; it holds nothing yet."""

    code: ClassVar[str] = "request_arrived"
    seq_id: str
    token_ids: tuple[int, ...]
    num_tokens: int
    pages: int


@dataclass(frozen=True)
class AllocateChecked:
    """can_allocate answered. `needs` of `pages` blocks come from the free queue, which holds `free`."""

    code: ClassVar[str] = "allocate_checked"
    seq_id: str
    pages: int
    needs: int
    free: int
    answer: bool


@dataclass(frozen=True)
class BlockShared:
    """A block found in the prefix cache became page `page`. `was_free`: it was revived from the free queue."""

    code: ClassVar[str] = "block_shared"
    seq_id: str
    page: int
    block_id: int
    ref_before: int
    ref_after: int
    was_free: bool


@dataclass(frozen=True)
class HashForgotten:
    """A free block is about to be overwritten: the prefix that it held can no longer be found there."""

    code: ClassVar[str] = "hash_forgotten"
    block_id: int


@dataclass(frozen=True)
class BlockTaken:
    """The head of the free queue became page `page`. `by`: "allocate" or "may_append"."""

    code: ClassVar[str] = "block_taken"
    seq_id: str
    page: int
    block_id: int
    ref_before: int
    ref_after: int
    by: str


@dataclass(frozen=True)
class KVWritten:
    """K and V of these tokens were written to these slots of the tensor."""

    code: ClassVar[str] = "kv_written"
    seq_id: str
    token_ids: tuple[int, ...]
    positions: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True)
class BlockHashed:
    """A full block can now be found by its content and everything before it."""

    code: ClassVar[str] = "block_hashed"
    block_id: int
    hash: int
    token_ids: tuple[int, ...]


@dataclass(frozen=True)
class TokenAppended:
    """append_token: the sequence is longer; its KV is not written yet."""

    code: ClassVar[str] = "token_appended"
    seq_id: str
    token_id: int
    len_before: int
    len_after: int


@dataclass(frozen=True)
class AppendChecked:
    """can_append answered; nothing changed. `needs`: blocks (0 or 1)."""

    code: ClassVar[str] = "append_checked"
    seq_id: str
    needs: int
    free: int
    answer: bool


@dataclass(frozen=True)
class PageHasRoom:
    """may_append took nothing: the last token lies in a page that the table already has."""

    code: ClassVar[str] = "page_has_room"
    seq_id: str
    page: int
    block_id: int


@dataclass(frozen=True)
class ReferenceDropped:
    """deallocate dropped the reference of page `page`."""

    code: ClassVar[str] = "reference_dropped"
    seq_id: str
    page: int
    block_id: int
    ref_before: int
    ref_after: int


@dataclass(frozen=True)
class BlockFreed:
    """ref_count reached 0: the block joined the free queue, which now holds `free`: its tail, or `first` its head."""

    code: ClassVar[str] = "block_freed"
    block_id: int
    free: int
    first: bool = False


@dataclass(frozen=True)
class RequestEnded:
    """The request is gone; it holds nothing."""

    code: ClassVar[str] = "request_ended"
    seq_id: str


@dataclass(frozen=True)
class Refused:
    """The engine refused. `reason` is the code of a LabError; `numbers` are its numbers, sorted by name."""

    code: ClassVar[str] = "refused"
    seq_id: str
    reason: str
    numbers: tuple[tuple[str, int | str], ...]


@dataclass(frozen=True)
class TokenWithdrawn:
    """The token of a refused append was taken back (nano-vLLM keeps it and preempts instead)."""

    code: ClassVar[str] = "token_withdrawn"
    seq_id: str
    token_id: int
    len_before: int
    len_after: int


@dataclass(frozen=True)
class RequestWithdrawn:
    """A request that was refused at allocate left again."""

    code: ClassVar[str] = "request_withdrawn"
    seq_id: str


Event = (
    RequestArrived
    | AllocateChecked
    | BlockShared
    | HashForgotten
    | BlockTaken
    | KVWritten
    | BlockHashed
    | TokenAppended
    | AppendChecked
    | PageHasRoom
    | ReferenceDropped
    | BlockFreed
    | RequestEnded
    | Refused
    | TokenWithdrawn
    | RequestWithdrawn
)


def format_hash(value: int) -> str:
    """The first hex digits of a block's hash, as texts and pictures show it. Pure."""
    return f"{value:016x}"[:6]
