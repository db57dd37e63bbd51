"""A round as an attempt: `2.quiz.t.17.4.easy.10_3s.0g.2-0-1t.28~31-5s_`. Links are not trusted.

`t.88-17.8.easy.10` has the kinds of question of seed 17, with other numbers. The letter stands for the round's rules
(lab.quiz.round.KINDS_ASKED).

An answer is a number, the places of the chosen options among those shown, or cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from lab.activities.answer import parse
from lab.activities.attempt import Answer, Attempt, encode
from lab.activities.attempt import Value as Places
from lab.activities.question import Sure, Value
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.quiz.question import DIFFICULTIES, QuizQuestion
from lab.quiz.round import KINDS_ASKED, Round, play_turns

KIND = "quiz"

_SEED = r"0|[1-9][0-9]{0,5}"
_HEAD = re.compile(
    rf"{KIND}\.([{''.join(KINDS_ASKED)}])\.({_SEED})(?:-({_SEED}))?\.([1-9][0-9]?)\."
    rf"({'|'.join(DIFFICULTIES)})\.([1-9][0-9]?)"
)


def name_activity(played: Round) -> str:
    """The round's settings as the activity of an attempt."""
    seed = f"{played.seed}" if played.kinds_of is None else f"{played.seed}-{played.kinds_of}"
    return f"{KIND}.{played.rules}.{seed}.{played.block_size}.{played.difficulty}.{played.length}"


def build_attempt(played: Round, sure: Sequence[Sure | None] = ()) -> Attempt:
    """The attempt that stands for a round. `sure`: how sure each answer was, as far as that is known. Pure."""
    given = zip_longest(played.answers, sure[: len(played.answers)])
    pairs = zip(play_turns(played), given, strict=False)
    answers = (Answer(encode_value(turn.question, value), level) for turn, (value, level) in pairs)
    return Attempt(name_activity(played), tuple(answers))


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


def encode_round(played: Round) -> str:
    """Short text of a round and its answers. Pure."""
    return encode(build_attempt(played))


def encode_value(question: QuizQuestion, value: Value) -> Places:
    """An answer of the question as numbers: the number, the places of options, or cells."""
    if isinstance(value, int):
        return (value,)
    if question.form == "set":
        return tuple(sorted(cell for cell in value if isinstance(cell, int)))
    places = [option.id for option in question.options]
    chosen = [value] if isinstance(value, str) else [item for item in value if isinstance(item, str)]
    numbers = [places.index(item) for item in chosen]
    return tuple(numbers if question.form == "order" else sorted(numbers))


def decode_value(question: QuizQuestion, places: Places) -> Value:
    """Inverse of encode_value. Raises InvalidLinkError."""
    try:
        if question.form == "set":
            value = parse(question, places)
        elif question.form == "number":
            value = parse(question, places[0])
        else:
            value = parse(question, [question.options[place].id for place in places])
    except (InvalidAnswerError, IndexError):
        raise InvalidLinkError(part="round", reason="not an answer") from None
    if encode_value(question, value) != places:
        raise InvalidLinkError(part="round", reason="not written as we write it")
    return value
