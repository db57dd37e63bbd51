"""A learner's progress in the first lesson as a short text, `11-20_3.1`: the answers, and the frame in view.

Each answer is the index of its option and whether the learner was sure; then the scene and the frame in it, both
counted from 1. Parsing needs no engine; only a run knows how many frames there are (see IntuitionAttempt.check).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.engine.errors import InvalidLinkError, NoSuchOptionError

# The questions in order, with their options by the index that an answer holds.
OPTIONS: dict[str, tuple[str, ...]] = {
    "contiguous": ("yes", "no"),
    "where": ("pages", "neighbours", "head", "sorted"),
    "returns": ("at_once", "last", "never"),
}
QUESTIONS = tuple(OPTIONS)
# The idea behind each wrong option (lab/activities/ideas.py).
_IDEAS: dict[str, dict[str, str]] = {
    "contiguous": {"yes": "ids_consecutive"},
    "where": {"pages": "id_is_index", "neighbours": "ids_consecutive", "sorted": "slip_sorted_table"},
    "returns": {"at_once": "released_at_first", "never": "slip_none"},
}
# The last scene that is open after so many answers.
LAST_SCENE = (0, 2, 4, 5)
SCENES = LAST_SCENE[-1]

_TEXT = re.compile(r"([0-9][01](?:-[0-9][01]){0,2})_([1-9])\.([1-9][0-9]?)")


def get_idea(question: str, option: int) -> str:
    """The idea behind an option of a question; empty for the right one. Pure."""
    return _IDEAS[question].get(OPTIONS[question][option], "")


@dataclass(frozen=True)
class IntuitionAnswer:
    """A committed answer: the index of an option, and whether the learner was sure."""

    option: int
    sure: bool


@dataclass(frozen=True)
class IntuitionAttempt:
    """Committed answers in the order of QUESTIONS; the scene and the frame in it, from 1; 0 and 0 before the first
    answer."""

    answers: tuple[IntuitionAnswer, ...] = ()
    scene: int = 0
    frame: int = 0

    @property
    def last_scene(self) -> int:
        """The last scene that is open."""
        return LAST_SCENE[len(self.answers)]

    @property
    def opened(self) -> int:
        """The first scene that the last answer opened."""
        return LAST_SCENE[max(0, len(self.answers) - 1)] + 1

    @property
    def pending(self) -> str | None:
        """The next question, if any."""
        return QUESTIONS[len(self.answers)] if len(self.answers) < len(QUESTIONS) else None

    def answered(self, answer: IntuitionAnswer) -> IntuitionAttempt:
        """This attempt with one more answer, at the beginning of the scene that it opens."""
        after = IntuitionAttempt((*self.answers, answer))
        return after.at(after.opened, 1)

    def at(self, scene: int, frame: int) -> IntuitionAttempt:
        """The same answers, with another frame in view."""
        return replace(self, scene=scene, frame=frame)

    def check(self, frames: Sequence[int]) -> IntuitionAttempt:
        """This attempt, if its frame exists. `frames`: number of frames by scene. Raises InvalidLinkError."""
        if self.answers and not (1 <= self.scene <= self.last_scene and 1 <= self.frame <= frames[self.scene - 1]):
            raise InvalidLinkError(part="at", reason="no such picture")
        return self


def encode_intuition(attempt: IntuitionAttempt) -> str:
    """Short text of an attempt; empty before the first answer. Pure."""
    answers = "-".join(f"{answer.option}{int(answer.sure)}" for answer in attempt.answers)
    return f"{answers}_{attempt.scene}.{attempt.frame}" if answers else ""


def parse_intuition(text: str) -> IntuitionAttempt:
    """Inverse of encode_intuition. Raises InvalidLinkError."""
    if not text:
        return IntuitionAttempt()
    match = _TEXT.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="text", reason="unknown form")
    answers = tuple(IntuitionAnswer(int(each[0]), each[1] == "1") for each in match[1].split("-"))
    for answer, options in zip(answers, OPTIONS.values(), strict=False):
        if answer.option >= len(options):
            raise NoSuchOptionError(answer=answer.option)
    attempt = IntuitionAttempt(answers, int(match[2]), int(match[3]))
    if attempt.scene > attempt.last_scene:
        raise InvalidLinkError(part="at", reason="not open yet")
    return attempt


def parse_frame(text: str) -> tuple[int, int]:
    """Scene and frame of `3.1`. Raises InvalidLinkError."""
    attempt = parse_intuition(f"00-00-00_{text}")
    return attempt.scene, attempt.frame
