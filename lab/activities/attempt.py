"""A run as a short text, for links. `4.used_P3-1-1-0-1-7-110000_aA.aB.tB` is a config, a prediction and a log.

In a lesson, the id of a case names the config: `exact_5@3-27-01_aA` (5: the position of the token that was picked).
If a case's scenario has changed, `taken.2` names the new scenario and `taken` still names the old one.

Links are not trusted: a text that does not describe a state raises InvalidLinkError or another LabError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lab.activities.cases import CASES, get_questions
from lab.activities.cases.case import Case
from lab.activities.question import MAX_NUMBER, Prediction, Question
from lab.engine.errors import InvalidLinkError, NoSuchOptionError
from lab.trace.config import MAX_BLOCK_SIZE, MAX_OPERATIONS, Config, check_limit
from lab.trace.operations import Operation, encode_operation, parse_operation
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config

MAX_LINK = 2000  # characters

_QUEUES = {"used": USED_QUEUE, "fresh": build_fresh_queue()}
_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")


@dataclass(frozen=True)
class Run:
    """A scenario, the prediction committed for it, and the operations so far. `case`: the lesson's case, if any."""

    config: Config
    prediction: Prediction | None = None
    operations: tuple[Operation, ...] = ()
    case: Case | None = None

    @classmethod
    def of(cls, case: Case) -> Run:
        """The case's run as it opens."""
        return cls(case.config, None, case.before, case)

    @classmethod
    def all_of(cls, case: Case) -> tuple[Run, ...]:
        """The case's run as it opens, then as it opened with its earlier scenario, if it had one."""
        return tuple(cls(config, None, case.before, case) for config in case.scenarios.values())

    @property
    def beginning(self) -> Run:
        """This run without the learner's operations; those that a case has done when it opens stay."""
        return replace(self, operations=self.case.before if self.case else ())

    def then(self, operation: Operation) -> Run:
        """This run with one more operation."""
        return replace(self, operations=(*self.operations, operation))


@dataclass(frozen=True)
class Cursor:
    """The position in a run: after `step` operations, or inside operation `step` after its first `event` events."""

    step: int
    event: int | None = None


def encode_run(run: Run) -> str:
    """Short text of a run of the task or of a lesson's case. Pure."""
    queue = next((name for name, ids in _QUEUES.items() if ids == run.config.free_block_ids), None)
    if queue is None:
        queue = "-".join(map(str, run.config.free_block_ids))
    scenario = f"{run.config.block_size}.{queue}"
    if run.case:
        scenario = next(name for name, config in run.case.scenarios.items() if config == run.config)
    parts = [scenario, "", ".".join(map(encode_operation, run.operations))]
    if run.prediction:
        sure = "".join("1" if sure else "0" for sure in run.prediction.sure)
        form = run.prediction.form
        if run.case:
            _, at, pick = form.partition("@")
            form = pick + at
        parts[1] = form + "-".join([*map(str, run.prediction.answers), sure])
    return "_".join(parts)


def parse_run(text: str) -> Run:
    """Inverse of encode_run. Raises InvalidLinkError, and what Config raises. Runs nothing."""
    if len(text) > MAX_LINK:
        raise InvalidLinkError(part="text", reason="too long")
    parts = text.split("_")
    if len(parts) != 3:
        raise InvalidLinkError(part="text", reason="three parts expected")
    operations = tuple(map(parse_operation, parts[2].split("."))) if parts[2] else ()
    check_limit("operations", len(operations), MAX_OPERATIONS)
    case = CASES.get(parts[0].partition(".")[0])
    config = case.scenarios.get(parts[0]) if case else _parse_config(parts[0])
    if config is None:
        raise InvalidLinkError(part="scenario", reason="no such scenario of the case")
    if case and operations[: case.prepared] != case.before:
        raise InvalidLinkError(part="log", reason="another beginning")
    return Run(config, _parse_prediction(parts[1], case) if parts[1] else None, operations, case)


def encode_cursor(cursor: Cursor) -> str:
    """Short text of a cursor: `3`, or `3.2` inside the third operation."""
    return f"{cursor.step}" if cursor.event is None else f"{cursor.step}.{cursor.event}"


def parse_cursor(text: str, run: Run) -> Cursor:
    """Inverse of encode_cursor, for that run. Raises InvalidLinkError."""
    step, dot, event = text.partition(".")
    if not _NUMBER.fullmatch(step) or int(step) > len(run.operations):
        raise InvalidLinkError(part="at", reason="no such step")
    if not dot:
        return Cursor(int(step))
    if not _NUMBER.fullmatch(event) or int(event) < 1 or int(step) < 1:
        raise InvalidLinkError(part="at", reason="no such event")
    return Cursor(int(step), int(event))


def _parse_config(text: str) -> Config:
    size, _, queue = text.partition(".")
    ids = _QUEUES.get(queue)
    if ids is None:
        ids = tuple(_parse_number(part, "pool", MAX_NUMBER) for part in queue.split("-"))
    return build_task_config(_parse_number(size, "block_size", MAX_BLOCK_SIZE), ids)


def _parse_prediction(text: str, case: Case | None) -> Prediction:
    pick, at, answered = text.rpartition("@") if case else ("", "", text[1:])
    form = case.id + at + pick if case else text[0]
    *answers, sure = answered.split("-")
    questions = get_questions(form)
    count = len(questions)
    if len(answers) != count or not re.fullmatch(rf"[01]{{{count}}}", sure):
        raise InvalidLinkError(part="prediction", reason="unknown form")
    values = tuple(_parse_answer(answer, question) for answer, question in zip(answers, questions, strict=True))
    return Prediction(values, tuple(flag == "1" for flag in sure), form)


def _parse_answer(text: str, question: Question) -> int:
    if question.form in ("number", "slot"):
        return _parse_number(text, "prediction", question.largest)
    answer = _parse_number(text, "prediction", MAX_NUMBER)
    if answer > question.largest:
        raise NoSuchOptionError(answer=answer)
    return answer


def _parse_number(text: str, part: str, limit: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise InvalidLinkError(part=part, reason="a number expected")
    check_limit(part, int(text), limit)
    return int(text)
