"""How far an attempt at the first lesson is: `2.intuition_1s.2t_`, and the frame in view, `3.1`.

Each answer is the place of its option; a frame is the scene and the frame in it, both counted from 1. Reading needs no
engine; only a run knows how many frames there are (see IntuitionView.check).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.activities.attempt import Answer, Attempt
from lab.activities.question import Question, build_options
from lab.engine.errors import InvalidLinkError, NoSuchOptionError

KIND = "intuition"


def _build_question(name: str, **ideas: str) -> Question:
    """A question with its options, each with the idea behind it; "" for the right one."""
    return Question(name, "choice", options=build_options(ideas, **ideas))


QUESTIONS = (
    _build_question("contiguous", yes="ids_consecutive", no=""),
    _build_question("where", pages="id_is_index", neighbours="ids_consecutive", head="", sorted="slip_sorted_table"),
    _build_question("returns", at_once="released_at_first", last="", never="slip_none"),
)
# The last scene that is open after so many answers.
LAST_SCENE = (0, 2, 4, 5)
SCENES = LAST_SCENE[-1]

EMPTY = Attempt(KIND)
_FRAME = re.compile(r"([1-9])\.([1-9][0-9]?)")


@dataclass(frozen=True)
class IntuitionView:
    """An attempt, and the scene and the frame in view, from 1; 0 and 0 before the first answer.

    `is_open`: every scene can be seen, and nothing is asked.
    """

    attempt: Attempt = EMPTY
    scene: int = 0
    frame: int = 0
    is_open: bool = False

    @classmethod
    def read(cls, attempt: Attempt, frame: str = "") -> IntuitionView:
        """This attempt at this frame; without one, where its last answer leads. Raises InvalidLinkError."""
        if attempt.activity != KIND or attempt.operations or len(attempt.answers) > len(QUESTIONS):
            raise InvalidLinkError(part="text", reason="unknown form")
        for answer, question in zip(attempt.answers, QUESTIONS, strict=False):
            if answer.number > question.largest:
                raise NoSuchOptionError(answer=answer.number)
        view = cls(attempt)
        if not attempt.answers:
            return view
        view = view.at(*parse_frame(frame)) if frame else view.at(view.opened, 1)
        if view.scene > view.last_scene:
            raise InvalidLinkError(part="at", reason="not open yet")
        return view

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Committed answers in the order of QUESTIONS."""
        return self.attempt.answers

    @property
    def last_scene(self) -> int:
        """The last scene that is open."""
        return SCENES if self.is_open else LAST_SCENE[len(self.answers)]

    @property
    def opened(self) -> int:
        """The first scene that the last answer opened."""
        return LAST_SCENE[max(0, len(self.answers) - 1)] + 1

    @property
    def pending(self) -> Question | None:
        """The next question, if any."""
        return None if self.is_open or len(self.answers) == len(QUESTIONS) else QUESTIONS[len(self.answers)]

    @property
    def place(self) -> str:
        """Short text of the frame in view; empty before the first answer."""
        return f"{self.scene}.{self.frame}" if self.scene else ""

    def answered(self, answer: Answer) -> IntuitionView:
        """This attempt with one more answer, at the beginning of the scene that it opens."""
        return IntuitionView.read(self.attempt.answered(answer))

    def at(self, scene: int, frame: int) -> IntuitionView:
        """The same answers, with another frame in view."""
        return replace(self, scene=scene, frame=frame)

    def check(self, frames: Sequence[int]) -> IntuitionView:
        """This view, if its frame exists. `frames`: number of frames by scene. Raises InvalidLinkError."""
        if self.scene and not (1 <= self.scene <= self.last_scene and 1 <= self.frame <= frames[self.scene - 1]):
            raise InvalidLinkError(part="at", reason="no such picture")
        return self


def parse_frame(text: str) -> tuple[int, int]:
    """Scene and frame of `3.1`. Raises InvalidLinkError."""
    match = _FRAME.fullmatch(text)
    if match is None or int(match[1]) > SCENES:
        raise InvalidLinkError(part="at", reason="no such picture")
    return int(match[1]), int(match[2])
