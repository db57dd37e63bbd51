"""What the author of a scenario says about it: a title, a sentence, and at some steps a question, a point and notes.

Texts are in one language or in both. They are untrusted: typed, or from a link or a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

from lab.sandbox.errors import AuthorTextTooLongError, QuestionKindError, QuestionStepError
from lab.sandbox.log import Kind, LogStep
from lab.sandbox.tokens import clean_lines, clean_text
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release

# What a question asks about a step, so that the engine's run has the answer: the block_table, the block of the new
# token, the blocks that join the free queue, the answer of can_append, blocks needed, empty slots, refused or not,
# whose table holds a block.
About = Literal["table", "place", "joined", "check", "needed", "empty", "refused", "owner"]
ABOUT: tuple[About, ...] = get_args(About)

LIMITS = {"title": 80, "sentence": 300, "ask": 600, "point": 600, "remark": 600}  # characters
MAX_QUESTIONS = 40

_FITS: dict[type[Operation], tuple[About, ...]] = {  # the usual kind first
    Allocate: ("table", "needed", "empty", "owner", "refused"),
    Append: ("place", "needed", "empty", "table", "owner", "refused"),
    AppendToken: ("refused",),
    CanAppend: ("check", "needed"),
    MayAppend: ("place", "empty", "table", "owner", "refused"),
    Release: ("joined", "owner", "refused"),
}
_FITS_GROUP: dict[Kind, tuple[About, ...]] = {
    "append": ("needed", "empty", "table", "refused"),
    "fill": ("needed", "empty", "table", "refused"),
    "decode": ("needed", "refused"),
    "preempt": _FITS[Release],
}


@dataclass(frozen=True)
class BilingualText:
    """One text in English, in Chinese, or in both; clean, see clean_lines."""

    en: str = ""
    zh: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, clean_lines(getattr(self, each.name)))

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)

    def get(self, language: str) -> str:
        """The text in that language, else in the other one."""
        return getattr(self, language, "") or self.en or self.zh

    def join_lines(self) -> BilingualText:
        """The same in one line."""
        return BilingualText(clean_text(self.en), clean_text(self.zh))


NO_TEXT = BilingualText()


def _check_lengths(owner: object, names: tuple[str, ...]) -> None:
    for name in names:
        text: BilingualText = getattr(owner, name)
        if (characters := max(len(text.en), len(text.zh))) > LIMITS[name]:
            raise AuthorTextTooLongError(name=name, characters=characters, limit=LIMITS[name])


@dataclass(frozen=True)
class AuthorPrompt:
    """What the author has for one step, the one that ends with operation `step` (counted from 1).

    about   what the engine is asked. "": `ask` is plain words without an answer, or there is no question.
    ask     the question before the step;  point  what to say after it. Empty: the page's own words for `about`.
    remark  notes for oneself.

    Raises AuthorTextTooLongError.
    """

    step: int
    about: About | Literal[""] = ""
    ask: BilingualText = NO_TEXT
    point: BilingualText = NO_TEXT
    remark: BilingualText = NO_TEXT

    def __post_init__(self) -> None:
        _check_lengths(self, ("ask", "point", "remark"))

    def __bool__(self) -> bool:
        return self.has_question or bool(self.point or self.remark)

    @property
    def has_question(self) -> bool:
        """Is there anything to ask before the step?"""
        return bool(self.about or self.ask)


@dataclass(frozen=True)
class Script:
    """All that the author says. `prompts` are in the order of their steps, at most one a step; a title is one line.

    Raises AuthorTextTooLongError.
    """

    title: BilingualText = NO_TEXT
    sentence: BilingualText = NO_TEXT
    prompts: tuple[AuthorPrompt, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title.join_lines())
        _check_lengths(self, ("title", "sentence"))
        by_step = {prompt.step: prompt for prompt in self.prompts if prompt}
        object.__setattr__(self, "prompts", tuple(by_step[step] for step in sorted(by_step)))

    def __bool__(self) -> bool:
        return bool(self.title or self.sentence or self.prompts)

    def find(self, step: int) -> AuthorPrompt:
        """What there is for that step; an empty prompt if there is nothing."""
        return next((prompt for prompt in self.prompts if prompt.step == step), AuthorPrompt(step))

    def put(self, prompt: AuthorPrompt) -> Script:
        """The script with this prompt instead of the one of the same step."""
        return replace(self, prompts=(*(each for each in self.prompts if each.step != prompt.step), prompt))

    def up_to(self, step: int) -> Script:
        """The script without the prompts of later steps."""
        kept = tuple(prompt for prompt in self.prompts if prompt.step <= step)
        return self if len(kept) == len(self.prompts) else replace(self, prompts=kept)

    def without_remarks(self) -> Script:
        """The script without the notes for oneself, to be sent to others."""
        return replace(self, prompts=tuple(replace(prompt, remark=NO_TEXT) for prompt in self.prompts))


NO_SCRIPT = Script()


def list_kinds(step: LogStep) -> tuple[About, ...]:
    """What can be asked about such a step, the usual kind first."""
    return _FITS_GROUP[step.group.kind] if step.group else _FITS[type(step.operations[0])]


def check_prompts(script: Script, steps: Iterable[LogStep]) -> None:
    """Raise QuestionStepError if a prompt is at no step's end, QuestionKindError if the engine has no such answer."""
    by_last = {step.last: step for step in steps}
    for prompt in script.prompts:
        if prompt.step not in by_last:
            raise QuestionStepError(step=prompt.step, steps=max(by_last, default=0))
        if prompt.about and prompt.about not in list_kinds(by_last[prompt.step]):
            raise QuestionKindError(step=prompt.step, about=prompt.about)
