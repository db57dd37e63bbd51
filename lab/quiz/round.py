"""A round of questions of mixed kinds, no kind twice before all have come; missed questions return with new numbers.

The next question is a function of the round and the answers so far. So the short text of a round (see
lab.quiz.link) is all that has to be stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from lab.activities.ideas import is_slip
from lab.activities.question import Grade, Value
from lab.engine.errors import InvalidLinkError
from lab.quiz.concepts import find_other_kind, get_base_kind
from lab.quiz.generate import KINDS, generate, generate_named
from lab.quiz.grade import find_idea_to_retry, grade
from lab.quiz.question import MAX_SEED, Difficulty, QuestionName, QuizQuestion

LENGTH = 10
MAX_LENGTH = 20
GAP = 3  # a missed idea returns after so many questions, earlier only if the round ends before that
_TRIES = 40

# A round keeps the rules that it began with, so that its link still opens the same questions. By the link's letter: how
# many kinds are asked, from the first of KINDS on. Under `r`, statements may be the same again when a missed question
# returns, and for an order without a free block the two ideas of _TRIED_BEFORE change places.
KINDS_ASKED: dict[str, int] = {"r": 17, "s": 17, "t": 18}
_TRIED_BEFORE = {"slip_preempts_unasked": "act_without_block", "act_without_block": "slip_preempts_unasked"}


@dataclass(frozen=True)
class Round:
    """A round and the parsed answers so far. Raises InvalidLinkError for numbers out of range.

    `kinds_of`: seed of the round that gives this one its kinds, in the same order; None: its own seed.
    `rules`: a letter of KINDS_ASKED.
    """

    seed: int
    block_size: int
    difficulty: Difficulty
    length: int = LENGTH
    answers: tuple[Value, ...] = ()
    kinds_of: int | None = None
    rules: str = list(KINDS_ASKED)[-1]

    def __post_init__(self) -> None:
        QuestionName(KINDS[0], self.seed, self.block_size, self.difficulty)
        QuestionName(KINDS[0], self.kinds_seed, self.block_size, self.difficulty)
        if self.kinds_of == self.seed:
            raise InvalidLinkError(part="round", reason="not written as we write it")
        if not 1 <= self.length <= MAX_LENGTH or len(self.answers) > self.length:
            raise InvalidLinkError(part="round", reason="a number out of range")

    @property
    def kinds_seed(self) -> int:
        """The seed that orders the kinds."""
        return self.seed if self.kinds_of is None else self.kinds_of

    @property
    def over(self) -> bool:
        """Has every question been answered?"""
        return len(self.answers) == self.length

    def answered(self, value: Value) -> Round:
        """This round with one more answer. Raises InvalidLinkError if it is over."""
        return replace(self, answers=(*self.answers, value))


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


@dataclass(frozen=True)
class Trials:
    """How often an idea, or a kind of question, was met and was missed, and whether the last answer was right."""

    met: int = 0
    missed: int = 0
    last_right: bool = True

    def and_one(self, right: bool) -> Trials:
        """These trials and one more."""
        return Trials(self.met + 1, self.missed + (not right), right)

    @property
    def shaky(self) -> bool:
        """Missed the last time, or missed more often than avoided."""
        return not self.last_right or 2 * self.missed > self.met

    @property
    def corrected(self) -> bool:
        """Missed before, and avoided the last time."""
        return self.missed > 0 and not self.shaky

    @property
    def avoided(self) -> bool:
        """Met at least twice and never missed; once could be luck."""
        return self.met > 1 and not self.missed


@dataclass(frozen=True)
class Summary:
    """What a round has shown so far.

    `trials`: by idea that the questions tried, or slip that was made, in the order met. `unclear`: kinds whose last
    answer was wrong for no known reason. `hard`: kinds missed at least twice, and in more than half of the questions.
    """

    right: int
    answered: int
    trials: Mapping[str, Trials]
    unclear: tuple[str, ...]
    hard: tuple[str, ...]

    @property
    def seen(self) -> tuple[str, ...]:
        """Every idea met."""
        return tuple(self.trials)

    @property
    def shaky(self) -> tuple[str, ...]:
        """Ideas to look at again."""
        return tuple(idea for idea, tried in self.trials.items() if tried.shaky)

    @property
    def corrected(self) -> tuple[str, ...]:
        """Ideas that were missed and then avoided."""
        return tuple(idea for idea, tried in self.trials.items() if tried.corrected)

    @property
    def avoided(self) -> tuple[str, ...]:
        """Ideas that were met at least twice and avoided every time."""
        return tuple(idea for idea, tried in self.trials.items() if tried.avoided)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Ideas that were met once and avoided: too early to say."""
        return tuple(i for i, tried in self.trials.items() if not (tried.shaky or tried.corrected or tried.avoided))


@lru_cache(maxsize=64)
def play_turns(played: Round) -> tuple[Turn, ...]:
    """The questions so far, and the open one if the round is not over. Pure."""
    asked = KINDS[: KINDS_ASKED[played.rules]]
    kinds = Random(f"round.{played.kinds_seed}").sample(asked, len(asked))
    made: list[Turn] = []
    waiting: list[int] = []  # missed turns that have not returned yet
    fresh = 0
    for i in range(min(len(played.answers) + 1, played.length)):
        if waiting and (i - waiting[0] >= GAP or len(waiting) >= played.length - i):
            again = waiting.pop(0)
            question = _draw_retry(played, i, made[again].question, played.answers[again])
        else:
            again = None
            question = _draw_question(played, kinds[fresh % len(kinds)], i)
            fresh += 1
        result = grade(question, played.answers[i]) if i < len(played.answers) else None
        made.append(Turn(question, result, again))
        if made[-1].missed:
            waiting.append(i)
    return tuple(made)


def _draw_question(played: Round, kind: str, i: int) -> QuizQuestion:
    """A question of that kind for position i of the round."""
    seed = Random(f"round.{played.seed}.{i}").randint(0, MAX_SEED)
    return generate(kind, seed, played.block_size, played.difficulty)


def _draw_retry(played: Round, i: int, first: QuizQuestion, answer: Value) -> QuizQuestion:
    """The missed question with other numbers or statements, such that the same idea would show again."""
    idea, name = find_idea_to_retry(first, answer), first.name
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


def summarize(played: Round) -> Summary:
    """What the answers so far show. Pure."""
    done = [turn for turn in play_turns(played) if turn.result is not None]
    held: dict[str, Trials] = {}
    kinds: dict[str, Trials] = {}
    clear: dict[str, bool] = {}
    for turn in done:
        right, idea = not turn.missed, turn.result.idea if turn.result else ""
        kind = get_base_kind(turn.question.name.kind)
        clear[kind] = right or bool(idea)
        kinds[kind] = kinds.get(kind, Trials()).and_one(right)
        tried = [i for i in turn.question.ideas if i in held or not is_slip(i)] if right else [idea]
        held.update((i, held.get(i, Trials()).and_one(right)) for i in tried if i)
    return Summary(
        right=sum(not turn.missed for turn in done),
        answered=len(done),
        trials=held,
        unclear=tuple(kind for kind, is_clear in clear.items() if not is_clear),
        hard=tuple(kind for kind, tried in kinds.items() if tried.missed > 1 and 2 * tried.missed > tried.met),
    )
