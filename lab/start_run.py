"""The run behind Start's picture: requests that each take one contiguous piece, until one finds no hole.

It shows the trouble that the first lesson's opening question is about, and not the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.config import Request
from lab.contiguous import ContiguousAllocator, ContiguousSnapshot, Policy, run_contiguous
from lab.operations import Allocate, Operation, Release
from lab.scenarios import A_PROMPT, B_FIFTH, B_PROMPT, FURTHER

SLOTS = 32
_REQUESTS = (
    Request("C", (*B_PROMPT, B_FIFTH), FURTHER[:4]),
    Request("D", A_PROMPT[7:], FURTHER[:2]),
    Request("E", A_PROMPT[:8], FURTHER[:1]),
    Request("F", A_PROMPT[:9], FURTHER[:2]),
)
_OPERATIONS: tuple[Operation, ...] = (Allocate("C"), Allocate("D"), Allocate("E"), Release("D"), Allocate("F"))


@dataclass(frozen=True)
class StartStep:
    """The pool after one operation. `caption` names its words, `numbers` are their values, all of the run."""

    caption: str
    state: ContiguousSnapshot
    numbers: dict[str, int | str]


def start_steps() -> tuple[StartStep, ...]:
    """Run the allocator and tell each operation. Pure."""
    pool = ContiguousAllocator(SLOTS, SLOTS, Policy.TRUE_LENGTH)
    before, steps = pool.snapshot(), []
    for operation, state in zip(_OPERATIONS, run_contiguous(pool, _REQUESTS, _OPERATIONS), strict=True):
        steps.append(_step(operation, before, state))
        before = state
    return tuple(steps)


def _step(operation: Operation, before: ContiguousSnapshot, state: ContiguousSnapshot) -> StartStep:
    seq_id = operation.seq_id
    if state.refusal is not None:
        return StartStep("refused", state, {"seq": seq_id, **state.refusal.numbers})
    if isinstance(operation, Release):
        gone = next(view for view in before.requests if view.request.seq_id == seq_id)
        return StartStep("released", state, {"seq": seq_id, "slots": gone.reserved, "free": state.free})
    view = next(view for view in state.requests if view.request.seq_id == seq_id)
    last = view.start + view.reserved - 1
    return StartStep("arrived", state, {"seq": seq_id, "slots": view.reserved, "first": view.start, "last": last})
