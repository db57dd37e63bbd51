"""What a class can be asked, whatever the kind. A question is kept as what produces it, and graded as everywhere."""

from __future__ import annotations

from typing import Protocol

from lab.activities.answer import decode_value, encode_value
from lab.activities.question import Cell, Grade, Question, Value
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.figures.memory.fitting import fit_blocks_a_row
from lab.figures.memory.marks import Answered
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.snapshot import Snapshot, compare_snapshots
from lessons.text.translations import Translations

MAX_SPEC = 2000  # characters of what produces a question
_NONE = "e"


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

    @property
    def is_plain(self) -> bool:
        """Whether `describe` and `explain` are plain texts, which an author may have typed, instead of Markdown."""

    def name(self, words: Translations) -> str:
        """A short name, for the instructor's menu."""

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

    def grade(self, value: Value) -> Grade:
        """Compare an answer with what the engine did."""

    def get_answer(self) -> Value:
        """What the engine did."""

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas, the most telling first."""

    def explain(self, value: Value, words: Translations) -> str:
        """What is behind a wrong answer, and how the engine's own answer comes about."""

    def draw_before(self, words: Translations, columns: int, marked: frozenset[int] | None = None) -> Picture | None:
        """The picture that goes with the question; None if it needs none. `marked`: cells, which can then be tapped."""

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """What the engine did."""


def encode_answer(question: Question, value: Value) -> str:
    """An answer as a short text: numbers, places of options, or cells; `e` for none."""
    return "-".join(map(str, encode_value(question, value))) or _NONE


def decode_answer(question: Question, text: str) -> Value:
    """Inverse of encode_answer. Raises InvalidAnswerError."""
    try:
        value = decode_value(question, () if text == _NONE else tuple(map(int, text.split("-"))))
    except (InvalidLinkError, ValueError):
        raise InvalidAnswerError(reason="no_choice") from None
    if encode_answer(question, value) != text:
        raise InvalidAnswerError(reason="no_choice")
    return value


def draw_to_tap(
    state: Snapshot, words: Translations, columns: int, cell: Cell, marked: frozenset[int] | None
) -> Picture:
    """Draw the pool before the answer. If cells are asked for and `marked` is given, those are marked and all can be
    tapped, with as many blocks in a row as a finger needs; marked cells outside the pool are left out."""
    if not cell or marked is None:
        return draw_memory(state, words, columns=columns, clickable=())
    number = state.num_blocks * (state.block_size if cell == "slot" else 1)
    answered = Answered(cell, {each: "chosen" for each in sorted(marked) if each < number})
    if cell == "slot":
        columns = fit_blocks_a_row(state, words, columns)
    return draw_memory(state, words, columns=columns, clickable=(cell,), answered=answered)


def draw_change(before: Snapshot | None, after: Snapshot, words: Translations, columns: int) -> list[Picture]:
    """Draw the pool after the run, with what has changed if the state before is given."""
    changed = compare_snapshots(before, after) if before else None
    return [draw_memory(after, words, changed=changed, columns=columns, clickable=())]
