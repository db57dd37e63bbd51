"""A question's name as a short text, `q.table.17.4.easy`. Links are not trusted."""

from __future__ import annotations

import re

from lab.engine.errors import InvalidLinkError
from lab.quiz.generate import MAKERS
from lab.quiz.question import DIFFICULTIES, QuestionName

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
