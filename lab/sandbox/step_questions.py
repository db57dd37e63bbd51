"""What an author may ask about a step besides blocks: how many, refused or not, and whose.

Each reader returns the id of the option that the engine's run answers with, and the wrong ideas with their options:
`n.3` is a number, `accepted` and `refused` an outcome, `names.A.B` requests, `nobody` none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal

from lab.trace.events import (
    AllocateChecked,
    AppendChecked,
    BlockFreed,
    BlockShared,
    BlockTaken,
    PageHasRoom,
    ReferenceDropped,
)
from lab.trace.operations import Allocate
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Step

Guess = tuple[str, str]  # an idea, and the option that it leads to
Reading = tuple[str, list[Guess]]


def read_step(step: Step, about: Literal["needed", "empty", "refused", "owner"]) -> Reading:
    """The answer to a question of that kind, and the wrong ones."""
    if about in ("needed", "empty"):
        return _read_count(step, about)
    return _read_outcome(step) if about == "refused" else _read_owner(step)


def _read_count(step: Step, about: Literal["needed", "empty"]) -> Reading:
    """Blocks needed: those that the step's checks ask the free queue for. Empty slots: of the request afterwards."""
    view = step.after.sequence(step.operation.seq_id)
    if about == "empty":
        answer, guesses = (view.empty_slots if view else 0), _guess_empty(step, view)
    else:
        answer, guesses = sum(_list_needs(step)), _guess_needed(step, sum(_list_needs(step)))
    return f"n.{answer}", [(idea, f"n.{number}") for idea, number in guesses if number >= 0]


def _list_needs(step: Step) -> Iterator[int]:
    return (event.needs for event in step.events if isinstance(event, AllocateChecked | AppendChecked))


def _guess_needed(step: Step, answer: int) -> Iterator[tuple[str, int]]:
    checked = next((event for event in step.events if isinstance(event, AllocateChecked)), None)
    if not isinstance(step.operation, Allocate) or checked is None:
        yield "slip_append_always_takes", sum(isinstance(event, AppendChecked) for event in step.events)
        yield "full_page_reused", answer - 1
        yield "slip_spare_page", answer + 1
        return
    view = next((view for each in (step.after, *step.snapshots) if (view := each.sequence(checked.seq_id))), None)
    if checked.pages > answer:
        yield "slip_nothing_shared", checked.pages
    elif view is not None:
        alike = max((count_alike(other, view) for other in step.before.sequences), default=0)
        if alike:
            yield ("identical_computes_nothing" if alike == view.num_tokens else "partial_shared"), answer - 1
    if view is not None and view.num_tokens % view.block_size:
        yield "floor_for_ceil", answer - 1
    yield "slip_one_too_many", answer + 1
    if view is not None:
        yield "slip_block_per_token", view.num_tokens


def count_alike(other: SequenceView, view: SequenceView) -> int:
    """How many tokens do both begin with?"""
    pairs = zip(other.token_ids, view.token_ids, strict=False)
    return next((i for i, (one, two) in enumerate(pairs) if one != two), min(other.num_tokens, view.num_tokens))


def _guess_empty(step: Step, view: SequenceView | None) -> Iterator[tuple[str, int]]:
    if view is None:  # refused
        yield "", 0
        yield "", step.after.block_size
        return
    if not view.empty_slots:
        yield "whole_page_empty", view.block_size
    yield "used_as_empty", view.last_block_num_tokens
    yield "no_fragmentation", 0
    yield "slip_whole_page", view.block_size
    yield "slip_free_slots", len(step.after.free_block_ids) * step.after.block_size
    yield "slip_free_blocks", len(step.after.free_block_ids)


def _read_outcome(step: Step) -> Reading:
    """Refused or not."""
    return ("refused" if step.refusal else "accepted"), [("", "refused"), ("", "accepted")]


def find_asked_block(step: Step) -> int | None:
    """The block that a question about owners means: shared, taken, written to or released; None if there is none."""
    for event in step.events:
        if isinstance(event, ReferenceDropped) and event.ref_after:
            return event.block_id
    for kind in (BlockShared, BlockTaken, PageHasRoom, BlockFreed):
        for event in step.events:
            if isinstance(event, kind):
                return event.block_id
    held = next((view for view in step.before.sequences if view.block_table), None)
    view = step.before.sequence(step.operation.seq_id) or held
    return view.block_table[0] if view and view.block_table else None


def _read_owner(step: Step) -> Reading:
    """In whose block_tables the block is after the step."""
    block = find_asked_block(step)
    after = _list_owners(step.after, block)
    names = [view.seq_id for view in (*step.before.sequences, *step.after.sequences)]
    everybody = tuple(dict.fromkeys(names))
    guesses: list[Guess] = []
    if len(after) > 1:
        guesses += [("slip_one_owner", _name(name)) for name in combinations(after, 1)]
    before = _list_owners(step.before, block)
    if len(before) > 1 and after:
        guesses.append(("released_at_first", _name(())))
    if before != after:
        guesses.append(("", _name(before)))
    guesses += [("", _name(name)) for name in combinations(everybody, 1)]
    guesses += [("", _name(())), *(("", _name(pair)) for pair in combinations(everybody, 2))]
    return _name(after), guesses


def _list_owners(state: Snapshot, block: int | None) -> tuple[str, ...]:
    return tuple(view.seq_id for view in state.sequences if block in view.block_table)


def _name(names: tuple[str, ...]) -> str:
    return ".".join(("names", *names)) if names else "nobody"
