"""Key steps of the library's and of authors' scenarios, each bound to what the engine did, see key_questions.py.

`library.task.2` produces the second key step of a library scenario, `scenario.2.<link>` that of an author's own: the
link holds the scenario up to this step, with the texts of this step alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.activities.attempt import decode
from lab.activities.question import Grade, Value
from lab.engine.errors import InvalidAnswerError, InvalidLinkError
from lab.figures.picture import Picture
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.key_questions import KeyQuestion, build_key_question
from lab.sandbox.library import LIBRARY, Prompt, find_prepared, list_prompts
from lab.sandbox.link import encode_scenario, read_attempt
from lab.sandbox.script import NO_TEXT
from lab.trace.config import Config
from lab.trace.operations import Operation
from lessons.text.scenario_texts import format_ask, format_bound_ask, format_point, format_title
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_list, format_operation
from lessons.text.translations import Translations
from lessons.votable.votable import MAX_SPEC, draw_change, draw_to_tap

PREFIX = "library."
OWN_PREFIX = "scenario."
MAX_DIGITS = 4


@dataclass(frozen=True)
class KeyStepVotable:
    """A key step. `number`: which of its scenario's questions it is."""

    question: KeyQuestion
    number: int

    @property
    def spec(self) -> str:
        """What produces it."""
        return name_prompt(self.question.prompt, self.number)

    @property
    def run(self) -> tuple[Config, tuple[Operation, ...]]:
        """The operations that answer it."""
        return self.question.config, self.question.operations

    @property
    def is_plain(self) -> bool:
        """An author's texts, or the library's, which have no marks."""
        return True

    def name(self, words: Translations) -> str:
        """The scenario's title, and which of its questions it is."""
        title = format_title(self.question.prompt.prepared.scenario, words)
        return words.text("classroom.key_name", title=title, number=self.number)

    def describe(self, words: Translations) -> list[str]:
        """The scenario's own question, and what was done before it."""
        words = self._name_tokens(words)
        lines = [asked] if (asked := format_ask(self.question.prompt, words)) != self.ask(words) else []
        if before := self.question.operations[: self.question.prompt.start - 1]:
            done = format_list((format_operation(operation, words) for operation in before), words)
            lines.insert(0, words.text("classroom.done_before", operations=done))
        return lines

    def ask(self, words: Translations) -> str:
        """The question itself."""
        return format_bound_ask(self.question.prompt, self._name_tokens(words))

    def format_choice(self, choice: str, words: Translations) -> str:
        """The text of an option."""
        option = self.question.option(choice)
        if option is None:
            return ""
        ids, names = option.numbers.get("ids", ()), option.numbers.get("names", ())
        listed = format_list(map(str, ids), words) if isinstance(ids, tuple) else ""
        code = ", ".join(map(str, ids)) if isinstance(ids, tuple) else ""
        called = self.question.prompt.prepared.scenario.called
        owners = format_list((called[str(name)] for name in names), words) if isinstance(names, tuple) else ""
        how = f"{self.question.about}_{option.text}"
        if code.isdecimal() and words.has(f"classroom.key_option.{how}_one"):  # one id has no order
            how += "_one"
        return words.text(f"classroom.key_option.{how}", ids=listed, code=code, names=owners, n=option.numbers.get("n"))

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

    def grade(self, value: Value) -> Grade:
        """Compare an answer with what the engine did."""
        right = value == self.question.answer
        idea = "" if right else self.question.get_idea(str(value))
        return Grade(self.question.id, value, self.question.answer, right, idea)

    def get_answer(self) -> Value:
        """What the engine did."""
        return self.question.answer

    def list_wrong(self) -> list[tuple[str, Value]]:
        """Likely wrong answers with their ideas."""
        return [(idea, option_id) for idea, option_id in self.question.wrong if idea]

    def explain(self, value: Value, words: Translations) -> str:
        """The point that the scenario makes after the step."""
        return format_point(self.question.prompt, self._name_tokens(words))

    def draw_before(self, words: Translations, columns: int, marked: frozenset[int] | None = None) -> Picture | None:
        """The pool before the step."""
        return draw_to_tap(self.question.step.before, self._name_tokens(words), columns, self.question.cell, marked)

    def draw_after(self, words: Translations, columns: int) -> list[Picture]:
        """The pool after the step, with what changed."""
        step = self.question.step
        return draw_change(step.before, step.after, self._name_tokens(words), columns)

    def _name_tokens(self, words: Translations) -> Translations:
        return ScenarioWords(words.language, self.question.prompt.prepared.scenario)


def list_specs() -> list[str]:
    """What produces each key step of the library."""
    return [f"{PREFIX}{name}.{number}" for name, each in LIBRARY.items() for number in range(1, len(each.steps) + 1)]


def name_prompt(prompt: Prompt, number: int | None = None) -> str:
    """What produces the question of that key step. Raises LinkTooLongError: without any text it is still too long.

    `number`: which of its scenario's questions it is, if the prompt does not say so. Texts that the store has no room
    for are left out: first the point, then the question, then the title.
    """
    if prompt.own is None:
        return f"{PREFIX}{prompt.prepared.id}.{prompt.number}"
    scenario, own = prompt.prepared.scenario.up_to(prompt.step), replace(prompt.own, remark=NO_TEXT)
    script = replace(scenario.script, sentence=NO_TEXT)
    untitled, unasked = replace(script, title=NO_TEXT), replace(own, point=NO_TEXT, ask=NO_TEXT)
    tries = ((script, own), (script, replace(own, point=NO_TEXT)), (script, unasked), (untitled, unasked))
    for says, asks in tries:
        try:
            text = encode_scenario(replace(scenario, script=replace(says, prompts=(asks,))))
        except LinkTooLongError:
            continue
        if len(spec := f"{OWN_PREFIX}{number or prompt.number}.{text}") <= MAX_SPEC:
            return spec
    raise LinkTooLongError(characters=MAX_SPEC + 1, limit=MAX_SPEC)


def find_question(prompt: Prompt) -> KeyStepVotable | None:
    """The question of a key step; None if the engine has no answer to it. Raises LimitError."""
    question = build_key_question(prompt)
    return KeyStepVotable(question, prompt.number) if question else None


def read_spec(spec: str) -> KeyStepVotable:
    """The key step that this text produces. Raises InvalidLinkError, and what read_attempt raises."""
    is_own = spec.startswith(OWN_PREFIX)
    first, _, second = spec.removeprefix(OWN_PREFIX if is_own else PREFIX).partition(".")
    name, number = (second, first) if is_own else (first, second)
    prepared = find_prepared(read_attempt(decode(name))) if is_own else LIBRARY.get(name)
    prompts = list_prompts(prepared) if prepared else ()
    if number.isascii() and number.isdecimal() and 0 < len(number) <= MAX_DIGITS and int(number) > 0:
        at = len(prompts) if is_own else int(number)
        question = build_key_question(prompts[at - 1]) if 0 < at <= len(prompts) else None
        if question is not None:
            return KeyStepVotable(question, int(number))
    raise InvalidLinkError(part="question", reason="no such key step")
