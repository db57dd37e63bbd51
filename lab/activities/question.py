"""What a question is; and what a learner predicts about the default task.

No answer is stored here: each question recognises the state of the run that answers it, and reads the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.trace.events import AppendChecked, BlockTaken, KVWritten, PageHasRoom, RequestEnded
from lab.trace.operations import Allocate, Append

MAX_NUMBER = 999

Cell = Literal["slot", "block", ""]  # what the numbers of an answer name in the picture; "": nothing
Form = Literal["number", "percent", "slot", "yes_no", "choice", "order", "set", "several"]
# An answer, by form: a number, percent or slot; yes (1) or no (0); the id of an option (choice); the ids of all options
# (order) or of some (several); cells (set).
Value = int | str | tuple[str, ...] | frozenset[int] | frozenset[str]
Fact = int | str | tuple[int, ...] | tuple[str, ...]
Sure = Literal["guess", "think", "sure"]  # how sure a learner is of an answer
LEVELS: tuple[Sure, ...] = get_args(Sure)
# An idea, and the wrong answer that it gives: which one, or whether it is this one here.
Rule = tuple[str, int | Callable[[TemplateValues], bool]]


@dataclass(frozen=True)
class Option:
    """One option to choose or to put in order. `text` is the key of its text, filled with `numbers`.

    `id` is language-neutral and unique in its question. `outcome`: what the option claims, if options give reasons.
    `idea`: the id (lab/activities/ideas.py) of the idea or slip behind a wrong choice; empty if none is known.
    """

    id: str
    text: str = ""
    numbers: Mapping[str, Fact] = field(default_factory=dict)
    outcome: str = ""
    idea: str = ""

    @property
    def ids(self) -> tuple[int, ...]:
        """The block ids in its text."""
        ids = self.numbers.get("ids", ())
        return tuple(each for each in ids if isinstance(each, int)) if isinstance(ids, tuple) else ()


def build_options(ids: Iterable[str], **ideas: str) -> tuple[Option, ...]:
    """Options whose texts need no more than their ids. `ideas`: the idea behind a wrong choice, by the option's id."""
    return tuple(Option(option_id, idea=ideas.get(option_id, "")) for option_id in ids)


def observe_nothing(_point: TracePoint) -> Outcome | None:
    """For a question that something else than a trace point answers."""
    return None


@dataclass(frozen=True)
class Question:
    """One thing to ask. `observe` returns the outcome at a trace point, or None if that point does not show it.

    options  in the order shown, if one is chosen or they are put in order.
    rules    the first one that fits names the idea behind a wrong answer, an id of lab/activities/ideas.py; no two
             rules of a question name the same one. If an option is chosen, it may name the idea itself.
    said_by  the source of the outcome: the engine's run, or nano-vLLM's own rule played on the engine.
    cell     what the numbers of the answer name in the picture.
    cells    the ids that may be marked, if the form is "set".
    """

    id: str
    form: Form
    observe: Callable[[TracePoint], Outcome | None] = observe_nothing
    options: tuple[Option, ...] = ()
    rules: tuple[Rule, ...] = ()
    said_by: Literal["engine", "nano_vllm"] = "engine"
    cell: Cell = ""
    cells: range = range(0)

    @property
    def largest(self) -> int:
        """The largest answer of a prediction, where the place of an option stands for the option."""
        return {"yes_no": 1, "choice": len(self.options) - 1, "percent": 100}.get(self.form, MAX_NUMBER)

    @property
    def choices(self) -> tuple[int | str, ...]:
        """The values of which one can be chosen."""
        return (1, 0) if self.form == "yes_no" else tuple(option.id for option in self.options)

    def place(self, value: Value | float) -> int:
        """The number that stands for a value in a prediction: itself, or the place of the option."""
        return value if isinstance(value, int) else [option.id for option in self.options].index(str(value))

    def option(self, option_id: object) -> Option | None:
        """The option of that id, if there is one."""
        return next((option for option in self.options if option.id == option_id), None)


@dataclass(frozen=True)
class Verdict:
    """One statement of a "several" question: was it chosen, and is it true?"""

    option_id: str
    chosen: bool
    true: bool


@dataclass(frozen=True)
class Grade:
    """An answer to a question beside `value`, what the run did.

    idea         the idea behind a wrong answer; "" if it is right, or if no known idea gives it.
    facts        values of the run for this question's texts.
    verdicts     one for each statement of a "several" question.
    only_reason  the outcome was right and the reason was wrong.
    """

    question: str
    answer: Value
    value: Value | float
    right: bool
    idea: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    sure: bool = False
    verdicts: tuple[Verdict, ...] = ()
    only_reason: bool = False


def grade_option(question: Question, chosen: str, answer: str) -> Grade:
    """Compare the chosen option with the right one, by their ids. A wrong one names the idea behind it. Pure."""
    option = question.option(chosen)
    idea = option.idea if option and chosen != answer else ""
    return Grade(question.id, chosen, answer, chosen == answer, idea)


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
    Question("last_to_join", "number", _observe_last_to_join, cell="block"),
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
