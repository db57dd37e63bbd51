"""Draw a scenario at random, always the same for the same question name; and Draft, the value that a kind returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from lab.activities.question import Cell, Fact, Form, Option, Value
from lab.quiz.question import DIFFICULTIES, QuestionName
from lab.quiz.run import QuizStep, run, run_last_step
from lab.trace.config import Config, Request
from lab.trace.operations import Allocate, Append, Operation, Release
from lab.trace.snapshot import SequenceView

_FIRST_TOKEN = 100
E = TypeVar("E")


class Draw:
    """One scenario while it is built. `level`: 0 (easy), 1 or 2 (hard). allocate, append and release mutate it."""

    def __init__(self, name: QuestionName, attempt: int = 0) -> None:
        self.name = name
        self.block_size = name.block_size
        self.level = DIFFICULTIES.index(name.difficulty)
        self.rng = Random(f"{name.kind}.{name.seed}.{name.block_size}.{name.difficulty}.{attempt}")
        self.operations: list[Operation] = []
        self._prompts: dict[str, tuple[int, ...]] = {}
        self._next_token = _FIRST_TOKEN

    def chance(self, share: float) -> bool:
        """True in that share of the draws. Advances the random state."""
        return self.rng.random() < share

    def pages(self, *ranges: tuple[int, int]) -> int:
        """A random number of pages from this level's range; the last range serves all higher levels."""
        low, high = ranges[min(self.level, len(ranges) - 1)]
        return self.rng.randint(low, high)

    def length(self, pages: int, full: bool | None = None) -> int:
        """A number of tokens that need this many pages. `full`: is the last page full? None: at random."""
        if full is None:
            full = self.chance(0.25)
        last = self.block_size if full else self.rng.randint(1, max(1, self.block_size - 1))
        return (pages - 1) * self.block_size + last

    def allocate(self, seq_id: str, num_tokens: int, like: str = "", same: int = 0) -> None:
        """Add a request: its first `same` tokens are those of request `like`, the others are its own. Mutates."""
        own = num_tokens - same
        fresh = range(self._next_token, self._next_token + own)
        self._next_token += own
        self._prompts[seq_id] = (*(self._prompts[like][:same] if like else ()), *fresh)
        self.operations.append(Allocate(seq_id))

    def append(self, seq_id: str, times: int = 1) -> None:
        """Append that many tokens, one by one. Mutates."""
        self.operations += [Append(seq_id)] * times

    def release(self, seq_id: str) -> None:
        """End the request. Mutates."""
        self.operations.append(Release(seq_id))

    def queue(self, num_blocks: int) -> tuple[int, ...]:
        """The free queue of a used pool: every id once, in random order."""
        return tuple(self.rng.sample(range(num_blocks), num_blocks))

    def config(self, queue: Iterable[int], block_size: int = 0) -> Config:
        """The scenario's Config. Each request's appended tokens are its own."""
        ids = tuple(queue)
        requests = [
            Request(seq_id, prompt, tuple(range(900 - 20 * i, 920 - 20 * i)))
            for i, (seq_id, prompt) in enumerate(self._prompts.items())
        ]
        return Config(len(ids), block_size or self.block_size, ids, tuple(requests))

    def run(self, config: Config) -> tuple[QuizStep, ...]:
        """Run the scenario's operations on that pool."""
        return run(config, self.operations)

    def last(self, config: Config) -> QuizStep:
        """The last step of that run, faster than `run`."""
        return run_last_step(config, self.operations)


@dataclass
class Draft:
    """The value that a kind makes from a Draw. `wrong`: candidates, not yet checked against the answer and each other.

    If the form is "choice", `answer` and the values in `wrong` are ids of `options`.
    """

    form: Form
    config: Config
    answer: Value
    wrong: list[tuple[str, Value]]
    numbers: Mapping[str, Fact] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    options: list[Option] = field(default_factory=list)
    cell: Cell = ""
    cells: range = range(0)
    shows_queue: bool = True
    other: Config | None = None


def describe_request(view: SequenceView) -> dict[str, Fact]:
    """A request's values for the texts; `pages` is the number of tokens in each of its pages."""
    return {
        "seq_id": view.seq_id,
        "block_size": view.block_size,
        "tokens": view.num_tokens,
        "blocks": len(view.block_table),
        "pages": tuple(len(view.page(i)) for i in range(view.num_blocks)),
        "table": view.block_table,
        "last": view.last_block_num_tokens,
        "slots": view.num_slots,
        "empty": view.empty_slots,
    }


def build_ids_option(kind: str, ids: Iterable[int]) -> Option:
    """An option that is a list of block ids; the empty list has its own text."""
    given = tuple(ids)
    text = f"{kind}_ids" if given else f"{kind}_none"
    return Option("-".join(map(str, given)) or "none", text, {"ids": given})


def build_choices(
    right: Option, candidates: Iterable[tuple[str, Option]]
) -> tuple[list[Option], list[tuple[str, Value]]]:
    """Options by id, each once, and the wrong values by idea."""
    wrong = list(candidates)
    options = {option.id: option for option in (right, *(option for _, option in wrong))}
    return list(options.values()), [(idea, option.id) for idea, option in wrong]


def find_event(step: QuizStep, kind: type[E]) -> E | None:
    """The first event of that kind in the step."""
    return next((event for event in step.events if isinstance(event, kind)), None)
