"""A question's name as a short text, `q.table.17.4.easy`, and a round as an attempt. Links are not trusted.

The activity of a round is its settings: `quiz.t.17.4.easy.10`; `quiz.t.88-17.8.easy.10` has the kinds of question of
seed 17, with other numbers. The letter stands for the round's rules (lab.quiz.round.KINDS_ASKED).
"""

from __future__ import annotations

import re

from lab.activities.answer import decode_value
from lab.activities.attempt import Attempt
from lab.engine.errors import InvalidLinkError
from lab.quiz.generate import MAKERS
from lab.quiz.question import DIFFICULTIES, QuestionName
from lab.quiz.round import KINDS_ASKED, Round, play_turns

KIND = "quiz"

_SEED = r"0|[1-9][0-9]{0,5}"
_HEAD = re.compile(
    rf"{KIND}\.([{''.join(KINDS_ASKED)}])\.({_SEED})(?:-({_SEED}))?\.([1-9][0-9]?)\."
    rf"({'|'.join(DIFFICULTIES)})\.([1-9][0-9]?)"
)
_NAME = re.compile(rf"q\.({'|'.join(MAKERS)})\.(0|[1-9][0-9]{{0,5}})\.([1-9][0-9]?)\.({'|'.join(DIFFICULTIES)})")


def encode_name(name: QuestionName) -> str:
    """Short text of a question's name. Pure."""
    return f"q.{name.kind}.{name.seed}.{name.block_size}.{name.difficulty}"


def parse_name(text: str) -> QuestionName:
    """Inverse of encode_name. Raises InvalidLinkError for any other text. Draws nothing."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="question", reason="not a question")
    kind, seed, size, difficulty = match.groups()
    return QuestionName(kind, int(seed), int(size), next(each for each in DIFFICULTIES if each == difficulty))


def name_activity(played: Round) -> str:
    """The round's settings as the activity of its attempt."""
    seed = f"{played.seed}" if played.kinds_of is None else f"{played.seed}-{played.kinds_of}"
    return f"{KIND}.{played.rules}.{seed}.{played.block_size}.{played.difficulty}.{played.length}"


def read_attempt(attempt: Attempt) -> Round:
    """The round of an attempt. Raises InvalidLinkError. Draws the questions that were answered."""
    match = _HEAD.fullmatch(attempt.activity)
    if match is None or attempt.operations:
        raise InvalidLinkError(part="round", reason="not a round")
    rules, seed, kinds_of, size, name, length = match.groups()
    difficulty = next(each for each in DIFFICULTIES if each == name)
    kinds = int(kinds_of) if kinds_of else None
    played = Round(int(seed), int(size), difficulty, int(length), kinds_of=kinds, rules=rules)
    for answer in attempt.answers:
        if played.over:
            raise InvalidLinkError(part="round", reason="more answers than questions")
        played = played.answered(decode_value(play_turns(played)[-1].question, answer.value))
    return played
