"""The meaning of each event for a snapshot, written independently of the engine; and random histories.

Every rule also checks the event's numbers (pages, counts, the head of the queue) and raises AssertionError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from hypothesis import strategies as st

from lab.trace import events as ev
from lab.trace.config import Config, Request
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.snapshot import BlockView, SequenceView, Snapshot
from lab.trace.timeline import Timeline

E = TypeVar("E")
RULES: dict[type, Callable[[Snapshot, Any], Snapshot]] = {}


def apply_event(before: Snapshot, event: ev.Event) -> Snapshot:
    """The snapshot that must follow `before` if exactly this event happened."""
    return RULES[type(event)](before, event)


def rule(kind: type[E]) -> Callable[[Callable[[Snapshot, E], Snapshot]], Callable[[Snapshot, E], Snapshot]]:
    """Register the meaning of one kind of event."""

    def register(function: Callable[[Snapshot, E], Snapshot]) -> Callable[[Snapshot, E], Snapshot]:
        RULES[kind] = function
        return function

    return register


def view(
    seq_id: str, tokens: tuple[int, ...], table: tuple[int, ...], cached: int, size: int, *, waiting: bool = False
) -> SequenceView:
    """A request's view, computed page by page from its tokens and table alone."""
    pages = [tokens[i : i + size] for i in range(0, len(tokens), size)]
    slots = [block * size + i for block, page in zip(table, pages, strict=False) for i in range(len(page))]
    return SequenceView(seq_id, tokens, table, cached, size, len(pages), len(pages[-1]), tuple(slots), waiting)


def of(state: Snapshot, seq_id: str) -> SequenceView:
    """The live request of that name; there is exactly one."""
    (found,) = (s for s in state.sequences if s.seq_id == seq_id)
    return found


def with_sequence(
    state: Snapshot,
    seq_id: str,
    tokens: tuple[int, ...] | None = None,
    table: tuple[int, ...] | None = None,
    *,
    waiting: bool | None = None,
) -> Snapshot:
    """The same state, but one request has other tokens, another table, or another `waiting`."""
    old = of(state, seq_id)
    tokens = old.token_ids if tokens is None else tokens
    table = old.block_table if table is None else table
    waiting = old.waiting if waiting is None else waiting
    new = view(seq_id, tokens, table, old.num_cached_tokens, state.block_size, waiting=waiting)
    return replace(state, sequences=tuple(new if s.seq_id == seq_id else s for s in state.sequences))


def with_block(state: Snapshot, block_id: int, **changes: object) -> Snapshot:
    """The same state with one block changed."""
    blocks = [replace(b, **changes) if b.block_id == block_id else b for b in state.blocks]  # type: ignore[arg-type]
    return replace(state, blocks=tuple(blocks))


def held(state: Snapshot, event: ev.BlockShared | ev.BlockTaken) -> Snapshot:
    """The block leaves the queue if it was there, its ref_count grows, and it becomes the request's next page."""
    block_id, seq_id, after = event.block_id, event.seq_id, event.ref_after
    table = of(state, seq_id).block_table
    assert event.page == len(table)
    assert (event.ref_before, after) == (state.blocks[block_id].ref_count, event.ref_before + 1)
    state = replace(
        state,
        free_block_ids=tuple(b for b in state.free_block_ids if b != block_id),
        used_block_ids=state.used_block_ids | {block_id},
    )
    return with_sequence(with_block(state, block_id, ref_count=after), seq_id, table=(*table, block_id))


@rule(ev.RequestArrived)
def _arrived(state: Snapshot, event: ev.RequestArrived) -> Snapshot:
    assert event.seq_id not in {s.seq_id for s in state.sequences}
    new = view(event.seq_id, event.token_ids, (), 0, state.block_size)
    assert (event.num_tokens, event.pages) == (len(event.token_ids), new.num_blocks)
    return replace(state, sequences=(*state.sequences, new))


@rule(ev.AllocateChecked)
def _allocate_checked(state: Snapshot, event: ev.AllocateChecked) -> Snapshot:
    assert event.pages == of(state, event.seq_id).num_blocks
    assert 1 <= event.needs <= event.pages
    assert event.free == len(state.free_block_ids)
    assert event.answer is (event.needs <= event.free)
    return state


