"""A case of a lesson: a scenario, its operations, and the questions that are predicted first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.activities.question import Question
from lab.trace.config import Config
from lab.trace.operations import Operation


@dataclass(frozen=True)
class Case:
    """One scenario of a lesson.

    id         unique among all cases; names the case in links, in the record and in the translations.
    plan       the operations in the suggested order; the first `prepared` of them are done when the case opens.
    asked      the questions to answer before the rest of the plan may run.
    offered    further operations that the learner may try.
    pick_from  the request from which the learner picks a token (`picked`: the questions about its position).
    earlier    the scenario that this one replaced: its links and records still open it.
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
        """Every scenario that the case has had, by its name in links; the current one comes first."""
        if self.earlier is None:
            return {self.id: self.config}
        return {f"{self.id}.2": self.config, self.id: self.earlier}

    @property
    def buttons(self) -> tuple[Operation, ...]:
        """The operations that the learner may press, each once, in the plan's order."""
        return tuple(dict.fromkeys((*self.plan[self.prepared :], *self.offered)))

    @property
    def before(self) -> tuple[Operation, ...]:
        """The operations that are done when the case opens."""
        return self.plan[: self.prepared]

    @property
    def last_pick(self) -> int | None:
        """The position of the last token that can be picked; None if none is picked."""
        return len(self.config.request(self.pick_from).prompt) - 1 if self.pick_from else None

    def form(self, pick: int | None = None) -> str:
        """The form of a prediction for this case: its id, and the position of the picked token if there is one."""
        return self.id if pick is None else f"{self.id}@{pick}"

    def questions(self, pick: int | None = None) -> tuple[Question, ...]:
        """The questions of the case. `pick`: the picked token's position. Raises IndexError outside the request."""
        if self.picked is None or pick is None:
            return self.asked
        if not 0 <= pick < len(self.config.request(self.pick_from).prompt):
            raise IndexError(f"{self.id}: no token {pick}")
        return (*self.asked, *self.picked(pick))
