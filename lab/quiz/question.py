"""The values of the quiz: a question, and the grade of an answer. Codes and numbers, no prose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from lab.activities.question import Fact, Question, Value
from lab.engine.errors import InvalidLinkError
from lab.trace.config import MAX_BLOCK_SIZE, Config
from lab.trace.operations import Operation

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
MAX_SEED = 999_999


_KIND = re.compile(r"[a-z]+(?:_[a-z]+)*")


@dataclass(frozen=True)
class QuestionName:
    """What determines a question. Raises InvalidLinkError for a seed, block_size or difficulty that does not exist."""

    kind: str
    seed: int
    block_size: int
    difficulty: Difficulty

    def __post_init__(self) -> None:
        if not _KIND.fullmatch(self.kind):
            raise InvalidLinkError(part="question", reason="no such kind")
        if not 0 <= self.seed <= MAX_SEED or not 1 <= self.block_size <= MAX_BLOCK_SIZE:
            raise InvalidLinkError(part="question", reason="a number out of range")
        if self.difficulty not in DIFFICULTIES:
            raise InvalidLinkError(part="question", reason="no such difficulty")


@dataclass(frozen=True)
class Wrong:
    """A wrong answer and the id (lab/activities/ideas.py) of the idea or slip that gives it.

    If the form is "several", the answer differs from the right one in one option.
    """

    idea: str
    value: Value


@dataclass(frozen=True, kw_only=True)
class QuizQuestion(Question):
    """A scenario and a question about it. `answer` is what the engine did when it ran.

    `numbers` may be shown before the answer; `facts` are run values, for the feedback. `wrong`: named wrong answers,
    all different, the most telling first. `other`: the same scenario at another block_size, if the question asks about
    two.
    """

    name: QuestionName
    config: Config
    operations: tuple[Operation, ...]
    numbers: Mapping[str, Fact]
    facts: Mapping[str, Fact]
    answer: Value
    wrong: tuple[Wrong, ...]
    shows_queue: bool = True
    other: Config | None = None

    @property
    def ideas(self) -> tuple[str, ...]:
        """Ideas that a wrong answer to this question can show, each once."""
        return tuple(dict.fromkeys(wrong.idea for wrong in self.wrong))
