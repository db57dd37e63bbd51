"""Key steps of the library's scenarios, each bound to what the engine did (lab/sandbox/key_questions.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.activities.question import Value
from lab.classroom.tally import Graded
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.sandbox.facts import collect_settings, collect_values
from lab.sandbox.key_questions import KeyQuestion, build_key_question
from lab.sandbox.library import LIBRARY, Prompt, get_title_key, list_prompts
from lab.trace.config import Config
from lab.trace.operations import Operation
from lab.trace.snapshot import compare_snapshots
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_list, format_operation, format_values
from lessons.text.translations import Translations

PREFIX = "library."


@dataclass(frozen=True)
class KeyStepVotable:
    """A key step."""

    question: KeyQuestion

    @property
    def spec(self) -> str:
        """What produces it."""
        return PREFIX + self.question.id

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""
        return self.question.config, self.question.operations

    def name(self, words: Translations) -> str:
        """The scenario's title, and which of its questions it is."""
        prompt = self.question.prompt
        title = words.text(get_title_key(prompt.prepared.id), **format_values(collect_settings(prompt.prepared), words))
        return words.text("classroom.key_name", title=title, number=prompt.number)

    def describe(self, words: Translations) -> list[str]:
        """The scenario's own question, and what was done before it."""
        prompt = self.question.prompt
        lines = [self._format(prompt.ask, words)]
        if before := self.question.operations[:-1]:
            done = format_list((format_operation(operation, words) for operation in before), words)
            lines.insert(0, words.text("classroom.done_before", operations=done))
        return lines

    def ask(self, words: Translations) -> str:
        """The question itself."""
        operation = format_operation(self.question.operation, words)
        seq_id = self.question.operation.seq_id
        return words.text(f"classroom.key_ask.{self.question.about}", operation=operation, seq_id=seq_id)

    def format_choice(self, choice: str, words: Translations) -> str:
        """The text of an option."""
        option = self.question.option(choice)
        if option is None:
            return ""
        ids = option.numbers.get("ids")
        listed = format_list(map(str, ids), words) if isinstance(ids, tuple) else ""
        code = ", ".join(map(str, ids)) if isinstance(ids, tuple) else ""
        how = f"{self.question.about}_{option.text}"
        return words.text(f"classroom.key_option.{how}", ids=listed, code=code)

    def encode(self, value: Value) -> str:
        """An answer as a short text."""
        return str(value)

    def decode(self, text: str) -> Value:
        """Inverse of encode. Raises InvalidAnswerError."""
        if text not in self.question.choices:
            raise InvalidAnswerError(reason="no_choice")
        return text

    def format_value(self, value: Value, words: Translations) -> str:
        """An answer as a learner reads it."""
        return self.format_choice(str(value), words)

    def grade(self, value: Value) -> Graded:
        """Compare an answer with what the engine did."""
        right = value == self.question.answer
        return Graded(right, "" if right else self.question.get_idea(str(value)))

    def get_answer(self) -> Value:
        """What the engine did."""
        return self.question.answer

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas."""
        return [(idea, option_id) for idea, option_id in self.question.wrong if idea]

    def explain(self, value: Value, words: Translations) -> str:
        """The point that the scenario makes after the step."""
        return self._format(self.question.prompt.point, words)

    @property
    def cells(self) -> Literal["slot", "block", ""]:
        """No cells are marked."""
        return ""

    def draw_before(self, words: Translations, columns: int, marked: frozenset[int] | None = None) -> Picture | None:
        """The pool before the step."""
        return draw_memory(self.question.step.before, self._name_tokens(words), columns=columns, clickable=())

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """The pool after the step, with what changed."""
        step = self.question.step
        changed = compare_snapshots(step.before, step.after)
        return [draw_memory(step.after, self._name_tokens(words), changed=changed, columns=columns, clickable=())]

    def _name_tokens(self, words: Translations) -> Translations:
        return ScenarioWords(words.language, self.question.prompt.prepared.scenario)

    def _format(self, key: str, words: Translations) -> str:
        return words.text(key, **format_values(collect_values(self.question.prompt), words))


def list_specs() -> list[str]:
    """What produces each key step of the library."""
    return [f"{PREFIX}{name}.{number}" for name, each in LIBRARY.items() for number in range(1, len(each.steps) + 1)]


def name_prompt(prompt: Prompt) -> str:
    """What produces the question of that key step."""
    return f"{PREFIX}{prompt.prepared.id}.{prompt.number}"


def read_spec(spec: str) -> KeyStepVotable:
    """The key step that this text produces. Raises InvalidLinkError."""
    name, _, number = spec.removeprefix(PREFIX).partition(".")
    prepared = LIBRARY.get(name)
    prompts = list_prompts(prepared) if prepared else ()
    if not number.isascii() or not number.isdecimal() or not 0 < int(number) <= len(prompts):
        raise InvalidLinkError(part="question", reason="no such key step")
    return KeyStepVotable(build_key_question(prompts[int(number) - 1]))
