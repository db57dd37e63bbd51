"""What the learner has in view: a run of the address with its cursor, its questions and its operations. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.attempt import Cursor
from lab.activities.question import Question
from lab.activities.run import Run
from lab.engine.errors import LabError
from lab.trace.operations import Operation
from lessons.state.slots import MAIN, Track


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
        return self.run.case.id

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the prediction; without those about a token until the learner has picked one."""
        return self.run.questions

    @property
    def plan(self) -> tuple[Operation, ...]:
        """The suggested operations in order, including those that were done when the case opened."""
        return self.run.case.plan

    @property
    def offered(self) -> tuple[Operation, ...]:
        """The operations that have a button."""
        return self.run.case.buttons
