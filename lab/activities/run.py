"""What an attempt at the task or at a lesson's case stands for: a scenario, with the answers and the operations.

The activity of the task is its block_size and free queue, `task.4.used`; that of the same task at another size
`resized.8.used`; that of a case is its id. If a case's scenario has changed, `taken.2` names the new scenario and
`taken` still names the old one. If a case has the learner pick a token, its position is the first answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lab.activities.attempt import Answer, Attempt, encode
from lab.activities.cases import CASES
from lab.activities.cases.case import Case
from lab.activities.cases.task import TASK, TASKS
from lab.activities.question import Question
from lab.engine.errors import InvalidLinkError, NoSuchOptionError
from lab.trace.config import MAX_BLOCK_SIZE, Config, check_limit
from lab.trace.operations import Operation
from lab.trace.presets import build_task_config, name_queue, parse_queue

_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")


@dataclass(frozen=True)
class Run:
    """An attempt with what its activity names: a case, and one of the case's scenarios."""

    attempt: Attempt
    config: Config
    case: Case

    @classmethod
    def all_of(cls, case: Case) -> tuple[Run, ...]:
        """The case's run as it opens, then as it opened with its earlier scenario, if it had one."""
        return tuple(cls(Attempt(name, (), case.before), config, case) for name, config in case.scenarios.items())

    @classmethod
    def of(cls, case: Case) -> Run:
        """The case's run as it opens."""
        return cls.all_of(case)[0]

    @classmethod
    def of_task(cls, config: Config, kind: str = TASK) -> Run:
        """The run of the task with this pool as it opens."""
        return cls(Attempt(f"{kind}.{config.block_size}.{name_queue(config.free_block_ids)}"), config, TASKS[kind])

    @classmethod
    def alone(cls, config: Config, operations: tuple[Operation, ...]) -> Run:
        """Operations on a pool, of no case and without questions: the sandbox's."""
        return cls(Attempt("sandbox", (), operations), config, Case("sandbox", config, (), ()))

    @classmethod
    def read(cls, attempt: Attempt) -> Run:
        """The run that an attempt stands for. Raises InvalidLinkError, NoSuchOptionError, and what Config raises."""
        case = CASES.get(attempt.kind) or TASKS.get(attempt.kind)
        is_task = attempt.kind in TASKS
        config = _parse_config(attempt.activity) if is_task else case.scenarios.get(attempt.activity) if case else None
        if case is None or config is None:
            raise InvalidLinkError(part="scenario", reason="no such scenario")
        if attempt.operations[: case.prepared] != case.before:
            raise InvalidLinkError(part="log", reason="another beginning")
        run = cls(attempt, config, case)
        if attempt.answers:
            run._check_answers()
        if is_task and cls.of_task(config, attempt.kind).attempt.activity != attempt.activity:
            raise InvalidLinkError(part="text", reason="not written as we write it")
        return run

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations so far."""
        return self.attempt.operations

    @property
    def is_predicted(self) -> bool:
        """Has a prediction been committed?"""
        return bool(self.attempt.answers)

    @property
    def pick(self) -> int | None:
        """The position of the token that the prediction is about; None if it is about none."""
        return self.attempt.answers[0].number if self.is_predicted and self.case.pick_from else None

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions to predict; without those about a token until one has been picked. Raises IndexError."""
        return self.case.questions(self.pick)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The committed answers to the questions."""
        return self.attempt.answers if self.pick is None else self.attempt.answers[1:]

    @property
    def beginning(self) -> Run:
        """This run without the learner's operations; those that a case has done when it opens stay."""
        return self.at(self.case.before)

    def at(self, operations: tuple[Operation, ...]) -> Run:
        """This run with these operations."""
        return replace(self, attempt=replace(self.attempt, operations=operations))

    def then(self, operation: Operation) -> Run:
        """This run with one more operation."""
        return self.at((*self.operations, operation))

    def _check_answers(self) -> None:
        """Raise InvalidLinkError, LimitError or NoSuchOptionError if the answers are none to these questions."""
        try:
            questions = self.questions
        except IndexError:
            raise InvalidLinkError(part="prediction", reason="no such token") from None
        if len(self.answers) != len(questions):
            raise InvalidLinkError(part="prediction", reason="unknown form")
        if self.attempt.answers[0].sure and self.pick is not None:
            raise InvalidLinkError(part="text", reason="not written as we write it")
        for answer, question in zip(self.answers, questions, strict=True):
            if answer.sure not in ("think", "sure"):
                raise InvalidLinkError(part="text", reason="not written as we write it")
            if question.form in ("number", "slot"):
                check_limit("prediction", answer.number, question.largest)
            elif answer.number > question.largest:
                raise NoSuchOptionError(answer=answer.number)


def encode_run(run: Run) -> str:
    """Short text of a run. Pure."""
    return encode(run.attempt)


def _parse_config(activity: str) -> Config:
    _, size, queue, *more = [*activity.split("."), "", ""]
    if any(more):
        raise InvalidLinkError(part="scenario", reason="no such activity")
    return build_task_config(_parse_number(size, "block_size", MAX_BLOCK_SIZE), parse_queue(queue))


def _parse_number(text: str, part: str, limit: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InvalidLinkError(part=part, reason="a number expected")
    check_limit(part, int(text), limit)
    return int(text)
