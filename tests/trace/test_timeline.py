"""Timeline: the default task, refusals that leave nothing behind, replay, and events that account for every change."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.errors import InvalidFreeQueueError, InvalidSizeError, LabError, LimitError, UnknownRequestError
from lab.trace import events as ev
from lab.trace.config import Config, Engine, Request
from lab.trace.operations import (
    Allocate,
    Append,
    AppendToken,
    CanAppend,
    MayAppend,
    Operation,
    Release,
    parse_operation,
)
from lab.trace.presets import build_fresh_queue, build_task_config
from lab.trace.snapshot import Difference, Snapshot, compare_snapshots
from lab.trace.timeline import Step, Timeline
from lab.trace.tiny_lm import get_default_model
from tests.sample import examples
from tests.trace.event_replay import account_for, histories
from tests.trace.test_kv_cache import compute_alone

MODEL = get_default_model()
TASK: tuple[Operation, ...] = (Allocate("A"), Allocate("B"), Append("B"), Release("A"), Release("B"))


def config(num_blocks: int, block_size: int, *requests: Request) -> Config:
    """A fresh pool."""
    return Config(num_blocks, block_size, build_fresh_queue(num_blocks), requests)


def task() -> Timeline:
    """The default task, all of it."""
    return Timeline.replay(build_task_config(), TASK, MODEL)


def table(snapshot: Snapshot, seq_id: str) -> tuple[int, ...]:
    """A live request's block_table."""
    found = snapshot.sequence(seq_id)
    assert found is not None
    return found.block_table


def engine(timeline: Timeline) -> object:
    """Everything in the engine bit for bit, including the tensor and the order of the hash map."""
    manager = timeline.manager
    return (
        timeline.cache.pool.contiguous().view(torch.uint8).numpy().tobytes(),
        list(timeline.cache.slot_contents),
        [(b.block_id, b.ref_count, b.hash, tuple(b.token_ids)) for b in manager.blocks],
        tuple(manager.free_block_ids),
        frozenset(manager.used_block_ids),
        [(key, tuple(ids)) for key, ids in manager.hash_to_block_ids.items()],
        [(s.seq_id, tuple(s.token_ids), tuple(s.block_table), s.num_cached_tokens) for s in timeline.live.values()],
        timeline.snapshot(len(timeline.steps)).waiting,
    )


# --- the default task ----------------------------------------------------------------------------------------------


def test_the_default_task_literally() -> None:
    """A gets 7 2 14, B gets 9, B's fifth token opens block 5 at slot 20, and the queue ends as in the chapter."""
    timeline = task()
    assert table(timeline.snapshot(2), "A") == (7, 2, 14)
    assert table(timeline.snapshot(2), "B") == (9,)
    assert table(timeline.snapshot(3), "B") == (9, 5)
    b = timeline.snapshot(3).sequence("B")
    assert b is not None
    assert (b.slots, b.page(1), b.num_slots, b.empty_slots) == ((36, 37, 38, 39, 20), (16,), 8, 3)
    assert timeline.snapshot(3).blocks[5].slots == ((16, 4), None, None, None)
    assert timeline.snapshot(3).owners(5) == (("B", 1),)
    assert timeline.snapshot(5).free_block_ids == (11, 3, 0, 12, 6, 1, 15, 8, 4, 10, 13, 14, 2, 7, 5, 9)
    assert timeline.snapshot(5).sequences == ()
    assert [step.refusal for step in timeline.steps] == [None] * 5
    assert timeline.operations == TASK
    assert [step.index for step in timeline.steps] == [0, 1, 2, 3, 4]


def test_the_events_of_the_append_in_order() -> None:
    """The token comes first; between can_append and may_append the table still has one id."""
    step = task().steps[2]
    assert step.events == (
        ev.TokenAppended("B", 16, 4, 5),
        ev.AppendChecked("B", 1, 12, True),
        ev.BlockTaken("B", 1, 5, 0, 1, "may_append"),
        ev.KVWritten("B", (16,), (4,), (20,)),
    )
    assert [table(s, "B") for s in (step.before, *step.snapshots)] == [(9,), (9,), (9,), (9, 5), (9, 5)]
    lights = [list(s.findings()) for s in step.snapshots]
    assert lights == [["table_length"], ["table_length"], [], []]


