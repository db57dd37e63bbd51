"""What an attempt at the task or at a lesson's case stands for: a scenario, a prediction and the operations.

The activity of the task is its block_size and free queue, `task.4.used`; that of the same task at another size
`resized.8.used`; that of a case is its id. If a case's scenario has changed, `taken.2` names the new scenario and
`taken` still names the old one. If a case has the learner pick a token, its position is the first answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lab.activities.attempt import Answer, Attempt, encode
from lab.activities.cases import CASES, get_questions
from lab.activities.cases.case import Case
from lab.activities.question import Prediction, Question
from lab.engine.errors import InvalidLinkError, NoSuchOptionError
from lab.trace.config import MAX_BLOCK_SIZE, Config, check_limit
from lab.trace.operations import Operation
from lab.trace.presets import build_task_config, name_queue, parse_queue

KINDS = {"P": "task", "Q": "resized"}  # the form of the task -> the first word of the activity
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")


@dataclass(frozen=True)
class Run:
    """A scenario, the prediction committed for it, and the operations so far.

    `case`: the lesson's case, if any. `form`: for the task, the letter of its form.
    """

    config: Config
    prediction: Prediction | None = None
    operations: tuple[Operation, ...] = ()
    case: Case | None = None
    form: str = "P"

    @classmethod
    def of(cls, case: Case) -> Run:
        """The case's run as it opens."""
        return cls(case.config, None, case.before, case)

    @classmethod
    def all_of(cls, case: Case) -> tuple[Run, ...]:
        """The case's run as it opens, then as it opened with its earlier scenario, if it had one."""
        return tuple(cls(config, None, case.before, case) for config in case.scenarios.values())

    @classmethod
    def read(cls, attempt: Attempt) -> Run:
        """The run that an attempt stands for. Raises InvalidLinkError, NoSuchOptionError, and what Config raises."""
        case = CASES.get(attempt.kind)
        config = case.scenarios.get(attempt.activity) if case else _parse_config(attempt.activity)
        if config is None:
            raise InvalidLinkError(part="scenario", reason="no such scenario of the case")
        if case and attempt.operations[: case.prepared] != case.before:
            raise InvalidLinkError(part="log", reason="another beginning")
        form = case.id if case else next(form for form, kind in KINDS.items() if kind == attempt.kind)
        run = cls(config, _read_prediction(attempt, form, case), attempt.operations, case, "P" if case else form)
        if run.attempt != attempt:
            raise InvalidLinkError(part="text", reason="not written as we write it")
        return run

    @property
    def activity(self) -> str:
        """The scenario as the activity of an attempt."""
        if self.case:
            return next(name for name, config in self.case.scenarios.items() if config == self.config)
        form = self.prediction.form if self.prediction else self.form
        return f"{KINDS[form]}.{self.config.block_size}.{name_queue(self.config.free_block_ids)}"

    @property
    def attempt(self) -> Attempt:
        """The attempt that stands for this run."""
        return Attempt(self.activity, build_answers(self.prediction), self.operations)

    @property
    def beginning(self) -> Run:
        """This run without the learner's operations; those that a case has done when it opens stay."""
        return replace(self, operations=self.case.before if self.case else ())

    def then(self, operation: Operation) -> Run:
        """This run with one more operation."""
        return replace(self, operations=(*self.operations, operation))


def encode_run(run: Run) -> str:
    """Short text of a run. Pure."""
    return encode(run.attempt)


def build_answers(prediction: Prediction | None) -> tuple[Answer, ...]:
    """A prediction as answers: the picked token, if there is one, then the answer to each question."""
    if prediction is None:
        return ()
    _, at, pick = prediction.form.partition("@")
    pairs = zip(prediction.answers, prediction.sure, strict=True)
    answers = (Answer((value,), "sure" if sure else "think") for value, sure in pairs)
    return (*((Answer((int(pick),)),) if at else ()), *answers)


def _parse_config(activity: str) -> Config:
    kind, size, queue, *more = [*activity.split("."), "", ""]
    if kind not in KINDS.values() or any(more):
        raise InvalidLinkError(part="scenario", reason="no such activity")
    return build_task_config(_parse_number(size, "block_size", MAX_BLOCK_SIZE), parse_queue(queue))


def _read_prediction(attempt: Attempt, form: str, case: Case | None) -> Prediction | None:
    answers = attempt.answers
    if not answers:
        return None
    if case and case.pick_from:
        form, answers = case.form(answers[0].number), answers[1:]
    questions = get_questions(form)
    if len(answers) != len(questions):
        raise InvalidLinkError(part="prediction", reason="unknown form")
    for answer, question in zip(answers, questions, strict=True):
        _check_answer(answer.number, question)
    return Prediction(tuple(answer.number for answer in answers), tuple(answer.is_sure for answer in answers), form)


def _check_answer(value: int, question: Question) -> None:
    if question.form in ("number", "slot"):
        check_limit("prediction", value, question.largest)
    elif value > question.largest:
        raise NoSuchOptionError(answer=value)


def _parse_number(text: str, part: str, limit: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InvalidLinkError(part=part, reason="a number expected")
    check_limit(part, int(text), limit)
    return int(text)