@rule(ev.BlockShared)
def _shared(state: Snapshot, event: ev.BlockShared) -> Snapshot:
    block, owner = state.blocks[event.block_id], of(state, event.seq_id)
    size = state.block_size
    assert block.hash != -1
    assert block.token_ids == owner.token_ids[event.page * size : (event.page + 1) * size]
    assert block.slots == tuple((token, event.page * size + i) for i, token in enumerate(block.token_ids))
    assert event.was_free is (event.block_id in state.free_block_ids)
    state = held(state, event)
    cached = tuple(
        replace(s, num_cached_tokens=s.num_cached_tokens + size) if s.seq_id == event.seq_id else s
        for s in state.sequences
    )
    return replace(state, sequences=cached)


@rule(ev.HashForgotten)
def _forgotten(state: Snapshot, event: ev.HashForgotten) -> Snapshot:
    assert state.free_block_ids[0] == event.block_id
    assert state.blocks[event.block_id].hash != -1
    return with_block(state, event.block_id, hash=-1, token_ids=())


@rule(ev.BlockTaken)
def _taken(state: Snapshot, event: ev.BlockTaken) -> Snapshot:
    assert state.free_block_ids[0] == event.block_id
    assert state.blocks[event.block_id].hash == -1
    assert event.ref_before == 0
    return held(state, event)


@rule(ev.KVWritten)
def _written(state: Snapshot, event: ev.KVWritten) -> Snapshot:
    owner = of(state, event.seq_id)
    last = len(owner.token_ids)
    assert event.token_ids == owner.token_ids[last - len(event.token_ids) :]
    assert event.positions == tuple(range(last - len(event.token_ids), last))
    assert event.slots == owner.slots[last - len(event.token_ids) :]
    noted = [slot for block in state.blocks for slot in block.slots]
    for token, position, slot in zip(event.token_ids, event.positions, event.slots, strict=True):
        noted[slot] = (token, position)
    size = state.block_size
    cut = [tuple(noted[i : i + size]) for i in range(0, len(noted), size)]
    blocks = tuple(replace(b, slots=s) for b, s in zip(state.blocks, cut, strict=True))
    return with_sequence(replace(state, blocks=blocks), event.seq_id, waiting=False)


@rule(ev.BlockHashed)
def _hashed(state: Snapshot, event: ev.BlockHashed) -> Snapshot:
    block: BlockView = state.blocks[event.block_id]
    assert block.hash == -1 != event.hash
    if not state.first_id:  # vLLM makes a block findable before its KV is written
        assert event.token_ids == tuple(slot[0] for slot in block.slots if slot is not None)
    assert len(event.token_ids) == state.block_size
    return with_block(state, event.block_id, hash=event.hash, token_ids=event.token_ids)


@rule(ev.TokenAppended)
def _appended(state: Snapshot, event: ev.TokenAppended) -> Snapshot:
    tokens = of(state, event.seq_id).token_ids
    assert (event.len_before, event.len_after) == (len(tokens), len(tokens) + 1)
    assert not of(state, event.seq_id).waiting
    return with_sequence(state, event.seq_id, tokens=(*tokens, event.token_id), waiting=True)


@rule(ev.AppendChecked)
def _append_checked(state: Snapshot, event: ev.AppendChecked) -> Snapshot:
    owner = of(state, event.seq_id)
    assert event.needs == (0 if len(owner.slots) == len(owner.token_ids) else 1)
    assert event.free == len(state.free_block_ids)
    assert event.answer is (event.needs <= event.free)
    return state


@rule(ev.PageHasRoom)
def _room(state: Snapshot, event: ev.PageHasRoom) -> Snapshot:
    owner = of(state, event.seq_id)
    assert owner.slots[-1] // state.block_size == event.block_id == owner.block_table[event.page]
    assert len(owner.slots) == len(owner.token_ids)
    return state


@rule(ev.ReferenceDropped)
def _dropped(state: Snapshot, event: ev.ReferenceDropped) -> Snapshot:
    *table, last = of(state, event.seq_id).block_table
    assert (event.page, event.block_id) == (len(table), last)
    assert (event.ref_before, event.ref_after) == (state.blocks[last].ref_count, event.ref_before - 1)
    return with_sequence(with_block(state, last, ref_count=event.ref_after), event.seq_id, table=tuple(table))