def test_the_events_of_an_allocation_and_a_release() -> None:
    """Blocks are taken from the head, written, then hashed; dropped from the last page on, and freed at 0."""
    steps = task().steps
    arrived, checked, taken, written, hashed = steps[1].events
    assert arrived == ev.RequestArrived("B", (12, 13, 14, 15), 4, 1)
    assert checked == ev.AllocateChecked("B", 1, 1, 13, True)
    assert taken == ev.BlockTaken("B", 0, 9, 0, 1, "allocate")
    assert written == ev.KVWritten("B", (12, 13, 14, 15), (0, 1, 2, 3), (36, 37, 38, 39))
    assert isinstance(hashed, ev.BlockHashed)
    assert (hashed.block_id, hashed.token_ids) == (9, (12, 13, 14, 15))
    assert steps[4].events == (
        ev.ReferenceDropped("B", 1, 5, 1, 0),
        ev.BlockFreed(5, 15),
        ev.ReferenceDropped("B", 0, 9, 1, 0),
        ev.BlockFreed(9, 16),
        ev.RequestEnded("B"),
    )


def test_events_of_sharing_and_eviction() -> None:
    """A revived block was free and a shared one was not; a block with content forgets it before it is taken."""
    prompt = (1, 2, 3)
    timeline = Timeline(config(3, 2, *(Request(name, prompt, (9,)) for name in "ABC")), MODEL)
    for operation in (Allocate("A"), Release("A"), Allocate("B"), Allocate("C"), Append("B")):
        timeline.apply(operation)
    shared = [e for step in timeline.steps for e in step.events if isinstance(e, ev.BlockShared)]
    assert shared == [ev.BlockShared("B", 0, 0, 0, 1, True), ev.BlockShared("C", 0, 0, 1, 2, False)]
    assert ev.PageHasRoom("B", 1, 2) in timeline.steps[4].events
    for operation in (Release("B"), Release("C"), Allocate("A")):
        timeline.apply(operation)
    assert timeline.steps[7].events[2:] == (
        ev.BlockShared("A", 0, 0, 0, 1, True),
        ev.HashForgotten(2),  # B had filled that page: 3, 9
        ev.BlockTaken("A", 1, 2, 0, 1, "allocate"),
        ev.KVWritten("A", (3,), (2,), (4,)),
    )


