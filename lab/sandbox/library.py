"""Prepared scenarios for a class: the operations, and the key steps with a question before and a point after.

An author's own scenario is prepared too: its key steps and their texts are in its script. The library's texts are in
lessons/text/strings/*/library.toml: library.<id>.title, and for the n-th key step (from 1) library.<id>.ask.<n> and
library.<id>.point.<n>; library.<id>.told, if there is one, sums up after the last point. Titles do not answer a
question. Numbers come from the run, see lab/sandbox/facts.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.sandbox.queue import Queue
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, Script, list_kinds
from lab.trace.config import Engine
from lab.trace.operations import parse_operation


@dataclass(frozen=True)
class Prepared:
    """A scenario with its whole log.

    steps   the key operations, counted from 1: the question comes before each of them, the point after it.
    sizes   block sizes to compare the same log at, if that is the point; the prompts hold for each of them.
    beside  the engine that runs the same log beside nano-vLLM's, if that is the point.
    is_own  whether it is an author's own, with the texts of its script, and not one of the library.
    """

    scenario: Scenario
    steps: tuple[int, ...]
    sizes: tuple[int, ...] = ()
    beside: Engine | None = None
    is_own: bool = False

    @property
    def id(self) -> str:
        """The library's name for it, in links and in the strings; empty for an author's own scenario."""
        return "" if self.is_own else self.scenario.key


@dataclass(frozen=True)
class Prompt:
    """A key step of a prepared scenario: the keys of its texts, and its `number` (from 1)."""

    prepared: Prepared
    number: int

    @property
    def step(self) -> int:
        """Its last operation, counted from 1: the question comes at cursor `start - 1`, the point at cursor `step`."""
        return self.prepared.steps[self.number - 1]

    @property
    def start(self) -> int:
        """The number of the key step's first operation; the same as `step` unless several are one step."""
        return next(each.first for each in self.prepared.scenario.steps if each.last == self.step)

    @property
    def own(self) -> AuthorPrompt | None:
        """What the author has for the step; None if the texts are the library's."""
        return self.prepared.scenario.script.find(self.step) if self.prepared.is_own else None

    @property
    def ask(self) -> str:
        """The key of the library's question to ask before the step."""
        return f"library.{self.prepared.id}.ask.{self.number}"

    @property
    def point(self) -> str:
        """The key of the library's point to make after the step."""
        return f"library.{self.prepared.id}.point.{self.number}"


def get_title_key(key: str) -> str:
    """The key of a prepared scenario's title; facts.collect_settings gives the values for it."""
    return f"library.{key}.title"


def get_summary_key(key: str) -> str:
    """The key of the sentence that sums a prepared scenario up after its last point; not every scenario has one."""
    return f"library.{key}.told"


def list_prompts(prepared: Prepared) -> tuple[Prompt, ...]:
    """All key steps, in order."""
    return tuple(Prompt(prepared, number) for number in range(1, len(prepared.steps) + 1))


def find_prepared(scenario: Scenario) -> Prepared | None:
    """The prepared scenario that this one is: of the library if nothing differs from it so far, else the author's own.

    None if it is neither: no author has said anything about it, and it began as none of the library.
    """
    prepared = LIBRARY.get(scenario.key)
    if prepared is not None and is_as_prepared(prepared, scenario):
        return prepared
    if prepared is None and not scenario.script:
        return None
    return Prepared(scenario, tuple(each.step for each in scenario.script.prompts if each.has_question), is_own=True)


def is_own(scenario: Scenario) -> bool:
    """Is it prepared by an author, and not one of the library?"""
    prepared = find_prepared(scenario)
    return prepared is not None and prepared.is_own


def get_prompt_before(scenario: Scenario, at: int) -> Prompt | None:
    """The key step that comes next, or that the position is inside of. Pure."""
    return next((prompt for prompt in _list_prompts_of(scenario) if prompt.start - 1 <= at < prompt.step), None)


def get_prompt_after(scenario: Scenario, at: int) -> Prompt | None:
    """The key step that has just run. Pure."""
    return next((prompt for prompt in _list_prompts_of(scenario) if prompt.step == at), None)


def _list_prompts_of(scenario: Scenario) -> tuple[Prompt, ...]:
    prepared = find_prepared(scenario)
    return list_prompts(prepared) if prepared is not None else ()


def is_as_prepared(prepared: Prepared, scenario: Scenario) -> bool:
    """Is the scenario the prepared one, perhaps without its last operations? Any of the prepared sizes will do."""
    size = scenario.block_size if scenario.block_size in prepared.sizes else prepared.scenario.block_size
    return resize_prepared(prepared, size).up_to(len(scenario.operations)) == scenario


def inherit_questions(scenario: Scenario, before: Scenario) -> Scenario:
    """The scenario that `before` was changed to. If that was the library's and this no longer is, it is now its
    author's own, and keeps the questions of the operations that it kept, with what the engine answers to them. Pure.
    """
    prepared = LIBRARY.get(scenario.key)
    if prepared is None or scenario.script or before.key != scenario.key or not is_as_prepared(prepared, before):
        return scenario
    if is_as_prepared(prepared, scenario):
        return scenario
    return replace(scenario, script=_keep_questions(scenario, prepared))


def adopt_questions(scenario: Scenario) -> Scenario:
    """The scenario with the library's questions as its author's, to be edited so that a question goes with its step.

    Unchanged if there is a script, or if it has left the library already. Pure.
    """
    prepared = LIBRARY.get(scenario.key)
    if prepared is None or scenario.script or not is_as_prepared(prepared, scenario):
        return scenario
    return replace(scenario, script=_keep_questions(scenario, prepared))


