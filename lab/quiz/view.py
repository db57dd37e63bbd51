"""What a learner may see of a question's run: the state before the operations in question, and the last state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lab.quiz.question import QuizQuestion
from lab.quiz.run import run
from lab.trace.config import Config
from lab.trace.operations import AppendToken, Operation
from lab.trace.snapshot import Snapshot

# Kinds that ask what the last operation does (or the last few: a token appended step by step). All others ask about
# the last state, which stays hidden until the answer.
LAST_OPERATION = frozenset(
    {"table", "needs_page", "can_append", "which_id", "order", "released", "mark_released", "queue_after"},
)


@dataclass(frozen=True)
class QuizView:
    """A state that may be shown. `steps`: how many operations led to it."""

    state: Snapshot
    steps: int


def view_before(question: QuizQuestion) -> QuizView | None:
    """What a learner may see before the answer; None if ids do not matter. Pure.

    An easy question about one operation shows the state right before it. All others show the pool at the start, because
    following the operations is part of the question.
    """
    if not question.shows_queue or question.form == "several" or question.name.kind == "empty_slots":
        return None
    states = _run_states(question)
    about_last = question.name.difficulty == "easy" and question.name.kind in LAST_OPERATION
    done = _count_before(question) if about_last else 0
    return QuizView(states[done], done)


def view_after(question: QuizQuestion) -> QuizView:
    """The state at the end of the run. Pure."""
    states = _run_states(question)
    return QuizView(states[-1], len(states) - 1)


def view_before_last(question: QuizQuestion) -> Snapshot | None:
    """The state before the last operation, if the question is about it: a picture can then show the change. Pure."""
    return _run_states(question)[_count_before(question)] if question.name.kind in LAST_OPERATION else None


def _count_before(question: QuizQuestion) -> int:
    """How many operations come before those in question."""
    last = len(question.operations) - 1
    return next((i for i, operation in enumerate(question.operations) if isinstance(operation, AppendToken)), last)


def view_other_block_size(question: QuizQuestion) -> Snapshot | None:
    """The last state at the other block_size, if a question asks about two. Pure."""
    return run(question.other, question.operations)[-1].after if question.other else None


def _run_states(question: QuizQuestion) -> tuple[Snapshot, ...]:
    """Every state of the run, starting before the first operation."""
    return _run(question.config, question.operations)


@lru_cache(maxsize=64)
def _run(config: Config, operations: tuple[Operation, ...]) -> tuple[Snapshot, ...]:
    steps = run(config, operations)
    return (steps[0].before, *(step.after for step in steps))
