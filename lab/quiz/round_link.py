"""A round as a short text: `t.17.4.easy.10_3.0.2-0-1.28~31-5`. Links are not trusted.

`t.88-17.8.easy.10` has the kinds of question of seed 17, with other numbers. The letter stands for the round's rules
(lab.quiz.round.KINDS_ASKED).

An answer is a number, or the places of the chosen options among those shown, or cells with ranges joined; `e`: none.
"""

from __future__ import annotations

import re
from itertools import groupby

from lab.activities.answer import parse
from lab.activities.question import Value
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.quiz.question import DIFFICULTIES, QuizQuestion
from lab.quiz.round import KINDS_ASKED, Round, play_turns

MAX_TEXT = 2000  # characters

_SEED = r"0|[1-9][0-9]{0,5}"
_HEAD = re.compile(
    rf"([{''.join(KINDS_ASKED)}])\.({_SEED})(?:-({_SEED}))?\.([1-9][0-9]?)\.({'|'.join(DIFFICULTIES)})\.([1-9][0-9]?)"
)
_NONE = "e"


def encode_round(played: Round) -> str:
    """Short text of a round and its answers. Pure."""
    seed = f"{played.seed}" if played.kinds_of is None else f"{played.seed}-{played.kinds_of}"
    head = f"{played.rules}.{seed}.{played.block_size}.{played.difficulty}.{played.length}"
    pairs = zip(play_turns(played), played.answers, strict=False)
    codes = ".".join(encode_answer(turn.question, answer) for turn, answer in pairs)
    return f"{head}_{codes}" if codes else head


def parse_round(text: str) -> Round:
    """Inverse of encode_round. Raises InvalidLinkError for any other text. Draws the questions that were answered."""
    head, underscore, codes = text.partition("_")
    match = _HEAD.fullmatch(head)
    if match is None or len(text) > MAX_TEXT:
        raise InvalidLinkError(part="round", reason="not a round")
    rules, seed, kinds_of, size, name, length = match.groups()
    difficulty = next(each for each in DIFFICULTIES if each == name)
    kinds = int(kinds_of) if kinds_of else None
    played = Round(int(seed), int(size), difficulty, int(length), kinds_of=kinds, rules=rules)
    for code in codes.split(".") if underscore else ():
        if played.over:
            raise InvalidLinkError(part="round", reason="more answers than questions")
        question = play_turns(played)[-1].question
        try:
            value = decode_answer(question, code)
        except (InvalidAnswerError, IndexError, ValueError):
            raise InvalidLinkError(part="round", reason="not an answer") from None
        if encode_answer(question, value) != code:
            raise InvalidLinkError(part="round", reason="not written as we write it")
        played = played.answered(value)
    return played


def encode_answer(question: QuizQuestion, value: Value) -> str:
    """Short text of one answer."""
    if isinstance(value, int):
        return str(value)
    if question.form == "set":
        return _encode_cells([cell for cell in value if isinstance(cell, int)])
    places = [option.id for option in question.options]
    chosen = [value] if isinstance(value, str) else [item for item in value if isinstance(item, str)]
    numbers = [places.index(item) for item in chosen]
    return "-".join(map(str, numbers if question.form == "order" else sorted(numbers)))


def _encode_cells(cells: list[int]) -> str:
    """Ranges of neighbouring cells as `first~last`."""
    runs: list[str] = []
    for _, pairs in groupby(enumerate(sorted(cells)), key=lambda pair: pair[1] - pair[0]):
        run = [cell for _, cell in pairs]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}~{run[-1]}")
    return "-".join(runs) or _NONE


def decode_answer(question: QuizQuestion, code: str) -> Value:
    """Inverse of encode_answer. Raises InvalidAnswerError, IndexError, ValueError."""
    if not re.fullmatch(r"[0-9~-]{1,400}|e", code):
        raise ValueError(code)
    if question.form == "number":
        return parse(question, code)
    if question.form == "set":
        return parse(question, "" if code == _NONE else code.replace("-", ","))
    return parse(question, [question.options[int(position)].id for position in code.split("-")])