def _keep_questions(scenario: Scenario, prepared: Prepared) -> Script:
    """The library's questions about the operations that the scenario has too."""
    pairs = zip(scenario.operations, prepared.scenario.operations, strict=False)
    same = [step for step, (now, was) in enumerate(pairs, 1) if now == was and step in prepared.steps]
    kinds = {step.last: list_kinds(step)[0] for step in scenario.steps}
    return Script(prompts=tuple(AuthorPrompt(step, kinds[step]) for step in same if step in kinds))


def _prepare(
    key: str,
    pool: tuple[int, int, Queue],
    requests: tuple[RequestSpec, ...],
    log: str,
    steps: tuple[int, ...],
    *,
    sizes: tuple[int, ...] = (),
    beside: Engine | None = None,
) -> Prepared:
    blocks, size, queue = pool
    return Prepared(
        Scenario(blocks, size, queue, requests, tuple(map(parse_operation, log.split())), key), steps, sizes, beside
    )


_A, _B = RequestSpec("A", 11), RequestSpec("B", 4)
_LIKE_A = RequestSpec("C", 3, "A", 8)  # shares A's first two pages of four

_ALL = (
    # The chapter's own: eleven tokens, a full page, one more token, two releases.
    _prepare("task", (16, 4, "used"), (_A, _B), "aA aB tB rA rB", (1, 3, 4)),
    # D has the same prompt as A: A comes first to a new pool, D after others have used it.
    _prepare(
        "pools", (8, 4, "fresh"), (_A, _B, RequestSpec("C", 6), RequestSpec("D", 11)), "aA aB aC rA aD", (1, 4, 5)
    ),
    # Two requests grow in turn, so that ids scatter even in a new pool.
    _prepare("scatter", (8, 4, "fresh"), (RequestSpec("A", 4), _B), "aA aB tA tB tA tA tA tA", (3, 4, 8)),
    _prepare("exact", (8, 4, "used"), (RequestSpec("A", 8),), "aA tA tA", (1, 2, 3)),
    _prepare("single", (16, 1, "used"), (RequestSpec("A", 5), RequestSpec("B", 2, "A", 3)), "aA tA aB", (1, 2, 3)),
    _prepare("shared", (16, 4, "used"), (_A, RequestSpec("B", 3, "A", 8)), "aA aB rA rB", (2, 3, 4)),
    _prepare("revived", (8, 4, "used"), (_A, _LIKE_A), "aA rA aC", (2, 3)),
    # D is so long that it takes blocks that A has released.
    _prepare("evicted", (8, 4, "used"), (_A, RequestSpec("D", 30), _LIKE_A), "aA rA aD rD aC", (3, 5)),
    _prepare("twins", (8, 4, "used"), (RequestSpec("A", 8), RequestSpec("B", 0, "A", 8)), "aA aB", (2,)),
    # Only the first token differs: page 1 holds the same four tokens.
    _prepare(
        "chain",
        (8, 4, "used"),
        (RequestSpec("A", 9), RequestSpec("B", "B1 A2 A3 A4 A5 A6 A7 A8 A9"), RequestSpec("C", 1, "A", 8)),
        "aA aB aC",
        (2, 3),
    ),
    # Both check while one block is free: the answers reserve nothing.
    _prepare("asked", (3, 4, "used"), (RequestSpec("A", 4), _B), "aA aB kA kB cA cB mB mA", (6, 7, 8)),
    _prepare("whole", (4, 4, "used"), (_A, RequestSpec("B", 6)), "aA aB rA aB", (2, 4)),
    # As in nano-vLLM's scheduler (nanovllm/engine/scheduler.py, schedule and preempt, commit bb823b3): A's token
    # waits; the newest request is preempted and goes to the head of the waiting queue with all its tokens. Here a
    # released request is gone, so it returns under another name: C1 is C with the tokens that C had generated.
    _prepare(
        "preempted",
        (5, 4, "used"),
        (RequestSpec("A", 8), RequestSpec("B", 3), RequestSpec("C", 7), RequestSpec("C1", 0, "C", 8)),
        "aA aB aC tC kA cA rC mA tA tA tA tA aC1 rB rA aC1",
        (6, 7, 8, 12, 13, 16),
    ),
    _prepare("twice", (8, 4, "used"), (_A, _B), "aA aB rA rA", (3, 4)),
    _prepare(
        "sizes", (16, 4, "used"), (_A, RequestSpec("B", 5), RequestSpec("C", 18)), "aA aB aC", (3,), sizes=(4, 8, 16)
    ),
    # vLLM beside: released blocks join either end; what is left of a prefix; no prefix cache.
    _prepare("ends", (16, 4, "fresh"), (_A, _B, RequestSpec("C", 9)), "aA aB tB rA rB aC", (4, 6), beside="vllm"),
    _prepare(
        "remains",
        (8, 4, "fresh"),
        (RequestSpec("A", 12), RequestSpec("D", 24), RequestSpec("C", 1, "A", 12)),
        "aA rA aD rD aC",
        (3, 5),
        beside="vllm",
    ),
    _prepare(
        "uncached",
        (16, 4, "used"),
        (_A, RequestSpec("B", 3, "A", 8)),
        "aA aB rA rB",
        (2, 3),
        beside="vllm_uncached",
    ),
)
LIBRARY: dict[str, Prepared] = {each.id: each for each in _ALL}


def resize_prepared(prepared: Prepared, block_size: int) -> Scenario:
    """The prepared scenario at another block_size, with the same number of blocks. Raises what Scenario raises."""
    return replace(prepared.scenario, block_size=block_size)
