"""Where the address holds attempts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.attempt import Attempt
from lab.activities.cases import LESSONS, get_lesson
from lab.activities.run import RESIZED, TASK, Run
from lab.engine.errors import InvalidLinkError


@dataclass(frozen=True)
class Slot:
    """Where the address holds an attempt: the key of its text, and the key of the place in it that is in view."""

    key: str
    at: str


@dataclass(frozen=True)
class Track(Slot):
    """A slot for runs, and which runs it may hold.

    `kind` and `block_size` belong to the task's two tracks; `lesson` names a lesson, whose cases have their own.
    """

    kind: str = ""
    block_size: int = 0
    lesson: str = ""

    @classmethod
    def of(cls, lesson: str) -> Track:
        """The track of a lesson."""
        return cls(lesson, f"at_{lesson}", lesson=lesson)

    @classmethod
    def find(cls, run: Run) -> Track:
        """The track that can open this run."""
        if run.case is not None:
            return cls.of(get_lesson(run.case))
        return EIGHT if run.attempt.kind == EIGHT.kind else MAIN

    @property
    def topic(self) -> str:
        """The topic of the texts of its questions."""
        return self.lesson or "task"

    def read(self, attempt: Attempt) -> Run:
        """The run of an attempt on this track. Raises InvalidLinkError if it is another's, and what Run.read raises."""
        run = Run.read(attempt)
        if self.lesson:
            if run.case not in LESSONS[self.lesson]:
                raise InvalidLinkError(part="scenario", reason="another lesson")
            return run
        if run.case is not None:
            raise InvalidLinkError(part="scenario", reason="a lesson's")
        if run.attempt.kind != self.kind:
            raise InvalidLinkError(part="prediction", reason="another form")
        if self != MAIN and run.config.block_size != self.block_size:
            raise InvalidLinkError(part="block_size", reason="another size")
        return run


MAIN = Track("run", "at", TASK, 4)
EIGHT = Track("run8", "at8", RESIZED, 8)
SANDBOX = Track("sandbox", "at_sandbox")
QUIZ = Slot("quiz", "at_quiz")
MEMORY = Slot("memory", "view_memory")
SLOTS: tuple[Slot, ...] = (*map(Track.of, LESSONS), MAIN, EIGHT, MEMORY, QUIZ)  # in the order of the report
