"""A case of a lesson: a scenario, what is done in it, and what is predicted first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.activities.question import Question
from lab.trace.config import Config
from lab.trace.operations import Operation


@dataclass(frozen=True)
class Case:
    """One scenario of a lesson.

    id         unique among all cases; names it in links, in the record and in the words.
    plan       the operations in the suggested order; the first `prepared` of them are done when the case opens.
    asked      what is predicted before the rest of the plan may run.
    offered    operations that may be tried as well.
    pick_from  the request of whose tokens the learner picks one (`picked`: what is then asked about its position).
    earlier    its scenario before it was changed: links and records from then open what they opened.
    """

    id: str
    config: Config
    plan: tuple[Operation, ...]
    asked: tuple[Question, ...]
    prepared: int = 0
    offered: tuple[Operation, ...] = ()
    pick_from: str = ""
    picked: Callable[[int], tuple[Question, ...]] | None = None
    earlier: Config | None = None

    @property
    def scenarios(self) -> dict[str, Config]:
        """Every scenario that the case has had, by how a link names it; the one that it has now comes first."""
        if self.earlier is None:
            return {self.id: self.config}
        return {f"{self.id}.2": self.config, self.id: self.earlier}

    @property
    def buttons(self) -> tuple[Operation, ...]:
        """The operations that the learner may press, each once, in the plan's order."""
        return tuple(dict.fromkeys((*self.plan[self.prepared :], *self.offered)))

    @property
    def before(self) -> tuple[Operation, ...]:
        """What has been done when the case opens."""
        return self.plan[: self.prepared]

    def form(self, pick: int | None = None) -> str:
        """The form of a prediction for this case: its id, with the position of the token picked."""
        return self.id if pick is None else f"{self.id}@{pick}"

    def questions(self, pick: int | None = None) -> tuple[Question, ...]:
        """What is asked; where a token is to be picked, `pick` is its position. IndexError outside the request."""
        if self.picked is None or pick is None:
            return self.asked
        if not 0 <= pick < len(self.config.request(self.pick_from).prompt):
            raise IndexError(f"{self.id}: no token {pick}")
        return (*self.asked, *self.picked(pick))
