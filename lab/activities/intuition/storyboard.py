"""The five scenes: which states of the runs they show, and the numbers for each caption."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from lab.activities.intuition.outcomes import find_shared_blocks
from lab.activities.intuition.runs import run_all
from lab.trace.contiguous import ContiguousSnapshot
from lab.trace.events import (
    AllocateChecked,
    AppendChecked,
    BlockFreed,
    BlockHashed,
    BlockShared,
    BlockTaken,
    Event,
    KVWritten,
    PageHasRoom,
    ReferenceDropped,
    RequestArrived,
    RequestEnded,
    TokenAppended,
)
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Step

Value = int | str | tuple[int, ...]


@dataclass(frozen=True)
class StoryFrame:
    """One picture. `caption` is the key of its text; `numbers` are the run's values; tuples are lists of ids.

    before  the state of the picture before: differences are marked. Only for a paged state.
    still   is the picture part of the storyboard, the short version of the scene?
    """

    caption: str
    state: Snapshot | ContiguousSnapshot
    numbers: dict[str, Value] = field(default_factory=dict)
    before: Snapshot | None = None
    still: bool = False


Scene = tuple[StoryFrame, ...]


@cache
def build_scenes() -> tuple[Scene, ...]:
    """All five scenes, in order. Pure, except that the first call runs the engine."""
    allocate_a, room, boundary, allocate_b, release_a, release_b = run_all().paged.steps
    return (
        _build_reserving(),
        _build_paging(allocate_a),
        _build_placing(allocate_a),
        _build_appending(room, boundary),
        _build_sharing(allocate_b, release_a, release_b),
    )


def _build_reserving() -> Scene:
    """A contiguous piece for the longest length that A could reach."""
    runs = run_all()
    arrived, *grown, complete, refused = runs.reserved
    frames = [StoryFrame("pool", runs.empty, {"slots": runs.empty.num_slots})]
    frames += [StoryFrame("reserved", arrived, _collect_reservation(arrived), still=True)]
    frames += [StoryFrame("grows", state, _collect_reservation(state)) for state in grown]
    frames += [StoryFrame("complete", complete, _collect_reservation(complete))]
    refusal = refused.refusal.numbers if refused.refusal else {}
    tokens = len(runs.paged.config.request("B").prompt)
    frames += [StoryFrame("refused", refused, {**refusal, "tokens": tokens}, still=True)]
    return (*frames, StoryFrame("paper", refused, _collect_reservation(runs.paper)))


def _collect_reservation(state: ContiguousSnapshot) -> dict[str, Value]:
    view = state.requests[0]
    return {"used": view.used, "reserved": view.reserved, "never": view.never_used}


def _build_paging(allocate: Step) -> Scene:
    """The same slots in blocks; A's tokens in logical pages, nothing taken yet."""
    states = dict(_iterate_events(allocate))
    start = allocate.before
    frames = [
        StoryFrame(
            "cut",
            start,
            {
                "slots": start.num_blocks * start.block_size,
                "blocks": start.num_blocks,
                "block_size": start.block_size,
            },
        )
    ]
    for event, (before, state) in states.items():
        if isinstance(event, RequestArrived):
            view = _view(state, event.seq_id)
            pages = [len(view.page(i)) for i in range(view.num_blocks)]
            numbers: dict[str, Value] = {"tokens": view.num_tokens, "pages": view.num_blocks}
            numbers |= {"split": " + ".join(map(str, pages)), "block_size": view.block_size}
            numbers |= {"last": view.last_block_num_tokens}
            frames.append(StoryFrame("pages", state, numbers, before, still=True))
        elif isinstance(event, AllocateChecked):
            frames.append(StoryFrame("can_allocate", state, {"needs": event.needs, "free": event.free}, before))
    return tuple(frames)


def _build_placing(allocate: Step) -> Scene:
    """Each page gets the head of the free queue; its KV is written there and read back in order."""
    frames: list[StoryFrame] = []
    numbers: dict[str, Value]
    for event, (before, state) in _iterate_events(allocate):
        if isinstance(event, AllocateChecked):
            frames.append(StoryFrame("waiting", state, {"pages": event.pages}))
        elif isinstance(event, BlockTaken):
            numbers = {"page": event.page, "block": event.block_id, "table": _view(state, event.seq_id).block_table}
            frames.append(StoryFrame("taken", state, numbers, before))
        elif isinstance(event, KVWritten):
            numbers = {"tokens": len(event.slots), "slots": event.slots}
            frames.append(StoryFrame("written", state, numbers, before))
    after, (proof,) = allocate.after, run_all().proofs
    table = _view(after, proof.seq_id).block_table
    numbers = {"table": table, "pages": tuple(range(len(table))), "difference": f"{proof.difference:g}"}
    return (*frames, StoryFrame("read", after, numbers, still=True))


