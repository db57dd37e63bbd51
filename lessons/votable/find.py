"""From the text in the store to the question that it produces, and the questions that are always the same."""

from __future__ import annotations

from functools import cache

from lab.engine.errors import InvalidLinkError
from lab.quiz.generate import generate_named
from lab.quiz.link import parse_name
from lessons.votable import key_step, prediction, quiz
from lessons.votable.votable import Votable


def find_votable(spec: str) -> Votable:
    """The question that this text produces. Raises InvalidLinkError."""
    if spec.startswith(quiz.PREFIX):
        return quiz.QuizVotable(generate_named(parse_name(spec.removeprefix(quiz.PREFIX))))
    if spec.startswith(prediction.PREFIX):
        return prediction.read_spec(spec)
    if spec.startswith((key_step.PREFIX, key_step.OWN_PREFIX)):
        return key_step.read_spec(spec)
    raise InvalidLinkError(part="question", reason="not a question for a class")


@cache
def list_prepared(source: str) -> list[str]:
    """The questions of the "course" (the task and the lessons) or of the "library", in their order."""
    return prediction.list_specs() if source == "course" else key_step.list_specs()
