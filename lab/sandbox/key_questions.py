"""A key step as a question that can be graded: bound to what the engine did at that step.

In the library an allocate asks for the block_table, an append for the block that the token goes to, a release for the
blocks that join the free queue, a check for its answer. An author may ask for something else, see step_questions.py.
"Refused" is an option of every question that a refused step leaves without blocks or slots. Options and wrong ideas
come from the run; an option whose idea is not known has the idea "".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from lab.activities.question import Fact, Option, Question
from lab.sandbox.facts import run_scenario
from lab.sandbox.library import Prompt
from lab.sandbox.script import About, list_kinds
from lab.sandbox.step_questions import Guess, count_alike, read_step
from lab.trace.config import Config
from lab.trace.events import AppendChecked, BlockFreed, BlockShared, BlockTaken, PageHasRoom
from lab.trace.operations import Operation
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Step, join_steps

REFUSED = "refused"
_MAY_BE_REFUSED = ("table", "place", "joined", "empty")
MOST_OPTIONS = 5


@dataclass(frozen=True, kw_only=True)
class KeyQuestion(Question):
    """What does the engine do at a key step? `answer` is the id of the option that it did.

    about  what the options are. Those of an option of blocks are its `numbers["ids"]`, those of a number its
           `numbers["n"]`, those of requests its `numbers["names"]`.
    wrong  (idea, option) for each other option, the most telling idea first.
    """

    prompt: Prompt
    about: About
    answer: str
    wrong: tuple[Guess, ...]

    @property
    def operation(self) -> Operation:
        """The key operation, or the first of those that are one step."""
        return self.operations[self.prompt.start - 1]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Everything up to the key step, and that step."""
        return self.prompt.prepared.scenario.operations[: self.prompt.step]

    @property
    def config(self) -> Config:
        """The scenario's pool and requests."""
        return self.prompt.prepared.scenario.config

    @property
    def step(self) -> Step:
        """The key step as it ran, however many operations it has."""
        return get_step(self.prompt)

    def get_idea(self, option_id: str) -> str:
        """The idea behind a wrong option; "" if none is known."""
        return next((idea for idea, other in self.wrong if other == option_id), "")


def get_about(prompt: Prompt) -> About | None:
    """What a key step's question asks the engine; None if it is in plain words. Runs nothing."""
    if prompt.own is not None:
        return prompt.own.about or None
    return list_kinds(prompt.prepared.scenario.steps[prompt.step - 1])[0]  # the library has no groups


def build_key_question(prompt: Prompt) -> KeyQuestion | None:
    """The question of a key step; None if the engine has no answer to it. Runs its scenario. Raises LimitError."""
    about = get_about(prompt)
    if about is None:
        return None
    step = get_step(prompt)
    answer, guesses = _read_step(step, about)
    if about in _MAY_BE_REFUSED and step.refusal is not None:
        answer = REFUSED
    others: dict[str, str] = {}
    for idea, option_id in (*guesses, *([("", REFUSED)] if about in _MAY_BE_REFUSED else [])):
        if option_id != answer:
            others.setdefault(option_id, idea)
    if answer != REFUSED and REFUSED in others:  # "refused" is always among the options
        kept = [*[each for each in others if each != REFUSED][: MOST_OPTIONS - 2], REFUSED]
    else:
        kept = list(others)[: MOST_OPTIONS - 1]
    ids = sorted([answer, *kept])
    Random(f"{prompt.prepared.id}.{prompt.number}").shuffle(ids)
    return KeyQuestion(
        id=f"{prompt.prepared.id}.{prompt.number}",
        form="choice",
        options=tuple(_build_option(each) for each in ids),
        prompt=prompt,
        about=about,
        answer=answer,
        wrong=tuple((others[each], each) for each in kept),
    )


def get_step(prompt: Prompt) -> Step:
    """The key step as it ran, as one step. Raises LimitError."""
    return join_steps(run_scenario(prompt.prepared.scenario).steps[prompt.start - 1 : prompt.step])


def _build_option(option_id: str) -> Option:
    kind, *rest = option_id.split(".")
    numbers: dict[str, Fact] = {"ids": _read_ids(option_id)}
    if kind == "n":
        numbers = {"n": int(rest[0])}
    elif kind == "names":
        numbers = {"names": tuple(rest)}
    return Option(option_id, kind, numbers)