def _build_appending(room: Step, boundary: Step) -> Scene:
    """A token that finds room in the last page, and a token that begins a page."""
    frames: list[StoryFrame] = []
    for step, name in ((room, "room"), (boundary, "boundary")):
        for event, (before, state) in _iterate_events(step):
            view = _view(state, step.operation.seq_id)
            if isinstance(event, TokenAppended):
                numbers: dict[str, Value] = {"tokens": event.len_after, "page": view.num_blocks - 1}
                frames.append(StoryFrame(f"{name}_token", state, numbers, before))
            elif isinstance(event, AppendChecked) and event.needs:
                frames.append(StoryFrame("can_append", state, {"needs": event.needs, "free": event.free}, before))
            elif isinstance(event, BlockTaken):
                numbers = {"block": event.block_id, "table": view.block_table}
                frames.append(StoryFrame("may_append", state, numbers, before, still=True))
            elif isinstance(event, PageHasRoom):
                frames.append(StoryFrame("has_room", state, {"page": event.page, "block": event.block_id}, before))
            elif isinstance(event, KVWritten):
                numbers = {"tokens": view.num_tokens, "slot": event.slots[0], "empty": view.empty_slots}
                frames.append(StoryFrame(f"{name}_written", state, numbers, before, still=name == "room"))
    return tuple(frames)


def _build_sharing(allocate: Step, release_first: Step, release_last: Step) -> Scene:
    """B shares two blocks of A; A ends, then B."""
    frames: list[StoryFrame] = []
    previous = allocate.before
    cached = _view(allocate.after, allocate.operation.seq_id).num_cached_tokens
    for event, (before, state) in _iterate_events(allocate):
        if isinstance(event, RequestArrived):
            frames.append(StoryFrame("prefix", state, {"tokens": event.num_tokens, "same": cached}, before))
        elif isinstance(event, BlockShared):
            numbers: dict[str, Value] = {"page": event.page, "block": event.block_id}
            numbers |= {"ref_before": event.ref_before, "ref_after": event.ref_after}
            frames.append(StoryFrame("shared", state, numbers, before, still=event.page == 1))
        elif isinstance(event, KVWritten):
            view = _view(state, event.seq_id)
            numbers = {"block": view.block_table[-1], "tokens": len(event.slots), "cached": cached}
            frames.append(StoryFrame("own_page", state, numbers, previous))  # the block was taken just before
        if not isinstance(event, AllocateChecked | BlockTaken):
            previous = state
    for step in (release_first, release_last):
        frames += _build_releasing(step, last=step is release_last)
    return tuple(frames)


def _build_releasing(step: Step, *, last: bool) -> Iterable[StoryFrame]:
    """A request drops its references, last page first."""
    shared = find_shared_blocks()
    seq_id = step.operation.seq_id
    previous, dropped = step.before, None
    for event, (_, state) in _iterate_events(step):
        if isinstance(event, ReferenceDropped):
            dropped = event
            if not event.ref_after:
                continue  # the next event is the block's return
            numbers = {"block": event.block_id, "ref_before": event.ref_before, "ref_after": event.ref_after}
            yield StoryFrame("stays", state, {**numbers, "seq": seq_id}, previous)
        elif isinstance(event, BlockFreed) and dropped is not None:
            kind = "last_user" if last and event.block_id in shared else "returns"
            numbers = {"block": event.block_id, "ref_before": dropped.ref_before, "ref_after": dropped.ref_after}
            yield StoryFrame(kind, state, {**numbers, "seq": seq_id}, previous)
        elif isinstance(event, RequestEnded):
            back = tuple(block for block in shared if block in state.free_block_ids)
            values: dict[str, Value] = {"shared": shared, "back": len(back)}
            values |= {"free": len(state.free_block_ids), "blocks": state.num_blocks}
            yield StoryFrame("all_back" if last else "first_gone", state, values, previous, still=True)
        previous = state


def _iterate_events(step: Step) -> Iterable[tuple[Event, tuple[Snapshot, Snapshot]]]:
    """(event, (state before, state after)), without the events that only make a full block findable."""
    before = step.before
    for event, after in zip(step.events, step.snapshots, strict=True):
        if not isinstance(event, BlockHashed):
            yield event, (before, after)
        before = after


def _view(state: Snapshot, seq_id: str) -> SequenceView:
    """The live request of that name. Raises LookupError if there is none."""
    view = state.sequence(seq_id)
    if view is None:
        raise LookupError(seq_id)
    return view
