"""What the learner has in view: a run of the address with its cursor, its questions and its operations. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.attempt import Attempt, Cursor
from lab.activities.cases import LESSONS, get_lesson
from lab.activities.question import Question
from lab.activities.run import RESIZED, TASK, Run
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.operations import Operation
from lab.trace.presets import PLAN
from lessons.state.attempts import Slot


@dataclass(frozen=True)
class Track:
    """A run in the address: the keys of the run and of its cursor, and which runs are allowed.

    `kind` and `block_size` belong to the task's two tracks; `lesson` names a lesson, whose cases have their own.
    """

    run: str
    at: str
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
    def slot(self) -> Slot:
        """Where the address holds the run."""
        return Slot(self.run, self.at)

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


@dataclass(frozen=True)
class View:
    """A run and its cursor on a track. `problem`: why the link could not be read (the default run is then shown)."""

    run: Run
    cursor: Cursor
    problem: LabError | None = None
    track: Track = MAIN

    @property
    def at_end(self) -> bool:
        """Is the cursor after the last operation?"""
        return self.cursor == Cursor(len(self.run.operations))

    @property
    def demonstration(self) -> bool:
        """Is this a shared run with operations but without a prediction?"""
        return not self.run.is_predicted and len(self.run.operations) > len(self.run.beginning.operations)

    @property
    def form(self) -> str:
        """The name of the prediction's form, whichever token the learner picks."""
        return self.run.case.id if self.run.case else self.run.form

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the prediction; without those about a token until the learner has picked one."""
        return self.run.questions

    @property
    def plan(self) -> tuple[Operation, ...]:
        """The suggested operations in order, including those that were done when the case opened."""
        return self.run.case.plan if self.run.case else PLAN

    @property
    def offered(self) -> tuple[Operation, ...]:
        """The operations that have a button."""
        return self.run.case.buttons if self.run.case else PLAN
