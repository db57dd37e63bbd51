"""A round of questions of mixed kinds, no kind twice before all have come; missed questions return with new numbers.

The next question is a function of the round and the answers so far. So its attempt is all that has to be stored. The
activity is the round's settings: `quiz.t.17.4.easy.10`; `quiz.t.88-17.8.easy.10` has the kinds of question of seed 17,
with other numbers. The letter stands for the round's rules (KINDS_ASKED). Links are not trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from lab.activities.answer import decode_value, encode_value
from lab.activities.attempt import Answer, Attempt
from lab.activities.question import Grade, Sure, Value
from lab.engine.errors import InvalidLinkError
from lab.quiz.concepts import find_other_kind
from lab.quiz.generate import KINDS, generate, generate_named
from lab.quiz.grade import find_idea_to_retry, grade
from lab.quiz.question import DIFFICULTIES, MAX_SEED, Difficulty, QuestionName, QuizQuestion

KIND = "quiz"
LENGTH = 10
MAX_LENGTH = 20
GAP = 3  # a missed idea returns after so many questions, earlier only if the round ends before that
_TRIES = 40

# A round keeps the rules that it began with, so that its link still opens the same questions. By the link's letter: how
# many kinds are asked, from the first of KINDS on. Under `r`, statements may be the same again when a missed question
# returns, and for an order without a free block the two ideas of _TRIED_BEFORE change places.
KINDS_ASKED: dict[str, int] = {"r": 17, "s": 17, "t": 18}
_SEED = r"0|[1-9][0-9]{0,5}"
_ACTIVITY = re.compile(
    rf"{KIND}\.([{''.join(KINDS_ASKED)}])\.({_SEED})(?:-({_SEED}))?\.([1-9][0-9]?)\."
    rf"({'|'.join(DIFFICULTIES)})\.([1-9][0-9]?)"
)
_TRIED_BEFORE = {"slip_preempts_unasked": "act_without_block", "act_without_block": "slip_preempts_unasked"}


@dataclass(frozen=True)
class Round:
    """A round and the answers so far. Raises InvalidLinkError for numbers out of range.

    `kinds_of`: seed of the round that gives this one its kinds, in the same order; None: its own seed.
    `rules`: a letter of KINDS_ASKED.
    """

    seed: int
    block_size: int
    difficulty: Difficulty
    length: int = LENGTH
    answers: tuple[Answer, ...] = ()
    kinds_of: int | None = None
    rules: str = list(KINDS_ASKED)[-1]

    def __post_init__(self) -> None:
        QuestionName(KINDS[0], self.seed, self.block_size, self.difficulty)
        QuestionName(KINDS[0], self.kinds_seed, self.block_size, self.difficulty)
        if self.kinds_of == self.seed:
            raise InvalidLinkError(part="round", reason="not written as we write it")
        if not 1 <= self.length <= MAX_LENGTH or len(self.answers) > self.length:
            raise InvalidLinkError(part="round", reason="a number out of range")

    @classmethod
    def read(cls, attempt: Attempt) -> Round:
        """The round of an attempt. Raises InvalidLinkError. Draws the questions that were answered."""
        match = _ACTIVITY.fullmatch(attempt.activity)
        if match is None or attempt.operations:
            raise InvalidLinkError(part="round", reason="not a round")
        rules, seed, kinds_of, size, name, length = match.groups()
        difficulty = next(each for each in DIFFICULTIES if each == name)
        kinds = int(kinds_of) if kinds_of else None
        played = cls(int(seed), int(size), difficulty, int(length), attempt.answers, kinds, rules)
        play_turns(played)
        return played

    @property
    def activity(self) -> str:
        """The settings as the activity of its attempt."""
        seed = f"{self.seed}" if self.kinds_of is None else f"{self.seed}-{self.kinds_of}"
        return f"{KIND}.{self.rules}.{seed}.{self.block_size}.{self.difficulty}.{self.length}"

    @property
    def attempt(self) -> Attempt:
        """The attempt that stands for it."""
        return Attempt(self.activity, self.answers)

    @property
    def kinds_seed(self) -> int:
        """The seed that orders the kinds."""
        return self.seed if self.kinds_of is None else self.kinds_of

    @property
    def over(self) -> bool:
        """Has every question been answered?"""
        return len(self.answers) == self.length

    def answered(self, value: Value, sure: Sure | None = None) -> Round:
        """This round with an answer to the open question. Raises InvalidLinkError if it is over."""
        answer = Answer(encode_value(play_turns(self)[-1].question, value), sure)
        return replace(self, answers=(*self.answers, answer))


@dataclass(frozen=True)
class Turn:
    """One question of a round. `result` is None while it is open; `again`: index of the turn that it retries."""

    question: QuizQuestion
    result: Grade | None
    again: int | None = None

    @property
    def missed(self) -> bool:
        """Was it answered wrongly?"""
        return self.result is not None and not self.result.right


@lru_cache(maxsize=64)
def play_turns(played: Round) -> tuple[Turn, ...]:
    """The questions so far, and the open one if the round is not over. Pure. Raises InvalidLinkError for an answer
    that is none to its question."""
    asked = KINDS[: KINDS_ASKED[played.rules]]
    kinds = Random(f"round.{played.kinds_seed}").sample(asked, len(asked))
    made: list[Turn] = []
    waiting: list[int] = []  # missed turns that have not returned yet
    fresh = 0
    for i in range(min(len(played.answers) + 1, played.length)):
        if waiting and (i - waiting[0] >= GAP or len(waiting) >= played.length - i):
            again = waiting.pop(0)
            question = _draw_retry(played, i, made[again])
        else:
            again = None
            question = _draw_question(played, kinds[fresh % len(kinds)], i)
            fresh += 1
        given = played.answers[i : i + 1]
        result = grade(question, decode_value(question, given[0].value)) if given else None
        made.append(Turn(question, result, again))
        if made[-1].missed:
            waiting.append(i)
    return tuple(made)


def _draw_question(played: Round, kind: str, i: int) -> QuizQuestion:
    """A question of that kind for position i of the round."""
    seed = Random(f"round.{played.seed}.{i}").randint(0, MAX_SEED)
    return generate(kind, seed, played.block_size, played.difficulty)


def _draw_retry(played: Round, i: int, missed: Turn) -> QuizQuestion:
    """The missed question with other numbers or statements, such that the same idea would show again."""
    first = missed.question
    idea, name = find_idea_to_retry(first, missed.result.answer) if missed.result else "", first.name
    if played.rules == "r":
        if first.facts.get("case") == "preempted":
            idea = _TRIED_BEFORE.get(idea, idea)
    elif (other_kind := find_other_kind(name.kind)) is not None:
        name = replace(name, kind=other_kind)
    rng = Random(f"again.{played.seed}.{i}")
    other: QuizQuestion | None = None
    for _ in range(_TRIES):
        question = generate_named(replace(name, seed=rng.randint(0, MAX_SEED)))
        if (question.config, question.operations) == (first.config, first.operations):
            continue
        if not idea or idea in question.ideas:
            return question
        other = other or question
    return other or first
