"""The phases of a class and the steps between them: read, vote, talk, vote again, reveal (Peer Instruction; Crouch and
Mazur, "Peer Instruction: Ten years of experience and results", 2001)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from lab.classroom.errors import StepNotOfferedError

Phase = Literal["lobby", "read", "first", "closed", "second", "closed_again", "revealed"]
Step = Literal["ask", "open", "close", "vote_again", "reveal"]
PHASES: tuple[Phase, ...] = get_args(Phase)

# What the instructor may do in each phase, and where it leads; the first step is the usual one.
_STEPS: dict[Phase, dict[Step, Phase]] = {
    "lobby": {"ask": "read"},
    "read": {"open": "first", "ask": "read"},
    "first": {"close": "closed"},
    "closed": {"reveal": "revealed", "vote_again": "second"},
    "second": {"close": "closed_again"},
    "closed_again": {"reveal": "revealed"},
    "revealed": {"ask": "read"},
}
_ROUNDS: dict[Phase, int] = {"first": 1, "second": 2}


@dataclass(frozen=True)
class ClassState:
    """What everybody in the class may know. `spec`: what produces the question in view; "" before the first."""

    code: str
    phase: Phase
    question: int
    spec: str


@dataclass(frozen=True)
class Counts:
    """For the instructor: how many are in, and how many have answered in the round that is open or was held last.

    voted_at  seconds since the epoch: the latest answer of that round, changed ones too; 0 before the first.
    """

    participants: int
    votes: int
    voted_at: float = field(default=0.0, compare=False)


def get_steps(phase: Phase) -> tuple[Step, ...]:
    """The steps that are offered in this phase. Pure."""
    return tuple(_STEPS[phase])


def take_step(phase: Phase, step: Step) -> Phase:
    """The phase after that step. Pure. Raises StepNotOfferedError."""
    if step not in _STEPS[phase]:
        raise StepNotOfferedError(step=step, phase=phase)
    return _STEPS[phase][step]


def get_open_round(phase: Phase) -> int | None:
    """The round whose votes are being taken: 1, 2, or None. Pure."""
    return _ROUNDS.get(phase)


def suggest_second_vote(right: int, votes: int) -> bool:
    """Is talking worth it? When between one and two thirds were right: fewer cannot convince, more need not. Pure."""
    return votes > 0 and votes <= 3 * right <= 2 * votes