def _name(ids: tuple[int, ...]) -> str:
    """The id of an option of these blocks: `ids.7.2`, or `none`."""
    return ".".join(("ids", *map(str, ids))) if ids else "none"


def _read_ids(option_id: str) -> tuple[int, ...]:
    kind, _, rest = option_id.partition(".")
    return tuple(map(int, rest.split("."))) if kind == "ids" else ()


def _read_step(step: Step, about: About) -> tuple[str, list[Guess]]:
    """What the engine did, and what each wrong idea would have done."""
    blocks, seq_id = range(step.before.num_blocks), step.operation.seq_id
    match about:
        case "table":
            view = step.after.sequence(seq_id) if step.refusal is None else None
            tables = _guess_tables(step, view)
            guesses = [(idea, _name(ids)) for idea, ids in tables if ids and set(ids) <= set(blocks)]
            return _name(view.block_table) if view else REFUSED, guesses
        case "joined":
            freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
            return _name(freed), [(idea, _name(ids)) for idea, ids in _guess_joined(step, freed)]
        case "check":
            checked = next(event for event in step.events if isinstance(event, AppendChecked))
            return str(checked.answer).lower(), [("", "true"), ("", "false")]
        case "place":
            got = next((event for event in step.events if isinstance(event, BlockTaken | PageHasRoom)), None)
            places = [(idea, _name((block,))) for idea, block in _guess_places(step, got) if block in blocks]
            return _name((got.block_id,)) if got else REFUSED, places
        case _:
            return read_step(step, about)


def _guess_tables(step: Step, view: SequenceView | None) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The block_table under each wrong idea."""
    queue = step.before.free_block_ids
    if view is None:  # refused: what there is, or a block that somebody holds
        yield "", queue
        for other in step.before.sequences:
            yield "", other.block_table
        return
    table = view.block_table
    shared = [event for event in step.events if isinstance(event, BlockShared)]
    for other in step.before.sequences:
        alike = count_alike(other, view)
        pages = -(-alike // view.block_size)
        if len(shared) < pages <= len(other.block_table):
            idea = "identical_computes_nothing" if alike == view.num_tokens else "partial_shared"
            fresh = [block for block in queue if block not in other.block_table[:pages]]
            yield idea, (*other.block_table[:pages], *fresh[: len(table) - pages])
    if shared:
        gone = any(event.was_free for event in shared)
        yield "release_erases" if gone else "slip_nothing_shared", queue[: len(table)]
    yield "ids_consecutive", tuple(range(table[0], table[0] + len(table)))
    if view.empty_slots:
        yield "floor_for_ceil", table[:-1]
    yield "id_is_index", tuple(range(len(table)))
    yield "slip_from_tail", tuple(reversed(queue[-len(table) :]))
    yield "slip_sorted_table", tuple(sorted(table))


def _guess_places(step: Step, got: BlockTaken | PageHasRoom | None) -> Iterator[tuple[str, int]]:
    """The block of the token under each wrong idea."""
    before, queue = step.before.sequence(step.operation.seq_id), step.before.free_block_ids
    if before is None or not before.block_table:
        return
    last = before.block_table[-1]
    if isinstance(got, PageHasRoom):
        if queue:
            yield "slip_append_always_takes", queue[0]
            yield "", queue[-1]
        yield "ids_consecutive", last + 1
        return
    yield "full_page_reused", last
    yield "ids_consecutive", last + 1
    if queue:
        yield "slip_from_tail", queue[-1]
        yield "slip_smallest", min(queue)
    yield "id_is_index", len(before.block_table)


def _guess_joined(step: Step, freed: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The blocks that join the free queue, in order, under each wrong idea."""
    before = step.before.sequence(step.operation.seq_id)
    if before is None:  # refused: the request is not there
        yield "", ()
        for other in step.before.sequences:
            yield "", tuple(reversed(other.block_table))
        return
    yield "released_at_first", tuple(reversed(before.block_table))
    yield "slip_table_order", tuple(reversed(freed))
    yield "slip_none", ()
    yield "slip_last_page", before.block_table[-1:]
    yield "slip_sorted", tuple(sorted(freed))
