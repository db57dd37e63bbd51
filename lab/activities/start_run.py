"""The run behind Start's picture: each request takes one contiguous piece, until a request finds no hole.

It shows the problem behind the first lesson's opening question without giving the answer away.
"""

from __future__ import annotations

from dataclasses import dataclass

from lab.trace.config import Request
from lab.trace.contiguous import ContiguousAllocator, ContiguousSnapshot, ReservePolicy, run_contiguous
from lab.trace.operations import Allocate, Operation, Release
from lab.trace.presets import A_PROMPT, B_FIFTH, B_PROMPT, FURTHER

SLOTS = 32
_REQUESTS = (
    Request("C", (*B_PROMPT, B_FIFTH), FURTHER[:4]),
    Request("D", A_PROMPT[4:8], FURTHER[:2]),
    Request("E", A_PROMPT[:8], FURTHER[:1]),
    Request("F", A_PROMPT[:9], FURTHER[:2]),
)
_OPERATIONS: tuple[Operation, ...] = (Allocate("C"), Allocate("D"), Allocate("E"), Release("D"), Allocate("F"))


@dataclass(frozen=True)
class StartStep:
    """The pool after one operation. `caption` is the key of its text; `numbers` are the values, all from the run."""

    caption: str
    state: ContiguousSnapshot
    numbers: dict[str, int | str]


def run_start_steps() -> tuple[StartStep, ...]:
    """Run the allocator and describe each operation. Pure."""
    pool = ContiguousAllocator(SLOTS, SLOTS, ReservePolicy.TRUE_LENGTH)
    before, steps = pool.snapshot(), []
    for operation, state in zip(_OPERATIONS, run_contiguous(pool, _REQUESTS, _OPERATIONS), strict=True):
        steps.append(_build_step(operation, before, state))
        before = state
    return tuple(steps)


def _build_step(operation: Operation, before: ContiguousSnapshot, state: ContiguousSnapshot) -> StartStep:
    seq_id = operation.seq_id
    if state.refusal is not None:
        return StartStep("refused", state, {"seq": seq_id, **state.refusal.numbers})
    if isinstance(operation, Release):
        gone = next(view for view in before.requests if view.request.seq_id == seq_id)
        return StartStep("released", state, {"seq": seq_id, "slots": gone.reserved, "free": state.free})
    view = next(view for view in state.requests if view.request.seq_id == seq_id)
    last = view.start + view.reserved - 1
    return StartStep("arrived", state, {"seq": seq_id, "slots": view.reserved, "first": view.start, "last": last})
