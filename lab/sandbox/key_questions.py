"""A key step as a question that can be graded: bound to what the engine did at that step.

An allocate asks for the block_table, an append for the block that the token goes to, a release for the blocks that
join the free queue, a check for its answer. "Refused" is an option everywhere. Options and wrong ideas come from the
run; an option whose idea is not known has the idea "".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from lab.activities.question import Option, Question
from lab.sandbox.facts import run
from lab.sandbox.library import Prompt
from lab.trace.config import Config
from lab.trace.events import AppendChecked, BlockFreed, BlockShared, BlockTaken, PageHasRoom
from lab.trace.operations import Allocate, CanAppend, Operation, Release
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Step

About = Literal["table", "place", "joined", "check"]
REFUSED = "refused"
MOST_OPTIONS = 5

_Guess = tuple[str, str]  # an idea, and the option that it leads to


@dataclass(frozen=True, kw_only=True)
class KeyQuestion(Question):
    """What does the engine do at a key step? `answer` is the id of the option that it did.

    about  what the options are: a block_table, the block of a token, blocks in the order in which they join the free
           queue, or the answer of a check. The ids of an option's blocks are its `numbers["ids"]`.
    wrong  (idea, option) for each other option, the most telling idea first.
    """

    prompt: Prompt
    about: About
    answer: str
    wrong: tuple[_Guess, ...]

    @property
    def operation(self) -> Operation:
        """The key operation."""
        return self.operations[-1]

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
        """The key step as it ran."""
        return run(self.prompt.prepared.id).steps[self.prompt.step - 1]

    def get_idea(self, option_id: str) -> str:
        """The idea behind a wrong option; "" if none is known."""
        return next((idea for idea, other in self.wrong if other == option_id), "")


def build_key_question(prompt: Prompt) -> KeyQuestion:
    """The question of a key step. Runs its scenario. Pure."""
    step = run(prompt.prepared.id).steps[prompt.step - 1]
    about, answer, guesses = _read_step(step)
    if step.refusal is not None:
        answer = REFUSED
    others: dict[str, str] = {}
    for idea, option_id in (*guesses, *([] if about == "check" else [("", REFUSED)])):
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
        options=tuple(Option(each, each.partition(".")[0], {"ids": _read_ids(each)}) for each in ids),
        prompt=prompt,
        about=about,
        answer=answer,
        wrong=tuple((others[each], each) for each in kept),
    )


def _name(ids: tuple[int, ...]) -> str:
    """The id of an option of these blocks: `ids.7.2`, or `none`."""
    return ".".join(("ids", *map(str, ids))) if ids else "none"


def _read_ids(option_id: str) -> tuple[int, ...]:
    kind, _, rest = option_id.partition(".")
    return tuple(map(int, rest.split("."))) if kind == "ids" else ()


def _read_step(step: Step) -> tuple[About, str, list[_Guess]]:
    """What is asked about the step, what the engine did, and what each wrong idea would have done."""
    blocks = range(step.before.num_blocks)
    match step.operation:
        case Allocate(seq_id=seq_id):
            view = step.after.sequence(seq_id) if step.refusal is None else None
            tables = _guess_tables(step, view)
            guesses = [(idea, _name(ids)) for idea, ids in tables if ids and set(ids) <= set(blocks)]
            return "table", _name(view.block_table) if view else REFUSED, guesses
        case Release():
            freed = tuple(event.block_id for event in step.events if isinstance(event, BlockFreed))
            return "joined", _name(freed), [(idea, _name(ids)) for idea, ids in _guess_joined(step, freed)]
        case CanAppend():
            checked = next(event for event in step.events if isinstance(event, AppendChecked))
            return "check", str(checked.answer).lower(), [("", "true"), ("", "false")]
        case _:
            got = next((event for event in step.events if isinstance(event, BlockTaken | PageHasRoom)), None)
            places = [(idea, _name((block,))) for idea, block in _guess_places(step, got) if block in blocks]
            return "place", _name((got.block_id,)) if got else REFUSED, places


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
        alike = _count_alike(other, view)
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


def _count_alike(other: SequenceView, view: SequenceView) -> int:
    """How many tokens do both begin with?"""
    pairs = list(zip(other.token_ids, view.token_ids, strict=False))
    return next((i for i, (one, two) in enumerate(pairs) if one != two), len(pairs))


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
