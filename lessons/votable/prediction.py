"""Predictions of the task and of the lessons' cases: the plan is replayed, and its run answers.

`predict.P.blocks` is a question of the task, `predict.ten@9.slot` one about a token that was picked. Any question of
`lab.activities.question` that its plan answers can be asked, with nothing to do for a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lab.activities.cases import CASES, find_form, get_lesson, get_questions
from lab.activities.cases.case import Case
from lab.activities.cases.task import TASK
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Grade, Question, Value, observe_outcomes
from lab.activities.trace_points import Outcome, TracePoint, iterate_trace_points
from lab.engine.errors import InvalidLinkError
from lab.figures.picture import Picture
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import collect_setting, format_answer
from lessons.text.sentences import explain_grade, format_list, format_operation
from lessons.text.translations import Translations
from lessons.votable.votable import decode_answer, draw_change, draw_to_tap, encode_answer

PREFIX = "predict."


@dataclass(frozen=True)
class PredictionVotable:
    """One question of a prediction about a case. `pick`: the position of the token that it is about."""

    form: str
    question: Question
    outcome: Outcome
    timeline: Timeline
    points: tuple[TracePoint, ...]
    case: Case
    pick: int | None = None

    @property
    def spec(self) -> str:
        """What produces it."""
        return f"{PREFIX}{self.form}.{self.question.id}"

    @property
    def topic(self) -> str:
        """The topic of its texts."""
        return get_lesson(self.case)

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""
        return self.timeline.config, self.timeline.operations[: self.outcome.step + 1]

    @property
    def is_plain(self) -> bool:
        """The lab's own words."""
        return False

    def name(self, words: Translations) -> str:
        """Where it is asked, and a short name."""
        where = words.text("site.nav_task" if self.topic == TASK else f"{self.topic}.case.{self.case.id}.name")
        return f"{where} · {self._text('short', words)}"

    def describe(self, words: Translations) -> list[str]:
        """The pool, the requests and what will be done; for a case its own sentence first."""
        config, lines, lead = self.timeline.config, [], f"{self.topic}.case.{self.case.id}.lead"
        if words.has(lead):
            lines.append(words.text(lead, **self._collect(words)))
        else:
            requests = (
                words.text("classroom.request", seq_id=each.seq_id, tokens=len(each.prompt)) for each in config.requests
            )
            lines.append(
                words.text("classroom.pool", block_size=config.block_size, requests=format_list(requests, words))
            )
        done = format_list((format_operation(operation, words) for operation in self.case.plan), words)
        queue = ", ".join(map(str, config.free_block_ids))
        return [*lines, words.text("classroom.plan", operations=done, queue=queue)]

    def ask(self, words: Translations) -> str:
        """The question itself."""
        return self._text("question", words)

    def format_choice(self, choice: str, words: Translations) -> str:
        """The text of an option."""
        value = int(choice) if self.question.form == "yes_no" else choice
        return format_answer(self.question, words, self.topic, value)

    def encode(self, value: Value) -> str:
        """An answer as a short text."""
        return encode_answer(self.question, value)

    def decode(self, text: str) -> Value:
        """Inverse of encode. Raises InvalidAnswerError."""
        return decode_answer(self.question, text)

    def format_value(self, value: Value, words: Translations) -> str:
        """An answer as a learner reads it."""
        return format_answer(self.question, words, self.topic, value)

    def grade(self, value: Value) -> Grade:
        """Compare an answer with what the engine did."""
        return diagnose_one(self.question, self.question.place(value), self.outcome, self.points)

    def get_answer(self) -> Value:
        """What the engine did."""
        return self.decode(str(self.outcome.value))

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas: the first value that each rule recognises."""
        found: dict[str, Value] = {}
        for number in range(min(self.question.largest, _most(self.timeline.config)) + 1):
            value = self.decode(str(number))
            graded = self.grade(value)
            if not graded.right and graded.idea:
                found.setdefault(graded.idea, value)
        return list(found.items())

    def explain(self, value: Value, words: Translations) -> str:
        """Why the idea behind the answer does not fit the run; else how the run's answer comes about."""
        found = self.grade(value)
        if not found.idea and not words.has(f"{self.topic}.derive.{self.question.id}"):
            # A yes or no whose one wrong answer has an idea needs no other text.
            return words.text("classroom.right_is", answer=self.format_value(self.get_answer(), words))
        return explain_grade(self.topic, found, words, self._collect(words))

    def draw_before(self, words: Translations, columns: int, marked: frozenset[int] | None = None) -> Picture | None:
        """The pool when the prediction is asked for."""
        state = self.timeline.snapshot(self.case.prepared)
        return draw_to_tap(state, words, columns, self.question.cell, marked)

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """The pool after the step that answered it, with what changed."""
        before, after = self.timeline.snapshot(self.outcome.step), self.timeline.snapshot(self.outcome.step + 1)
        return draw_change(before, after, words, columns)

    def _collect(self, words: Translations) -> dict[str, object]:
        return collect_setting(self.timeline.config, self.case, self.pick, words)

    def _text(self, what: str, words: Translations) -> str:
        return words.text(f"{self.topic}.{what}.{self.question.id}", **self._collect(words))


def _most(config: Config) -> int:
    """The largest number worth looking for: a slot, or a number of tokens."""
    return max(config.num_blocks * config.block_size, *(len(request.prompt) for request in config.requests))


@lru_cache(maxsize=64)
def _run(form: str) -> tuple[Timeline, tuple[TracePoint, ...]]:
    case, _ = find_form(form)
    timeline = Timeline.replay(case.config, case.plan)
    return timeline, tuple(iterate_trace_points(timeline.steps))


def read_spec(spec: str) -> PredictionVotable:
    """The question that this text produces. Raises InvalidLinkError."""
    form, _, name = spec.removeprefix(PREFIX).rpartition(".")
    question = next((each for each in get_questions(form) if each.id == name), None)
    if question is None or form == "Q":
        raise InvalidLinkError(part="question", reason="no such question")
    timeline, points = _run(form)
    outcome = observe_outcomes(points, [question]).get(name)
    if outcome is None:
        raise InvalidLinkError(part="question", reason="not answered by its plan")
    return PredictionVotable(form, question, outcome, timeline, points, *find_form(form))


def list_specs() -> list[str]:
    """What produces each question of the task and of the lessons that its plan answers."""
    return list(_list_specs())


def _list_specs() -> Iterator[str]:
    forms = ["P", *(case.form(case.last_pick) for case in CASES.values())]
    for form in forms:
        _, points = _run(form)
        for name in observe_outcomes(points, get_questions(form)):
            yield f"{PREFIX}{form}.{name}"
