"""Prepared configurations."""

from __future__ import annotations

import re

from lab.engine.errors import InvalidLinkError
from lab.trace.config import Config, Request, check_limit
from lab.trace.operations import Allocate, Append, Operation, Release

# An order in which a pool that has served many requests might hand out its blocks.
USED_QUEUE = (7, 2, 14, 9, 5, 11, 3, 0, 12, 6, 1, 15, 8, 4, 10, 13)

# Token ids of the task; lessons/text/strings/*.toml gives each id its text in each language.
A_PROMPT = tuple(range(1, 12))
B_PROMPT = tuple(range(12, 16))
B_FIFTH = 16
FURTHER = tuple(range(17, 22))

MAX_ID = 999  # of a block in a text
_IDS = re.compile(r"(?:0|[1-9][0-9]{0,3})(?:-(?:0|[1-9][0-9]{0,3}))*")

# The task's operations in the chapter's order.
PLAN: tuple[Operation, ...] = (Allocate("A"), Allocate("B"), Append("B"), Release("A"), Release("B"))


def build_task_config(block_size: int = 4, free_block_ids: tuple[int, ...] = USED_QUEUE) -> Config:
    """The chapter's default task: A with 11 tokens and B with 4. Raises what Config raises."""
    return Config(
        num_blocks=len(free_block_ids),
        block_size=block_size,
        free_block_ids=free_block_ids,
        requests=(Request("A", A_PROMPT, FURTHER), Request("B", B_PROMPT, (B_FIFTH, *FURTHER))),
    )


def build_example_config(block_size: int) -> Config:
    """One small request on its own pool, for the figure that introduces the terms. Raises what Config raises."""
    return Config(
        num_blocks=8,
        block_size=block_size,
        free_block_ids=(6, 3, 1, 4, 0, 7, 2, 5),
        requests=(Request("C", (*B_PROMPT, B_FIFTH, *FURTHER[:3]), FURTHER),),
    )


def build_fresh_queue(num_blocks: int = len(USED_QUEUE)) -> tuple[int, ...]:
    """The queue of an unused pool: 0, 1, 2, ..."""
    return tuple(range(num_blocks))


def name_queue(queue: tuple[int, ...]) -> str:
    """Short text of a free queue of the task: `used`, `fresh`, or the ids with `-` between them."""
    return next((name for name, ids in _QUEUES.items() if ids == queue), None) or "-".join(map(str, queue))


def parse_queue(text: str) -> tuple[int, ...]:
    """Inverse of name_queue. Raises InvalidLinkError, LimitError. Whether the ids are a pool, Config checks."""
    if text in _QUEUES:
        return _QUEUES[text]
    if not _IDS.fullmatch(text):
        raise InvalidLinkError(part="pool", reason="not a queue")
    ids = tuple(map(int, text.split("-")))
    check_limit("pool", max(ids), MAX_ID)
    return ids


_QUEUES = {"used": USED_QUEUE, "fresh": build_fresh_queue()}
