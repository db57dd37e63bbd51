"""Questions of the quiz: every kind of it can be asked, with nothing to do for a new kind."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.question import Grade, Value
from lab.figures.fragmentation import draw_fragmentation
from lab.figures.picture import Picture
from lab.quiz.grade import grade
from lab.quiz.link import encode_name
from lab.quiz.question import QuizQuestion
from lab.quiz.view import view_after, view_before, view_before_last, view_other_block_size
from lab.quiz.words import ask, describe_scene, explain_answer, format_feedback, format_kind, format_option
from lab.trace.config import Config
from lab.trace.operations import Operation
from lessons.text.quiz_values import format_any_value
from lessons.text.translations import Translations
from lessons.votable.votable import decode_answer, draw_change, draw_to_tap, encode_answer

PREFIX = "quiz."


@dataclass(frozen=True)
class QuizVotable:
    """A question of the quiz."""

    question: QuizQuestion

    @property
    def spec(self) -> str:
        """What produces it."""
        return PREFIX + encode_name(self.question.name)

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""
        return self.question.config, self.question.operations

    @property
    def is_plain(self) -> bool:
        """The lab's own words."""
        return False

    def name(self, words: Translations) -> str:
        """A short name."""
        return format_kind(self.question.name.kind, words)

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
        return decode_answer(self.question, text)

    def format_value(self, value: Value, words: Translations) -> str:
        """An answer as a learner reads it."""
        return format_any_value(self.question, value, words)

    def grade(self, value: Value) -> Grade:
        """Compare an answer with what the engine did."""
        return grade(self.question, value)

    def get_answer(self) -> Value:
        """What the engine did."""
        return self.question.answer

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas."""
        return [(wrong.idea, wrong.value) for wrong in self.question.wrong]

    def explain(self, value: Value, words: Translations) -> str:
        """What is behind a wrong answer, and how the engine's own answer comes about."""
        found = grade(self.question, value)
        lines = [] if found.right else format_feedback(self.question, found, words)
        why = explain_answer(self.question, found, words)
        return words.text("figures.gap").join([*lines, *([] if why in lines else [why])])

    def draw_before(self, words: Translations, columns: int, marked: frozenset[int] | None = None) -> Picture | None:
        """The pool before the operation in question."""
        seen = view_before(self.question)
        return draw_to_tap(seen.state, words, columns, self.question.cell, marked) if seen else None

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """The pool after the run; both runs if the question compares two block sizes."""
        after, other = view_after(self.question).state, view_other_block_size(self.question)
        if other is not None:
            return [draw_fragmentation(each, words, columns=columns) for each in (after, other)]
        return draw_change(view_before_last(self.question), after, words, columns)
