"""Prepared scenarios for a class: what to run, and the steps worth a question before and a point after.

The words are in lessons/strings/*/library.toml: library.<id>.title, and for the n-th key step (from 1)
library.<id>.ask.<n> and library.<id>.point.<n>; library.<id>.told, if there is one, sums up after the last point.
Titles answer no question. Numbers come from the run, see lab/sandbox/facts.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.sandbox.scenario import Asked, Queue, Scenario
from lab.trace.operations import parse_operation


@dataclass(frozen=True)
class Prepared:
    """A scenario with its whole log.

    steps  the operations that matter, counted from 1: the question belongs before each of them, the point after it.
    sizes  block sizes at which the same log is compared, where that is the point: its notes hold for each of them.
    """

    scenario: Scenario
    steps: tuple[int, ...]
    sizes: tuple[int, ...] = ()

    @property
    def id(self) -> str:
        """Names it in links and among the words."""
        return self.scenario.key


@dataclass(frozen=True)
class Note:
    """A key step of a prepared scenario: its keys among the words, and which it is (`number`, from 1)."""

    prepared: Prepared
    number: int

    @property
    def step(self) -> int:
        """The operation that it is about, counted from 1: cursor `step - 1` asks, cursor `step` makes the point."""
        return self.prepared.steps[self.number - 1]

    @property
    def ask(self) -> str:
        """The key of the question to ask before the step."""
        return f"library.{self.prepared.id}.ask.{self.number}"

    @property
    def point(self) -> str:
        """The key of the point to make after the step."""
        return f"library.{self.prepared.id}.point.{self.number}"


def title(key: str) -> str:
    """The key of a prepared scenario's title. Its words may use what facts.settings gives."""
    return f"library.{key}.title"


def told(key: str) -> str:
    """The key of the sentence that sums a prepared scenario up, after its last point; not every one has it."""
    return f"library.{key}.told"


def notes(prepared: Prepared) -> tuple[Note, ...]:
    """All key steps, in their order."""
    return tuple(Note(prepared, number) for number in range(1, len(prepared.steps) + 1))


def note_before(scenario: Scenario, at: int) -> Note | None:
    """The key step that comes next at this place, if the scenario is still the prepared one up to here. Pure."""
    return next((note for note in _of(scenario, at) if note.step == at + 1), None)


def note_after(scenario: Scenario, at: int) -> Note | None:
    """The key step that was just made, if the scenario is still the prepared one up to here. Pure."""
    return next((note for note in _of(scenario, at) if note.step == at), None)


def _of(scenario: Scenario, at: int) -> tuple[Note, ...]:
    """The notes, none if the pool, the requests or the log so far are other than prepared."""
    prepared = LIBRARY.get(scenario.key)
    return notes(prepared) if prepared is not None and as_prepared(prepared, scenario, at) else ()


def as_prepared(prepared: Prepared, scenario: Scenario, at: int) -> bool:
    """Is the scenario the prepared one, as far as its first `at` operations? At any of its sizes, if it has some."""
    if len(scenario.operations) < at:
        return False
    size = scenario.block_size if scenario.block_size in prepared.sizes else prepared.scenario.block_size
    return at_size(prepared, size).up_to(at) == scenario.up_to(at)


def _prepared(
    key: str,
    pool: tuple[int, int, Queue],
    requests: tuple[Asked, ...],
    log: str,
    steps: tuple[int, ...],
    *,
    sizes: tuple[int, ...] = (),
) -> Prepared:
    blocks, size, queue = pool
    return Prepared(
        Scenario(blocks, size, queue, requests, tuple(map(parse_operation, log.split())), key), steps, sizes
    )


_A, _B = Asked("A", 11), Asked("B", 4)
_LIKE_A = Asked("C", 3, "A", 8)  # shares A's first two pages of four

_ALL = (
    # The chapter's own: eleven tokens, a full page, one token more, two releases.
    _prepared("task", (16, 4, "used"), (_A, _B), "aA aB tB rA rB", (1, 3, 4)),
    # D asks for what A asked for: A came first to a new pool, D when others had used it.
    _prepared("pools", (8, 4, "fresh"), (_A, _B, Asked("C", 6), Asked("D", 11)), "aA aB aC rA aD", (1, 4, 5)),
    # Two requests grow in turn, so that even a new pool's ids scatter.
    _prepared("scatter", (8, 4, "fresh"), (Asked("A", 4), _B), "aA aB tA tB tA tA tA tA", (3, 4, 8)),
    _prepared("exact", (8, 4, "used"), (Asked("A", 8),), "aA tA tA", (1, 2, 3)),
    _prepared("single", (16, 1, "used"), (Asked("A", 5), Asked("B", 2, "A", 3)), "aA tA aB", (1, 2, 3)),
    _prepared("shared", (16, 4, "used"), (_A, Asked("B", 3, "A", 8)), "aA aB rA rB", (2, 3, 4)),
    _prepared("revived", (8, 4, "used"), (_A, _LIKE_A), "aA rA aC", (2, 3)),
    # D is so long that the head of the queue reaches into what A left.
    _prepared("evicted", (8, 4, "used"), (_A, Asked("D", 30), _LIKE_A), "aA rA aD rD aC", (3, 5)),
    _prepared("twins", (8, 4, "used"), (Asked("A", 8), Asked("B", 0, "A", 8)), "aA aB", (2,)),
    # What differs is the first token alone: page 1 holds the same four tokens.
    _prepared(
        "chain",
        (8, 4, "used"),
        (Asked("A", 9), Asked("B", "B1 A2 A3 A4 A5 A6 A7 A8 A9"), Asked("C", 1, "A", 8)),
        "aA aB aC",
        (2, 3),
    ),
    # Both ask while one block is free: the answers promise nothing.
    _prepared("asked", (3, 4, "used"), (Asked("A", 4), _B), "aA aB kA kB cA cB mB mA", (6, 7, 8)),
    _prepared("whole", (4, 4, "used"), (_A, Asked("B", 6)), "aA aB rA aB", (2, 4)),
    # As nano-vLLM's scheduler does (nanovllm/engine/scheduler.py, schedule and preempt, commit bb823b3): A's token
    # waits, the request that came last is preempted and goes to the head of the waiting queue with all its tokens.
    # Released requests are gone here, so its return has a name of its own: C1 is C with what C had generated.
    _prepared(
        "preempted",
        (5, 4, "used"),
        (Asked("A", 8), Asked("B", 3), Asked("C", 7), Asked("C1", 0, "C", 8)),
        "aA aB aC tC kA cA rC mA tA tA tA tA aC1 rB rA aC1",
        (6, 7, 8, 12, 13, 16),
    ),
    _prepared("twice", (8, 4, "used"), (_A, _B), "aA aB rA rA", (3, 4)),
    _prepared("sizes", (16, 4, "used"), (_A, Asked("B", 5), Asked("C", 18)), "aA aB aC", (3,), sizes=(4, 8, 16)),
)
LIBRARY: dict[str, Prepared] = {each.id: each for each in _ALL}


def at_size(prepared: Prepared, block_size: int) -> Scenario:
    """The prepared scenario at another block_size, the number of blocks as it was. Raises as Scenario."""
    return replace(prepared.scenario, block_size=block_size)
