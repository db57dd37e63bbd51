"""The quick question after an operation has exactly one true option, judged from the snapshots without the events."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from lab.activities.checkpoint import Checkpoint, build_checkpoint
from lab.activities.question import Option
from lab.trace.config import Config, Request
from lab.trace.events import AppendChecked, TokenAppended
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.presets import PLAN as SUGGESTED
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.text.sentences import Ids
from lessons.text.translations import LANGUAGES, Translations, get_translations
from tests.sample import examples

# Their prompts share the first pages, so that blocks are shared, revived and kept by another request.
SHARING = (
    Request("A", (1, 2, 3, 4, 5, 6, 7, 8, 9), (10, 11)),
    Request("B", (1, 2, 3, 4), (5, 6, 7)),
    Request("C", (1, 2, 3, 4, 5, 6, 7, 8, 9), (10,)),
)
QUEUES = st.one_of(
    st.just(USED_QUEUE),
    st.just(build_fresh_queue()),
    st.integers(1, 16).flatmap(lambda n: st.permutations(range(n))).map(tuple),
)
# A pool of one block; one without room for B's fifth token; a release that frees nothing, since A shares B's page.
ONE_BLOCK = (build_task_config(16, (0,)), [Allocate("A"), Release("A")])
FULL = (build_task_config(4, (3, 1, 0, 2)), list(SUGGESTED[:3]))
KEPT = (Config(8, 4, build_fresh_queue(8), SHARING), [Allocate("B"), Allocate("A"), Release("B")])
KINDS = (Allocate, Allocate, Append, Append, Append, AppendToken, AppendToken, CanAppend, MayAppend, Release)
ASKED: dict[type[Operation], str] = {
    Allocate: "allocated",
    Append: "appended",
    AppendToken: "token_added",
    CanAppend: "checked",
    MayAppend: "placed",
    Release: "released",
}


@st.composite
def configs(draw: st.DrawFn) -> Config:
    """The task on any pool at any block_size, or three requests that share prefixes."""
    queue, size = draw(QUEUES), draw(st.integers(1, 16))
    return build_task_config(size, queue) if draw(st.booleans()) else Config(len(queue), size, queue, SHARING)


@st.composite
def runs(draw: st.DrawFn) -> tuple[Config, list[Operation]]:
    """A random run, in which many operations are refused."""
    config = draw(configs())
    names = st.sampled_from([request.seq_id for request in config.requests])
    operation = st.builds(lambda kind, name: kind(name), st.sampled_from(KINDS), names)
    return config, draw(st.lists(operation, min_size=1, max_size=30))


def table(snapshot: Snapshot, seq_id: str) -> tuple[int, ...]:
    """block_table of a request; empty if it is not live."""
    view = snapshot.sequence(seq_id)
    return view.block_table if view else ()


def checked(step: Step) -> Snapshot:
    """The state right after can_append has answered."""
    return next(s for e, s in zip(step.events, step.snapshots, strict=True) if isinstance(e, AppendChecked))


def is_true(option: Option, asked: Checkpoint, step: Step) -> bool:
    """Is the option true of this step? Read from snapshots alone."""
    before, after, ids = step.before, step.after, option.ids
    old, new = table(before, asked.seq_id), table(after, asked.seq_id)

    def table_is() -> bool:
        return new == ids

    def joined_tail() -> bool:
        return after.free_block_ids == (*before.free_block_ids, *ids)

    def longer() -> int:
        views = [state.sequence(asked.seq_id) for state in (before, after)]
        return len(views[1].token_ids) - len(views[0].token_ids) if views[0] and views[1] else 0

    def queue_same() -> bool:
        return before.free_block_ids == after.free_block_ids

    def slots_same() -> bool:
        return [block.slots for block in before.blocks] == [block.slots for block in after.blocks]

    def own_slot() -> int:
        view = after.sequence(asked.seq_id)
        return view.slots[-1] if view and not view.waiting else -1

    def of_blocks(block_ids: tuple[int, ...]) -> list[int]:
        size = after.block_size
        return [slot for block in block_ids for slot in range(block * size, (block + 1) * size)]

    def was_waiting() -> bool:
        return asked.seq_id in before.waiting

    readings: dict[str, Callable[[], bool]] = {
        "allocated.table": table_is,
        "allocated.logical_index": table_is,
        "allocated.sorted": table_is,
        "allocated.still_free": table_is,
        "appended.may_took": lambda: table(checked(step), asked.seq_id) == old and new == (*old, *ids) != old,
        "appended.can_took": lambda: len(ids) == 1 and table(checked(step), asked.seq_id) == (*old, *ids),
        "appended.nothing_taken": lambda: new == old and before.free_block_ids == after.free_block_ids,
        "appended.moved": lambda: new[: len(old)] != old,
        "token_added.longer": lambda: longer() == 1 and (new, queue_same(), slots_same()) == (old, True, True),
        "token_added.written": lambda: not slots_same(),
        "token_added.took": lambda: not queue_same(),
        "checked.nothing": lambda: before == after,
        "checked.token_gone": lambda: longer() < 0,
        "checked.claimed": lambda: not queue_same() or new != old,
        "placed.took": lambda: new == (*old, *ids) != old and own_slot() in of_blocks(ids),
        "placed.room": lambda: new == old and was_waiting() and own_slot() in of_blocks(ids),
        "placed.idle": lambda: before == after,
        "released.joined": joined_tail,
        "released.table_order": joined_tail,
        "released.sorted": joined_tail,
        "released.nowhere": lambda: after.free_block_ids == before.free_block_ids,
        "released.to_head": lambda: after.free_block_ids == (*ids, *before.free_block_ids),
        "refused.nothing": lambda: before == after,
        "refused.partly": lambda: before.free_block_ids != after.free_block_ids,
        "refused.lost": lambda: len(new) < len(old),
    }
    return readings[f"{asked.id}.{option.id}"]()


@settings(max_examples=examples(200))
@given(runs())
@example(ONE_BLOCK)
@example(FULL)
@example(KEPT)
def test_exactly_the_answer_is_true(run: tuple[Config, list[Operation]]) -> None:
    """Exactly one option is true, it is the answer, and the question is about the last operation."""
    for step in Timeline.replay(*run).steps:
        asked = build_checkpoint(step)
        assert [o.id for o in asked.options if is_true(o, asked, step)] == [asked.answer], (asked, step.operation)
        assert asked.seq_id == step.operation.seq_id
        assert asked.id == ("refused" if step.refusal else ASKED[type(step.operation)])


@settings(max_examples=examples(200))
@given(runs())
@example(ONE_BLOCK)
@example(FULL)
@example(KEPT)
def test_there_is_something_to_choose(run: tuple[Config, list[Operation]]) -> None:
    """A question with one option would give its answer away."""
    for step in Timeline.replay(*run).steps:
        assert len(build_checkpoint(step).options) >= 2, step.operation


@settings(max_examples=examples(200))
@given(runs())
@example(ONE_BLOCK)
@example(FULL)
@example(KEPT)
def test_the_options_say_different_things(run: tuple[Config, list[Operation]]) -> None:
    """In both languages all options differ, none is incomplete, and none names another request."""
    for step in Timeline.replay(*run).steps:
        asked = build_checkpoint(step)
        assert len({option.id for option in asked.options}) == len(asked.options)
        for language in LANGUAGES:
            lines = [format_checkpoint_option(asked, option, get_translations(language)) for option in asked.options]
            assert len(set(lines)) == len(lines), lines
            for option, line in zip(asked.options, lines, strict=True):
                assert not set(re.findall(r"\b[A-C]\b", line, re.ASCII)) - {asked.seq_id}, line
                assert option.ids or not names_blocks(asked, option, line, get_translations(language)), (
                    f"unfinished: {line}"
                )


def names_blocks(asked: Checkpoint, option: Option, line: str, say: Translations) -> bool:
    """Is this line about blocks? (Then an empty list, [], is complete.)"""
    name = f"task.option.{asked.id}_{option.id}"
    none, some = Ids((), say), Ids((7,), say)
    return line == say.text(name, ids=none) and "7" in say.text(name, ids=some).replace("[7]", "")


def test_the_default_task_asks_what_the_chapter_teaches() -> None:
    """Each right answer of the suggested run, in the learner's words."""
    asked = [build_checkpoint(step) for step in Timeline.replay(build_task_config(), SUGGESTED).steps]
    right = [next(option for option in a.options if option.id == a.answer) for a in asked]
    assert [(a.id, a.answer, o.ids) for a, o in zip(asked, right, strict=True)] == [
        ("allocated", "table", (7, 2, 14)),
        ("allocated", "table", (9,)),
        ("appended", "may_took", (5,)),
        ("released", "joined", (14, 2, 7)),
        ("released", "joined", (5, 9)),
    ]
    lines = [format_checkpoint_option(a, o, get_translations("en")) for a, o in zip(asked, right, strict=True)]
    assert lines[2] == "may_append took block 5 from the head of the queue"
    assert lines[3] == "14, 2, 7 joined the tail, in this order"


