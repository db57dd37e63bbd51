"""Config: everything that, with a log of operations, determines a run. And the lab's limits."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import InvalidFreeQueueError, InvalidSizeError, LimitError, UnknownRequestError

MAX_BLOCKS = 64
MAX_BLOCK_SIZE = 16
MAX_TOKENS = 128  # per request
MAX_REQUESTS = 12  # live at once
MAX_OPERATIONS = 200


@dataclass(frozen=True)
class Request:
    """The tokens of one request: its prompt, then what it appends one by one (over again when used up)."""

    seq_id: str
    prompt: tuple[int, ...]
    continuation: tuple[int, ...]


@dataclass(frozen=True)
class Config:
    """A scenario's pool and requests. Raises InvalidSizeError, InvalidFreeQueueError, LimitError."""

    num_blocks: int
    block_size: int
    free_block_ids: tuple[int, ...]
    requests: tuple[Request, ...]

    def __post_init__(self) -> None:
        for name, value, limit in (
            ("num_blocks", self.num_blocks, MAX_BLOCKS),
            ("block_size", self.block_size, MAX_BLOCK_SIZE),
        ):
            if value < 1:
                raise InvalidSizeError(name=name, value=value, minimum=1)
            check_limit(name, value, limit)
        if sorted(self.free_block_ids) != list(range(self.num_blocks)):
            raise InvalidFreeQueueError(num_blocks=self.num_blocks, length=len(self.free_block_ids))
        for request in self.requests:
            check_limit("tokens", len(request.prompt), MAX_TOKENS)

    def request(self, seq_id: str) -> Request:
        """The request of that name. Raises UnknownRequestError."""
        for request in self.requests:
            if request.seq_id == seq_id:
                return request
        raise UnknownRequestError(seq_id=seq_id)


def check_limit(name: str, value: int, limit: int) -> None:
    """Raise LimitError if value is over the limit."""
    if value > limit:
        raise LimitError(name=name, value=value, limit=limit)