@rule(ev.BlockFreed)
def _freed(state: Snapshot, event: ev.BlockFreed) -> Snapshot:
    assert state.blocks[event.block_id].ref_count == 0
    assert event.block_id in state.used_block_ids
    assert event.free == len(state.free_block_ids) + 1
    assert event.first is (state.first_id > 0 and state.blocks[event.block_id].hash == -1)
    queue = (event.block_id, *state.free_block_ids) if event.first else (*state.free_block_ids, event.block_id)
    return replace(state, free_block_ids=queue, used_block_ids=state.used_block_ids - {event.block_id})


def gone(state: Snapshot, event: ev.RequestEnded | ev.RequestWithdrawn) -> Snapshot:
    assert of(state, event.seq_id).block_table == ()
    return replace(state, sequences=tuple(s for s in state.sequences if s.seq_id != event.seq_id))


RULES[ev.RequestEnded] = RULES[ev.RequestWithdrawn] = gone


@rule(ev.Refused)
def _refused(state: Snapshot, event: ev.Refused) -> Snapshot:
    assert list(event.numbers) == sorted(event.numbers)
    return state


@rule(ev.TokenWithdrawn)
def _withdrawn(state: Snapshot, event: ev.TokenWithdrawn) -> Snapshot:
    tokens = of(state, event.seq_id).token_ids
    assert (event.len_before, event.len_after) == (len(tokens), len(tokens) - 1)
    assert event.token_id == tokens[-1]
    return with_sequence(state, event.seq_id, tokens=tokens[:-1], waiting=False)


def account_for(timeline: Timeline) -> None:
    """Each event explains its snapshot: no change is without an event, and every answer was true."""
    state = timeline.start
    assert all(slot is None for block in state.blocks for slot in block.slots)
    for step in timeline.steps:
        assert step.before is state
        assert len(step.events) == len(step.snapshots) > 0
        for event, snapshot in zip(step.events, step.snapshots, strict=True):
            assert apply_event(state, event) == snapshot, (step.index, event)
            state = snapshot
        short = [s for s in state.sequences if len(s.block_table) < s.num_blocks]
        assert list(state.findings()) == ["table_length"] * bool(short)
        assert {s.seq_id for s in short} <= set(state.waiting)
        assert state.tables_in_progress
        takes = sum(isinstance(e, ev.BlockTaken) or (isinstance(e, ev.BlockShared) and e.was_free) for e in step.events)
        for event in step.events:
            if isinstance(step.operation, CanAppend):
                assert step.after == step.before
            elif isinstance(event, ev.AllocateChecked | ev.AppendChecked):
                assert takes == (event.needs if event.answer else 0)
                assert event.answer is (step.refusal is None)


TOKENS = st.integers(0, 2)
KINDS = (Allocate, Allocate, Append, Append, Append, AppendToken, CanAppend, MayAppend, Release)


@st.composite
def configs(draw: st.DrawFn) -> Config:
    """Small pools in any order; prompts with common prefixes, so that blocks are shared, revived and evicted."""
    block_size = draw(st.integers(1, 9))
    queue = draw(st.integers(1, 8).flatmap(lambda n: st.permutations(range(n))))
    common = draw(st.lists(TOKENS, min_size=block_size, max_size=3 * block_size))
    requests = []
    for seq_id in "ABCD"[: draw(st.integers(2, 4))]:
        prompt = common[: draw(st.integers(1, len(common)))] + draw(st.lists(TOKENS, max_size=block_size))
        continuation = draw(st.lists(TOKENS, min_size=1, max_size=3))
        requests.append(Request(seq_id, tuple(prompt), tuple(continuation)))
    return Config(len(queue), block_size, tuple(queue), tuple(requests))


@st.composite
def histories(draw: st.DrawFn, min_size: int = 20, max_size: int = 40) -> tuple[Config, list[Operation]]:
    """Any operations in any order, many of which are refused."""
    config = draw(configs())
    names = st.sampled_from([request.seq_id for request in config.requests])
    operations = st.builds(lambda kind, name: kind(name), st.sampled_from(KINDS), names)
    return config, draw(st.lists(operations, min_size=min_size, max_size=max_size))
