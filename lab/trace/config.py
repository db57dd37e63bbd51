"""Config: everything that, with a list of operations, determines a run. Also the lab's limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lab.engine.errors import (
    EmptyPromptError,
    InvalidFreeQueueError,
    InvalidSizeError,
    InvalidTokenError,
    LimitError,
    RequestExistsError,
    UnknownRequestError,
)
from lab.engine.vllm_manager import FIRST_ID, VERSION

MAX_BLOCKS = 64
MAX_BLOCK_SIZE = 16
MAX_TOKENS = 128  # per request
MAX_REQUESTS = 12  # live at once
MAX_OPERATIONS = 200
VOCABULARY = 1024  # token ids 0..1023

# Whose block manager runs: nano-vLLM's, or vLLM's with prefix caching on or off.
Engine = Literal["nano_vllm", "vllm", "vllm_uncached"]
ENGINE_NAMES: dict[Engine, str] = {
    "nano_vllm": "nano-vLLM",
    "vllm": f"vLLM {VERSION}, enable_prefix_caching=True",
    "vllm_uncached": f"vLLM {VERSION}, enable_prefix_caching=False",
}


@dataclass(frozen=True)
class Request:
    """The tokens of one request: its prompt, then the tokens that it appends one by one, repeated from the start when
    they run out.

    Raises EmptyPromptError (no prompt, or nothing to append) and InvalidTokenError. A token id that the model does not
    know must be refused here, before a block is taken for it.
    """

    seq_id: str
    prompt: tuple[int, ...]
    continuation: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.prompt or not self.continuation:
            raise EmptyPromptError(seq_id=self.seq_id)
        for token_id in (*self.prompt, *self.continuation):
            if not 0 <= token_id < VOCABULARY:
                raise InvalidTokenError(seq_id=self.seq_id, value=token_id)


@dataclass(frozen=True)
class Config:
    """A scenario's pool and requests. `num_blocks` counts vLLM's null block, which is not in the free queue.

    words  the model's word for each token id, see lab.trace.vocabulary; None if the ids are those of the vocabulary.

    Raises InvalidSizeError, InvalidFreeQueueError, RequestExistsError, LimitError.
    """

    num_blocks: int
    block_size: int
    free_block_ids: tuple[int, ...]
    requests: tuple[Request, ...]
    engine: Engine = "nano_vllm"
    words: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name, value, limit in (
            ("num_blocks", self.num_blocks, MAX_BLOCKS),
            ("block_size", self.block_size, MAX_BLOCK_SIZE),
        ):
            least = 1 + self.first_id if name == "num_blocks" else 1
            if value < least:
                raise InvalidSizeError(name=name, value=value, minimum=least)
            check_limit(name, value, limit)
        if sorted(self.free_block_ids) != list(range(self.first_id, self.num_blocks)):
            raise InvalidFreeQueueError(num_blocks=self.num_blocks, length=len(self.free_block_ids))
        names: set[str] = set()
        for request in self.requests:
            check_limit("tokens", len(request.prompt), MAX_TOKENS)
            if request.seq_id in names:
                raise RequestExistsError(seq_id=request.seq_id)
            names.add(request.seq_id)

    @property
    def first_id(self) -> int:
        """The first block that can be handed out."""
        return 0 if self.engine == "nano_vllm" else FIRST_ID

    def run_by(self, engine: Engine) -> Config:
        """The same pool and requests for another engine; for vLLM, block 0 is not in the queue. Pure.

        Raises InvalidSizeError if the pool has nothing but the null block.
        """
        queue = tuple(block_id for block_id in self.free_block_ids if engine == "nano_vllm" or block_id >= FIRST_ID)
        return replace(self, engine=engine, free_block_ids=queue)

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
