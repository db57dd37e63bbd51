"""What a learner predicts about the default task, and what the engine's run then answers.

No answer is stored here: each question recognises the state of the run that answers it, and reads the snapshot.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Literal

from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.engine.errors import InvalidAnswerError
from lab.trace.events import AppendChecked, BlockTaken, KVWritten, PageHasRoom, RequestEnded
from lab.trace.operations import Allocate, Append

MAX_NUMBER = 999


Rule = tuple[str, Callable[[TemplateValues], bool]]


@dataclass(frozen=True)
class Question:
    """One thing to predict. `observe` returns the outcome at a trace point, or None if that point does not show it.

    kind     a typed number; yes (1) or no (0); the index of one of `options`; a slot, typed or clicked in the picture.
    rules    (idea, does it give this wrong answer here?); the first rule that fits names the idea behind the answer.
             The idea is an id of lab/activities/ideas.py; no two rules of a question name the same one.
    said_by  the source of the outcome: the engine's run, or nano-vLLM's own rule played on the engine.
    """

    id: str
    kind: Literal["number", "yes_no", "choice", "slot"]
    observe: Callable[[TracePoint], Outcome | None]
    options: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    said_by: Literal["engine", "nano_vllm"] = "engine"

    @property
    def largest(self) -> int:
        """The largest answer of a valid form."""
        return {"yes_no": 1, "choice": len(self.options) - 1}.get(self.kind, MAX_NUMBER)


@dataclass(frozen=True)
class Prediction:
    """Committed answers in the order of the form's questions, and whether the learner was sure of each.

    `form`: the letter of a form of the task (FORMS), or the form of a lesson's case (Case.form).
    """

    answers: tuple[int, ...]
    sure: tuple[bool, ...]
    form: str = "P"


def _find_table_when_written(point: TracePoint) -> tuple[int, ...] | None:
    """A's block_table once its prompt's KV is written."""
    wrote = isinstance(point.operation, Allocate) and isinstance(point.event, KVWritten)
    if not wrote or point.operation.seq_id != "A":
        return None
    view = point.snapshot.sequence("A")
    return view.block_table if view else None


def _observe_blocks(point: TracePoint) -> Outcome | None:
    table = _find_table_when_written(point)
    return Outcome(len(table), point.step, table) if table else None


def _empty_slots(point: TracePoint) -> Outcome | None:
    view = point.snapshot.sequence("A")
    return Outcome(view.empty_slots, point.step) if view and _find_table_when_written(point) else None


def _observe_consecutive(point: TracePoint) -> Outcome | None:
    table = _find_table_when_written(point)
    if not table:
        return None
    return Outcome(int(all(b == a + 1 for a, b in pairwise(table))), point.step, table)


def _is_append_to_b(point: TracePoint) -> bool:
    return isinstance(point.operation, Append) and point.operation.seq_id == "B"


def _observe_new_page(point: TracePoint) -> Outcome | None:
    if _is_append_to_b(point) and isinstance(point.event, BlockTaken | PageHasRoom):
        return Outcome(int(isinstance(point.event, BlockTaken)), point.step, (point.event.block_id,))
    return None


def _observe_table_after_check(point: TracePoint) -> Outcome | None:
    view = point.snapshot.sequence("B")
    if _is_append_to_b(point) and isinstance(point.event, AppendChecked) and point.event.answer and view:
        return Outcome(len(view.block_table), point.step, view.block_table)
    return None


def _empty_slots_of_b(point: TracePoint) -> Outcome | None:
    view = point.snapshot.sequence("B")
    if _is_append_to_b(point) and isinstance(point.event, KVWritten) and view:
        return Outcome(view.empty_slots, point.step)
    return None


def _observe_last_to_join(point: TracePoint) -> Outcome | None:
    if isinstance(point.event, RequestEnded) and point.event.seq_id == "A":
        return Outcome(point.snapshot.free_block_ids[-1], point.step)
    return None


QUESTIONS: tuple[Question, ...] = (
    Question("blocks", "number", _observe_blocks),
    Question("empty_slots", "number", _empty_slots),
    Question("new_page", "yes_no", _observe_new_page),
    Question("consecutive", "yes_no", _observe_consecutive),
    Question("table_after_check", "number", _observe_table_after_check),
    Question("last_to_join", "number", _observe_last_to_join),
)
B_EMPTY_SLOTS = Question("b_empty_slots", "number", _empty_slots_of_b)

# Questions asked together, by their letter in a link: the default task, and the same task at another size.
FORMS: dict[str, tuple[Question, ...]] = {"P": QUESTIONS, "Q": (*QUESTIONS[:3], B_EMPTY_SLOTS)}
BY_ID: dict[str, Question] = {question.id: question for question in (*QUESTIONS, B_EMPTY_SLOTS)}


def observe_outcomes(points: Sequence[TracePoint], questions: Sequence[Question] = QUESTIONS) -> dict[str, Outcome]:
    """What these trace points show, by question id; the first point that answers a question counts."""
    result: dict[str, Outcome] = {}
    for question in questions:
        answers = (question.observe(point) for point in points)
        if (first := next((answer for answer in answers if answer), None)) is not None:
            result[question.id] = first
    return result


def parse_number(text: str) -> int:
    """A typed whole number 0..999, in the digits of any script. Raises InvalidAnswerError with the reason.

    Number signs that are not digits (½, ², ①) are refused: 3² would become 32.
    """
    cleaned = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
    if not cleaned:
        raise InvalidAnswerError(reason="empty")
    if "_" in cleaned or any(sign.isnumeric() and not sign.isdecimal() for sign in text):
        raise InvalidAnswerError(reason="not_a_number")
    try:
        number = Decimal(cleaned)
    except InvalidOperation:
        raise InvalidAnswerError(reason="not_a_number") from None
    if number.is_nan():
        raise InvalidAnswerError(reason="not_a_number")
    if number < 0:
        raise InvalidAnswerError(reason="negative")
    if number > MAX_NUMBER:
        raise InvalidAnswerError(reason="too_large")
    if number != number.to_integral_value():
        raise InvalidAnswerError(reason="not_whole")
    return int(number)