def test_the_right_one_is_not_always_in_the_same_place() -> None:
    """Neither in the suggested run nor for one kind of question; but the same step always asks the same."""
    often: list[Operation] = [*SUGGESTED, Append("A"), *SUGGESTED[:3], Append("B"), *SUGGESTED[3:], *SUGGESTED]
    steps = Timeline.replay(build_task_config(), often).steps
    places: dict[str, set[int]] = defaultdict(set)
    for step in steps:
        asked = build_checkpoint(step)
        assert asked == build_checkpoint(step)
        places[asked.id].add([option.id for option in asked.options].index(asked.answer))
    suggested = [build_checkpoint(step) for step in steps[: len(SUGGESTED)]]
    assert len({[o.id for o in asked.options].index(asked.answer) for asked in suggested}) > 1
    assert {kind: len(found) > 1 for kind, found in places.items() if kind != "refused"} == dict.fromkeys(
        ("allocated", "appended", "released"), True
    )


def test_a_refused_append_took_its_token_back() -> None:
    """`nothing` is the answer although the token was appended for a moment: the answer is about the whole step."""
    step = Timeline.replay(build_task_config(4, (0, 1, 2, 3)), [*SUGGESTED[:3]]).steps[2]
    assert step.refusal is not None
    assert isinstance(step.events[0], TokenAppended)
    assert step.snapshots[0] != step.before == step.after
    assert build_checkpoint(step).answer == "nothing"
