"""What a class can be asked. A question is kept as what produces it, and graded as everywhere else.

`quiz.q.table.17.4.easy` is a question of the quiz; any kind of it can be asked, with nothing to do for a new kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lab.activities.question import Question, Value
from lab.classroom.tally import Graded
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.figures.fragmentation import draw_fragmentation
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.quiz.generate import generate_named
from lab.quiz.grade import grade
from lab.quiz.link import encode_name, parse_name
from lab.quiz.question import QuizQuestion
from lab.quiz.round_link import decode_answer, encode_answer
from lab.quiz.view import view_after, view_before, view_before_last, view_other_block_size
from lab.quiz.words import ask, describe_scene, explain_answer, format_feedback, format_idea, format_option
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.snapshot import compare_snapshots
from lessons.text.quiz_values import format_any_value
from lessons.text.translations import Translations

_QUIZ = "quiz."


class Votable(Protocol):
    """A question that a class can be asked."""

    @property
    def spec(self) -> str:
        """What produces it: a short text for the store."""

    @property
    def question(self) -> Question:
        """Its form and its options."""

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""

    def describe(self, words: Translations) -> list[str]:
        """The scenario, a sentence each."""

    def ask(self, words: Translations) -> str:
        """The question itself."""

    def format_choice(self, choice: str, words: Translations) -> str:
        """The text of an option."""

    def encode(self, value: Value) -> str:
        """An answer as a short text for the store."""

    def decode(self, text: str) -> Value:
        """Inverse of encode. Raises InvalidAnswerError: a vote is not trusted."""

    def format_value(self, value: Value, words: Translations) -> str:
        """An answer as a learner reads it."""

    def grade(self, value: Value) -> Graded:
        """Compare an answer with what the engine did."""

    def get_answer(self) -> Value:
        """What the engine did."""

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas, the most telling first."""

    def name_idea(self, idea: str, words: Translations) -> str:
        """The name of an idea or slip."""

    def explain(self, value: Value, words: Translations) -> str:
        """What is behind a wrong answer, and how the engine's own answer comes about."""

    def draw_before(self, words: Translations, columns: int) -> Picture | None:
        """The picture that goes with the question; None if it needs none."""

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """What the engine did."""


@dataclass(frozen=True)
class QuizVotable:
    """A question of the quiz."""

    question: QuizQuestion

    @property
    def spec(self) -> str:
        """What produces it."""
        return _QUIZ + encode_name(self.question.name)

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""
        return self.question.config, self.question.operations

    def describe(self, words: Translations) -> list[str]:
        """The scenario, a sentence each."""
        return describe_scene(self.question, words)

    def ask(self, words: Translations) -> str:
        """The question itself."""
        return ask(self.question, words)

    def format_choice(self, choice: str, words: Translations) -> str:
        """The text of an option."""
        option = self.question.option(choice)
        return format_option(option, words) if option else ""

    def encode(self, value: Value) -> str:
        """An answer as a short text."""
        return encode_answer(self.question, value)

    def decode(self, text: str) -> Value:
        """Inverse of encode. Raises InvalidAnswerError."""
        try:
            value = decode_answer(self.question, text)
        except (ValueError, IndexError):
            raise InvalidAnswerError(reason="no_choice") from None
        if encode_answer(self.question, value) != text:
            raise InvalidAnswerError(reason="no_choice")
        return value

    def format_value(self, value: Value, words: Translations) -> str:
        """An answer as a learner reads it."""
        return format_any_value(self.question, value, words)

    def grade(self, value: Value) -> Graded:
        """Compare an answer with what the engine did."""
        found = grade(self.question, value)
        return Graded(found.right, found.idea)

    def get_answer(self) -> Value:
        """What the engine did."""
        return self.question.answer

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas."""
        return [(wrong.idea, wrong.value) for wrong in self.question.wrong]

    def name_idea(self, idea: str, words: Translations) -> str:
        """The name of an idea or slip."""
        return format_idea(idea, words)

    def explain(self, value: Value, words: Translations) -> str:
        """What is behind a wrong answer, and how the engine's own answer comes about."""
        found = grade(self.question, value)
        lines = [] if found.right else format_feedback(self.question, found, words)
        why = explain_answer(self.question, found, words)
        return words.text("figures.gap").join([*lines, *([] if why in lines else [why])])

    def draw_before(self, words: Translations, columns: int) -> Picture | None:
        """The pool before the operation in question."""
        seen = view_before(self.question)
        return draw_memory(seen.state, words, columns=columns, clickable=()) if seen else None

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """The pool after the run; both runs if the question compares two block sizes."""
        after, other = view_after(self.question).state, view_other_block_size(self.question)
        if other is not None:
            return [draw_fragmentation(each, words, columns=columns) for each in (after, other)]
        earlier = view_before_last(self.question)
        changed = compare_snapshots(earlier, after) if earlier else None
        return [draw_memory(after, words, changed=changed, columns=columns, clickable=())]


def find_votable(spec: str) -> Votable:
    """The question that this text produces. Raises InvalidLinkError."""
    if spec.startswith(_QUIZ):
        return QuizVotable(generate_named(parse_name(spec.removeprefix(_QUIZ))))
    raise InvalidLinkError(part="question", reason="not a question for a class")
