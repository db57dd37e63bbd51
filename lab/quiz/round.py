"""A round of questions: mixed kinds, none twice before all were asked; what was missed comes again with other numbers.

Which question comes next is a function of the round and the answers so far, so a round is its short text (see
lab.quiz.round_link) and nothing else needs to be kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from lab.errors import InvalidLinkError
from lab.quiz.answer import grade
from lab.quiz.generate import KINDS, generate, generate_named
from lab.quiz.question import MAX_SEED, Difficulty, Name, Question, Result, Value

LENGTH = 10
MAX_LENGTH = 20
GAP = 3  # a missed idea comes again so many questions later, sooner only where the round ends before that
_TRIES = 40


@dataclass(frozen=True)
class Round:
    """A round and the parsed answers so far. Raises InvalidLinkError for numbers out of range."""

    seed: int
    block_size: int
    difficulty: Difficulty
    length: int = LENGTH
    answers: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        Name(KINDS[0], self.seed, self.block_size, self.difficulty)
        if not 1 <= self.length <= MAX_LENGTH or len(self.answers) > self.length:
            raise InvalidLinkError(part="round", reason="a number out of range")

    @property
    def over(self) -> bool:
        """Has every question been answered?"""
        return len(self.answers) == self.length

    def answered(self, value: Value) -> Round:
        """This round with one more answer. Raises InvalidLinkError if it is over."""
        return replace(self, answers=(*self.answers, value))


@dataclass(frozen=True)
class Turn:
    """One question of a round. `result` is None while it is open; `again`: the turn that it repeats, if any."""

    question: Question
    result: Result | None
    again: int | None = None

    @property
    def missed(self) -> bool:
        """Was it answered wrongly?"""
        return self.result is not None and not self.result.right


@dataclass(frozen=True)
class Summary:
    """What a round has shown so far.

    `seen`: ideas that the questions tried, and slips that were made, in order. `shaky`: those fallen for when last
    tried. `mastered`: the other ones. `unclear`: kinds last answered wrongly for no reason that we know of.
    """

    right: int
    answered: int
    seen: tuple[str, ...]
    mastered: tuple[str, ...]
    shaky: tuple[str, ...]
    unclear: tuple[str, ...]


@lru_cache(maxsize=64)
def turns(played: Round) -> tuple[Turn, ...]:
    """The questions so far, and the open one if the round is not over. Pure."""
    kinds = Random(f"round.{played.seed}").sample(KINDS, len(KINDS))
    made: list[Turn] = []
    waiting: list[int] = []  # turns that were missed and have not come again
    fresh = 0
    for i in range(min(len(played.answers) + 1, played.length)):
        if waiting and (i - waiting[0] >= GAP or len(waiting) >= played.length - i):
            again = waiting.pop(0)
            question = _once_more(played, i, made[again])
        else:
            again = None
            question = _drawn(played, kinds[fresh % len(kinds)], i)
            fresh += 1
        result = grade(question, played.answers[i]) if i < len(played.answers) else None
        made.append(Turn(question, result, again))
        if made[-1].missed:
            waiting.append(i)
    return tuple(made)


def _drawn(played: Round, kind: str, i: int) -> Question:
    """A question of that kind, for place i of the round."""
    seed = Random(f"round.{played.seed}.{i}").randint(0, MAX_SEED)
    return generate(kind, seed, played.block_size, played.difficulty)


def _once_more(played: Round, i: int, missed: Turn) -> Question:
    """The missed question with other numbers, such that the same idea would show again."""
    first, idea = missed.question, missed.result.idea if missed.result else ""
    rng = Random(f"again.{played.seed}.{i}")
    other: Question | None = None
    for _ in range(_TRIES):
        question = generate_named(replace(first.name, seed=rng.randint(0, MAX_SEED)))
        if (question.config, question.operations) == (first.config, first.operations):
            continue
        if not idea or idea in question.ideas:
            return question
        other = other or question
    return other or first


def summary(played: Round) -> Summary:
    """What the answers so far show. Pure."""
    done = [turn for turn in turns(played) if turn.result is not None]
    held: dict[str, bool] = {}  # by idea, in the order in which they were met; the last trial counts
    clear: dict[str, bool] = {}
    for turn in done:
        right, idea = not turn.missed, turn.result.idea if turn.result else ""
        clear[turn.question.name.kind] = right or bool(idea)
        tried = [i for i in turn.question.ideas if i in held or not is_slip(i)] if right else [idea]
        held.update((i, right) for i in tried if i)
    return Summary(
        right=sum(not turn.missed for turn in done),
        answered=len(done),
        seen=tuple(held),
        mastered=_where(held, True),
        shaky=_where(held, False),
        unclear=_where(clear, False),
    )


def is_slip(idea: str) -> bool:
    """Is it a plain slip, not a misconception?"""
    return idea.startswith("slip_")


def _where(flags: dict[str, bool], wanted: bool) -> tuple[str, ...]:
    return tuple(name for name, flag in flags.items() if flag is wanted)
