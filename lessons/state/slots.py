"""Where the address holds attempts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.attempt import Attempt
from lab.activities.cases import LESSONS, get_lesson
from lab.activities.cases.case import Case
from lab.activities.cases.task import RESIZED, TASK, TASKS
from lab.activities.run import Run
from lab.engine.errors import InvalidLinkError


@dataclass(frozen=True)
class Slot:
    """Where the address holds an attempt: the key of its text, and the key of the place in it that is in view."""

    key: str
    at: str


@dataclass(frozen=True)
class Track(Slot):
    """A slot for runs of these cases; only the first track of the task takes runs at any block_size.

    `lesson`: the lesson of the cases; empty for the task.
    """

    cases: tuple[Case, ...] = ()
    lesson: str = ""

    @classmethod
    def of(cls, lesson: str) -> Track:
        """The track of a lesson."""
        return cls(lesson, f"at_{lesson}", LESSONS[lesson], lesson)

    @classmethod
    def find(cls, run: Run) -> Track:
        """The track that can open this run."""
        return next((track for track in (MAIN, EIGHT) if run.case in track.cases), None) or cls.of(get_lesson(run.case))

    @property
    def topic(self) -> str:
        """The topic of the texts of its questions."""
        return self.lesson or TASK

    @property
    def block_size(self) -> int:
        """At which its first case runs."""
        return self.cases[0].config.block_size

    def read(self, attempt: Attempt) -> Run:
        """The run of an attempt on this track. Raises InvalidLinkError if it is another's, and what Run.read raises."""
        run = Run.read(attempt)
        if run.case not in self.cases:
            raise InvalidLinkError(part="scenario", reason="another activity")
        if self == EIGHT and run.config.block_size != self.block_size:
            raise InvalidLinkError(part="block_size", reason="another size")
        return run


MAIN = Track("run", "at", (TASKS[TASK],))
EIGHT = Track("run8", "at8", (TASKS[RESIZED],))
SANDBOX = Track("sandbox", "at_sandbox")
# The activities beside the lessons and the task, by the first word of their attempts. It also names the folder with
# their page.py and report_rows.py, the page, and their texts.
ACTIVITIES: dict[str, Slot] = {
    "memory": Slot("memory", "view_memory"),
    "quiz": Slot("quiz", "at_quiz"),
}
SLOTS: tuple[Slot, ...] = (*map(Track.of, LESSONS), MAIN, EIGHT, *ACTIVITIES.values())
