"""Texts of links and records as the lab writes them today, from the shorter ones of its first version, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from lab.activities import old_links
from lab.activities.attempt import Answer, Attempt, encode
from lab.activities.question import Sure
from lab.activities.run import Run
from lab.quiz.round import Round
from lab.sandbox import link
from lab.sandbox.scenario import Scenario


def new(text: str, key: str = "run") -> str:
    """What an earlier text stands for, as a text of today. `key`: the address's key for it."""
    return encode(old_links.read(text, key)[0])


def saved(*texts: str, key: str = "run") -> dict[str, Any]:
    """A record with these attempts, as the lab keeps it today."""
    found = [old_links.read(text, key)[0] for text in texts]
    return {"attempts": {attempt.activity: encode(attempt) for attempt in found}}


def parse_run(text: str, key: str = "run") -> Run:
    """The run of a text of a link or of the record, in any form that the lab ever wrote. Runs nothing.

    `key`: the address's key for it. Raises InvalidLinkError, LimitError, NoSuchOptionError, and what Config raises.
    """
    return Run.read(old_links.read(text, key)[0])


def parse_round(text: str) -> Round:
    """The round of a link's text. Raises InvalidLinkError, LimitError. Draws the questions that were answered."""
    return Round.read(old_links.read(text, "quiz")[0])


def parse_scenario(text: str) -> Scenario:
    """The scenario of a link's text. Raises LimitError, InvalidLinkError, and what Scenario raises."""
    return link.read_attempt(old_links.read(text, "sandbox")[0])


def build_attempt(played: Round, sure: Sequence[Sure | None] = ()) -> Attempt:
    """The attempt that stands for a round. `sure`: how sure each answer was, as far as that is known."""
    given = zip_longest(played.answers, sure[: len(played.answers)])
    return replace(played.attempt, answers=tuple(replace(answer, sure=level) for answer, level in given))


def encode_round(played: Round) -> str:
    """The text of a round and its answers in a link."""
    return encode(played.attempt)


def predict(run: Run, values: Iterable[int], *, sure: bool = False, pick: int | None = None) -> Run:
    """The run with these answers, all equally sure. `pick`: the position of the token that they are about."""
    picked = () if pick is None else (Answer((pick,)),)
    answers = (Answer((value,), "sure" if sure else "think") for value in values)
    return replace(run, attempt=replace(run.attempt, answers=(*picked, *answers)))