@pytest.mark.parametrize("block_size", range(1, 17))
def test_the_default_task_runs_at_every_block_size(block_size: int) -> None:
    """Nothing is refused, the proof holds at each cursor, and the pool is whole again."""
    timeline = Timeline.replay(build_task_config(block_size), TASK, MODEL)
    assert all(step.refusal is None for step in timeline.steps)
    assert len(table(timeline.snapshot(1), "A")) == -(-11 // block_size)
    for cursor, live in enumerate(("", "A", "AB", "AB", "B", "")):
        proofs = timeline.proofs(cursor)
        assert "".join(proof.seq_id for proof in proofs) == live
        assert all(proof.bit_equal and proof.difference == 0 for proof in proofs)
        assert timeline.snapshot(cursor).findings() == {}
    assert sorted(timeline.snapshot(5).free_block_ids) == list(range(16))
    account_for(timeline)


def test_vllm_s_events_tell_which_end_of_the_queue() -> None:
    """The same operations on vLLM's manager: A's half-empty page goes to the head, its full pages to the tail."""
    last = Timeline.replay(build_task_config().run_by("vllm"), TASK[:4], MODEL).steps[-1]
    freed = [(event.block_id, event.first) for event in last.events if isinstance(event, ev.BlockFreed)]
    assert freed == [(14, True), (2, False), (7, False)]
    assert last.after.free_block_ids == (14, *build_task_config().free_block_ids[5:7], *last.after.free_block_ids[3:])
    assert (0 in last.after.free_block_ids, last.after.findings()) == (False, {})
    with pytest.raises(InvalidSizeError):
        config(1, 4).run_by("vllm")


# --- one more token, step by step ------------------------------------------------------------------------------------


def small(log: str) -> Timeline:
    """Two pages of two tokens and one free block; B holds the third. Both are allocated at the start."""
    made = config(4, 2, Request("A", (1, 2, 3, 4), (7, 8)), Request("B", (5,), (6,)))
    return Timeline.replay(made, map(parse_operation, log.split()), MODEL)


def test_the_three_calls_are_the_append_cut_in_pieces() -> None:
    """kA cA mA has the events of tA in the same order and leaves the same engine, over a whole page and the next."""
    pieces, whole = small("aA aB kA cA mA kA cA mA"), small("aA aB tA tA")
    for i in (0, 1):
        cut = [event for step in pieces.steps[2 + 3 * i : 5 + 3 * i] for event in step.events]
        assert tuple(cut) == whole.steps[2 + i].events
    assert engine(pieces) == engine(whole)
    assert pieces.proofs(8) == whole.proofs(4)


def test_asking_before_the_token_is_appended_answers_for_the_sequence_as_it_is() -> None:
    """At the boundary it needs 0 and returns True even if no block is free; after the append it needs 1."""
    timeline = small("aA aB cA kA cA tB tB cB kB cB")
    checked = [event for step in timeline.steps for event in step.events if isinstance(event, ev.AppendChecked)]
    assert checked[:2] == [ev.AppendChecked("A", 0, 1, True), ev.AppendChecked("A", 1, 1, True)]
    assert checked[-2:] == [ev.AppendChecked("B", 0, 0, True), ev.AppendChecked("B", 0, 0, True)]
    empty = small("aA aB tA cA tA cA kA cA")
    assert [s.events[-1] for s in empty.steps[-3:]] == [
        ev.AppendChecked("A", 0, 0, True),
        ev.TokenAppended("A", 7, 6, 7),
        ev.AppendChecked("A", 1, 0, False),
    ]
    assert all(step.after == step.before for step in empty.steps if isinstance(step.operation, CanAppend))


def test_a_token_may_only_follow_one_whose_kv_is_written() -> None:
    """Neither append_token nor the whole append may run; after may_append both go on with the next token."""
    timeline = small("aA aB kA")
    before = engine(timeline)
    for operation in (AppendToken("A"), Append("A")):
        step = timeline.apply(operation)
        assert step.events == (ev.Refused("A", "token_pending", (("position", 4), ("seq_id", "A"))),)
        assert engine(timeline) == before
    timeline.apply(MayAppend("A"))
    assert timeline.apply(AppendToken("A")).events == (ev.TokenAppended("A", 8, 5, 6),)


def test_a_refused_may_append_keeps_the_token_until_a_block_is_there() -> None:
    """As in nano-vLLM's scheduler: another request is released, and then the same call succeeds."""
    timeline = small("aA aB tA tA kA")
    before = engine(timeline)
    for _ in range(2):
        step = timeline.apply(MayAppend("A"))
        assert step.events == (ev.Refused("A", "no_free_blocks", (("free", 0), ("needed", 1))),)
        assert (step.after, engine(timeline)) == (step.before, before)
        assert step.after.waiting == ("A",)
    assert list(step.after.findings()) == ["table_length"]
    assert [proof.seq_id for proof in timeline.proofs(len(timeline.steps))] == ["B"]
    timeline.apply(Release("B"))
    assert timeline.proofs(len(timeline.steps)) == ()
    assert timeline.apply(MayAppend("A")).events == (
        ev.BlockTaken("A", 3, 2, 0, 1, "may_append"),
        ev.KVWritten("A", (7,), (6,), (4,)),
    )
    (proof,) = timeline.proofs(len(timeline.steps))
    assert proof.bit_equal
    assert timeline.snapshot(len(timeline.steps)).findings() == {}


def test_may_append_without_a_token_that_waits_changes_nothing() -> None:
    """It takes no block and writes no KV, also when it is called twice in a row."""
    timeline = small("aA aB kA mA")
    for name, page, block in (("A", 2, 3), ("B", 0, 2)):
        before = engine(timeline)
        assert timeline.apply(MayAppend(name)).events == (ev.PageHasRoom(name, page, block),)
        assert engine(timeline) == before


def test_a_request_may_end_while_its_token_waits() -> None:
    """It can also come back: then no token waits, and its tokens are only its prompt."""
    timeline = small("aA aB kA rA")
    assert timeline.snapshot(4).waiting == ()
    timeline.apply(Allocate("A"))
    assert timeline.snapshot(5).waiting == ()
    assert timeline.apply(AppendToken("A")).events == (ev.TokenAppended("A", 7, 4, 5),)


def test_a_table_that_is_too_short_is_in_progress_only_if_its_token_waits() -> None:
    """If the table is broken, the light must not say "in progress"."""
    short = small("aA aB kA").snapshot(3)
    assert (short.waiting, short.tables_in_progress) == (("A",), True)
    b = short.sequence("B")
    assert b is not None
    lost = replace(short, sequences=(short.sequences[0], replace(b, block_table=())))
    assert not lost.tables_in_progress


# --- refusals and limits -------------------------------------------------------------------------------------------


def test_a_refused_append_ends_with_the_token_withdrawn() -> None:
    """len N+1 -> N; the next append brings the same token."""
    timeline = Timeline(config(2, 2, Request("A", (1, 2, 3, 4), (7, 8)), Request("B", (5,), (6,))), MODEL)
    timeline.apply(Allocate("A"))
    for _ in range(2):
        before = engine(timeline)
        step = timeline.apply(Append("A"))
        assert step.events == (
            ev.TokenAppended("A", 7, 4, 5),
            ev.AppendChecked("A", 1, 0, False),
            ev.Refused("A", "no_free_blocks", (("free", 0), ("needed", 1))),
            ev.TokenWithdrawn("A", 7, 5, 4),
        )
        assert step.refusal == step.events[2]
        assert (step.after, engine(timeline)) == (step.before, before)


def test_a_refused_allocation_leaves_again() -> None:
    """Nothing of the request remains, and it can come back when there is room."""
    timeline = Timeline(config(2, 2, Request("A", (1, 2, 3), (7,)), Request("B", (5, 6, 7), (6,))), MODEL)
    timeline.apply(Allocate("A"))
    before = engine(timeline)
    step = timeline.apply(Allocate("B"))
    assert step.events == (
        ev.RequestArrived("B", (5, 6, 7), 3, 2),
        ev.AllocateChecked("B", 2, 2, 0, False),
        ev.Refused("B", "no_free_blocks", (("free", 0), ("needed", 2))),
        ev.RequestWithdrawn("B"),
    )
    assert (step.after, engine(timeline)) == (step.before, before)
    timeline.apply(Release("A"))
    assert timeline.apply(Allocate("B")).refusal is None


@pytest.mark.parametrize(
    ("operation", "reason", "numbers"),
    [
        (Allocate("A"), "already_allocated", (("held", 3), ("seq_id", "A"))),
        (Append("B"), "not_allocated", (("seq_id", "B"),)),
        (AppendToken("B"), "not_allocated", (("seq_id", "B"),)),
        (CanAppend("B"), "not_allocated", (("seq_id", "B"),)),
        (MayAppend("B"), "not_allocated", (("seq_id", "B"),)),
        (Release("B"), "not_allocated", (("seq_id", "B"),)),
    ],
)
def test_other_refusals_are_recorded_and_change_nothing(
    operation: Operation, reason: str, numbers: tuple[tuple[str, int | str], ...]
) -> None:
    """A wrong operation is a step with one event."""
    timeline = Timeline.replay(build_task_config(), [Allocate("A")], MODEL)
    before = engine(timeline)
    step = timeline.apply(operation)
    assert step.events == (ev.Refused(operation.seq_id, reason, numbers),)
    assert (step.after, engine(timeline)) == (step.before, before)
    assert timeline.steps[1] is step


def test_limits_are_answered_and_not_recorded() -> None:
    """128 tokens, 12 live requests, 200 operations, and a request that the scenario does not have."""
    many = tuple(Request(name, (1,), (2,)) for name in "ABCDEFGHIJKLM")
    long = Request("Z", tuple(range(127)), (2,))
    timeline = Timeline(config(64, 16, long, *many), MODEL)
    refused: list[tuple[Operation, type[LabError], dict[str, int | str]]]
    assert timeline.apply(Allocate("Z")).refusal is None
    assert timeline.apply(Append("Z")).refusal is None
    assert all(timeline.apply(Allocate(name)).refusal is None for name in "ABCDEFGHIJK")
    refused = [
        (Append("Z"), LimitError, {"name": "tokens", "value": 129, "limit": 128}),
        (AppendToken("Z"), LimitError, {"name": "tokens", "value": 129, "limit": 128}),
        (Allocate("L"), LimitError, {"name": "requests", "value": 13, "limit": 12}),
        (Release("Y"), UnknownRequestError, {"seq_id": "Y"}),
    ]
    for number in range(2):
        steps, before = list(timeline.steps), engine(timeline)
        for operation, error, numbers in refused:
            with pytest.raises(error) as caught:
                timeline.apply(operation)
            assert caught.value.numbers == numbers
            assert (timeline.steps, engine(timeline)) == (steps, before)
        if number == 0:
            assert timeline.apply(Allocate("A")).refusal is not None  # live already: the engine refuses, not a limit
            while len(timeline.steps) < 200:
                timeline.apply(Release("M"))
            refused = [(Release("M"), LimitError, {"name": "operations", "value": 201, "limit": 200})]


@pytest.mark.parametrize(
    ("pool", "prompt", "error", "numbers"),
    [
        ((0, 4, ()), 1, InvalidSizeError, {"name": "num_blocks", "value": 0, "minimum": 1}),
        ((2, 0, (0, 1)), 1, InvalidSizeError, {"name": "block_size", "value": 0, "minimum": 1}),
        ((65, 4, tuple(range(65))), 1, LimitError, {"name": "num_blocks", "value": 65, "limit": 64}),
        ((2, 17, (0, 1)), 1, LimitError, {"name": "block_size", "value": 17, "limit": 16}),
        ((2, 4, (0, 0)), 1, InvalidFreeQueueError, {"num_blocks": 2, "length": 2}),
        ((2, 4, (0, 1)), 129, LimitError, {"name": "tokens", "value": 129, "limit": 128}),
    ],
)
def test_a_config_beyond_the_limits_is_refused(
    pool: tuple[int, int, tuple[int, ...]], prompt: int, error: type[LabError], numbers: dict[str, int | str]
) -> None:
    """The largest allowed sizes are accepted."""
    Config(64, 16, tuple(range(64)), (Request("A", (1,) * 128, (1,)),))
    with pytest.raises(error) as caught:
        Config(*pool, (Request("A", (1,) * prompt, (1,)),))
    assert caught.value.numbers == numbers


@pytest.mark.parametrize(("prompt", "continuation"), [((1, 5000), (1,)), ((1, 2), (5000,)), ((1, 2), ()), ((), (1,))])
def test_impossible_tokens_are_refused_and_leak_nothing(prompt: tuple[int, ...], continuation: tuple[int, ...]) -> None:
    """Either the scenario is refused when it is made, or its operation is, as a step that changes nothing."""
    try:
        timeline = Timeline(config(4, 2, Request("A", prompt, continuation)), MODEL)
    except LabError:
        return
    for operation in (Allocate("A"), Append("A")):
        before = engine(timeline)
        step = timeline.apply(operation)
        assert engine(timeline) == before or step.refusal is None
    assert step.refusal is not None


# --- every change is an event --------------------------------------------------------------------------------------


@settings(max_examples=examples(60))
@given(histories(), st.sampled_from(get_args(Engine)))
def test_events_account_for_every_change(history: tuple[Config, list[Operation]], engine: Engine) -> None:
    """This includes the tensor: the pool holds what the last snapshot lists, and NaN where it lists None."""
    made, operations = history
    timeline = Timeline.replay(made.run_by(engine) if made.num_blocks > 1 else made, operations, MODEL)
    account_for(timeline)
    slots = [slot for block in timeline.snapshot(len(timeline.steps)).blocks for slot in block.slots]
    assert slots == timeline.cache.slot_contents
    expected = torch.full_like(timeline.cache.pool.flatten(2, 3), torch.nan)
    for step in timeline.steps:
        for event, snapshot in zip(step.events, step.snapshots, strict=True):
            view = snapshot.sequence(event.seq_id) if isinstance(event, ev.KVWritten) else None
            if isinstance(event, ev.KVWritten) and view is not None:
                alone = compute_alone(MODEL, list(view.token_ids))
                expected[:, :, list(event.slots)] = alone[:, :, list(event.positions)]
    assert torch.equal(expected.nan_to_num(9e9), timeline.cache.pool.flatten(2, 3).nan_to_num(9e9))
    proofs, last = timeline.proofs(len(timeline.steps)), timeline.snapshot(len(timeline.steps))
    assert all(proof.bit_equal for proof in proofs)
    assert len(proofs) == len(last.sequences) - len(last.waiting)


@settings(max_examples=examples(40))
@given(histories())
def test_a_refused_step_leaves_everything_as_it_was(history: tuple[Config, list[Operation]]) -> None:
    """Tensor, queue, hash map and requests are bit-equal; the snapshot after equals the one before."""
    made, operations = history
    timeline = Timeline(made, MODEL)
    for operation in operations:
        before = engine(timeline)
        step = timeline.apply(operation)
        if step.refusal:
            assert step.after == step.before
            assert engine(timeline) == before
        else:
            idle = isinstance(operation, CanAppend) or (
                isinstance(operation, MayAppend) and operation.seq_id not in step.before.waiting
            )
            assert (engine(timeline) == before) is (step.after == step.before) is idle


@settings(max_examples=examples(25))
@given(histories(6, 12))
def test_replaying_a_prefix_gives_the_same_snapshots(history: tuple[Config, list[Operation]]) -> None:
    """Stepping back is a replay; the proof holds at every cursor, for exactly the live requests."""
    made, operations = history
    timeline = Timeline.replay(made, operations, MODEL)
    for cursor in range(len(operations) + 1):
        again = Timeline.replay(made, operations[:cursor], MODEL)
        assert again.steps == timeline.steps[:cursor]
        assert again.snapshot(cursor) == timeline.snapshot(cursor)
        proofs = timeline.proofs(cursor)
        assert proofs == again.proofs(cursor)
        shown = timeline.snapshot(cursor)
        complete = [view for view in shown.sequences if view.seq_id not in shown.waiting]
        assert [(p.seq_id, p.slots, len(p.slots)) for p in proofs] == [
            (view.seq_id, view.slots, view.num_tokens) for view in complete
        ]
        assert {seq.seq_id for seq in again.live.values()} - set(shown.waiting) == {p.seq_id for p in proofs}
        assert all(p.bit_equal for p in proofs)


# --- snapshots -----------------------------------------------------------------------------------------------------


@settings(max_examples=examples(30))
@given(histories())
def test_unchanged_views_are_the_same_objects(history: tuple[Config, list[Operation]]) -> None:
    """A log of 200 operations stays small, and a snapshot never changes later."""
    timeline = Timeline(history[0], MODEL)
    copies = []
    for operation in history[1]:
        step = timeline.apply(operation)
        copies.append((step.after, repr(step.after)))
    states = [timeline.start, *(s for step in timeline.steps for s in step.snapshots)]
    for old, new in pairwise(states):
        pairs = [*zip(old.blocks, new.blocks, strict=True)]
        pairs += [(s, t) for s in old.sequences for t in new.sequences if s.seq_id == t.seq_id]  # type: ignore[misc]
        pairs += [(old.free_block_ids, new.free_block_ids), (old.used_block_ids, new.used_block_ids)]  # type: ignore[list-item]
        assert all((x is y) is (x == y) for x, y in pairs)
    assert all(repr(snapshot) == text for snapshot, text in copies)


def compared(before: Snapshot, after: Snapshot) -> Difference:
    """The definition of each field of Difference, as sets."""

    def facts(s: Snapshot) -> tuple[dict[int, object], dict[tuple[str, int], int], set[tuple[str, int]]]:
        slots = dict(enumerate(slot for block in s.blocks for slot in block.slots))
        pages = {(v.seq_id, i): b for v in s.sequences for i, b in enumerate(v.block_table)}
        return dict(slots), pages, {(v.seq_id, i) for v in s.sequences for i in range(len(v.token_ids))}

    (slots, pages, tokens), (new_slots, new_pages, new_tokens) = facts(before), facts(after)
    return Difference(
        ref_counts={
            b: (x.ref_count, y.ref_count)
            for b, (x, y) in enumerate(zip(before.blocks, after.blocks, strict=True))
            if x.ref_count != y.ref_count
        },
        slots=frozenset(slot for slot in slots if slots[slot] != new_slots[slot]),
        pages=frozenset(key for key in new_pages if key not in pages or pages[key] != new_pages[key]),
        tokens=frozenset(new_tokens - tokens),
        taken=tuple(b for b in before.free_block_ids if b not in after.free_block_ids),
        returned=tuple(b for b in after.free_block_ids if b not in before.free_block_ids),
        ended=tuple(v.seq_id for v in before.sequences if v.seq_id not in {w.seq_id for w in after.sequences}),
    )


@settings(max_examples=examples(30))
@given(histories(), st.integers(0, 999), st.integers(0, 999))
def test_difference_against_brute_force(history: tuple[Config, list[Operation]], i: int, j: int) -> None:
    """For any two moments, also inside operations."""
    timeline = Timeline.replay(*history, MODEL)
    states = [timeline.start, *(s for step in timeline.steps for s in step.snapshots)]
    before, after = sorted((i % len(states), j % len(states)))
    found = compare_snapshots(states[before], states[after])
    assert found == compared(states[before], states[after])
    moved = set(states[before].free_block_ids) ^ set(states[after].free_block_ids)
    assert found.blocks == moved | set(found.ref_counts)
    nothing = Difference({}, frozenset(), frozenset(), frozenset(), (), (), ())
    assert compare_snapshots(states[after], states[after]) == nothing


def test_the_difference_of_the_append() -> None:
    """Spelled out for the default task."""
    step: Step = task().steps[2]
    assert compare_snapshots(step.before, step.after) == Difference(
        ref_counts={5: (0, 1)},
        slots=frozenset({20}),
        pages=frozenset({("B", 1)}),
        tokens=frozenset({("B", 4)}),
        taken=(5,),
        returned=(),
        ended=(),
    )


def test_random_histories_reach_every_kind_of_event() -> None:
    """Otherwise the tests above would prove little."""
    seen: Counter[str] = Counter()

    @settings(max_examples=150, database=None, derandomize=True)
    @given(histories())
    def collect(history: tuple[Config, list[Operation]]) -> None:
        for step in Timeline.replay(*history, MODEL).steps:
            seen.update(type(event).__name__ for event in step.events)

    collect()
    kinds = {kind.__name__ for kind in ev.Event.__args__}
    assert kinds - seen.keys() == set()
