"""The key of the quiz, proved: the check changes nothing, the act takes the head of the queue, nothing moves."""

from __future__ import annotations

import random
import re
from functools import cache

import pytest

from lab.engine.block_manager import BlockManager
from lab.engine.errors import NoFreeBlocksError
from lab.engine.sequence import Sequence
from lab.trace.events import AppendChecked, BlockTaken, KVWritten
from lab.trace.operations import Append, parse_operation
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline
from lessons.task.chapter_question import OPTIONS, RIGHT, FifthToken
from lessons.text.translations import Language, get_translations
from tests.sample import every_language

QUEUES = [USED_QUEUE, build_fresh_queue(), *(tuple(random.Random(seed).sample(range(16), 16)) for seed in range(6))]
ORDERS = ["aA aB tB rA rB", "aB tB aA tA rB tA", "aA rA aB tB tB tB tB tB", "aB aA tB rB aB tB"]
CASES = [(size, queue, order) for size in (1, 2, 4, 8) for queue in QUEUES for order in ORDERS]
DEFAULT = "aA aB tB"


def replay(order: str, size: int = 4, queue: tuple[int, ...] = USED_QUEUE) -> list[Step]:
    return Timeline.replay(build_task_config(size, queue), [parse_operation(text) for text in order.split()]).steps


@cache
def appends() -> list[Step]:
    """Every append that succeeded, in every case."""
    steps = [step for size, queue, order in CASES for step in replay(order, size, queue)]
    return [step for step in steps if isinstance(step.operation, Append) and step.refusal is None]


@cache
def crossing() -> list[Step]:
    """Those for which a block was taken."""
    return [step for step in appends() if any(isinstance(event, BlockTaken) for event in step.events)]


def around(step: Step, kind: type) -> tuple[Snapshot, Snapshot]:
    """The states before and after the event of this kind."""
    at = next(i for i, event in enumerate(step.events) if isinstance(event, kind))
    return step.snapshots[at - 1], step.snapshots[at]


def test_the_check_changes_nothing() -> None:
    """Against `reserve`: pool, queue, tables and ref_counts are the same before and after can_append."""
    assert len(appends()) > len(crossing()) > 50
    for step in appends():
        before, after = around(step, AppendChecked)
        assert before == after


def test_a_check_reserves_nothing() -> None:
    """Against `reserve`: can_append returns True to two requests for the same block, and one of them is refused."""
    manager = BlockManager(3, 4)
    one, two = Sequence("A", range(4), 4), Sequence("B", range(10, 14), 4)
    for seq in (one, two):
        manager.allocate(seq)
        seq.append_token(99)
    assert manager.can_append(one)
    assert manager.can_append(two)
    assert manager.may_append(two) == 2
    with pytest.raises(NoFreeBlocksError):
        manager.may_append(one)


def test_the_act_takes_the_head_of_the_queue_wherever_it_lies() -> None:
    """Against `neighbour`: it takes the head, which is seldom the id after the last one, and then only by chance."""
    steps = []
    for step in crossing():
        before, after = around(step, BlockTaken)
        event = next(event for event in step.events if isinstance(event, BlockTaken))
        assert event.block_id == before.free_block_ids[0]
        assert after.free_block_ids == before.free_block_ids[1:]
        view = after.sequence(event.seq_id)
        assert view is not None
        assert view.block_table[-1] == event.block_id
        steps.append(view.block_table[-1] - view.block_table[-2])
    assert {1, -1} < set(steps)
    assert sum(step != 1 for step in steps) > len(steps) / 2


def test_nothing_moves() -> None:
    """Against `move`: all blocks have one size, the table only grows, and one slot is written."""
    for step in appends():
        seq_id = step.operation.seq_id
        assert {len(block.slots) for block in step.after.blocks} == {step.after.block_size}
        old, new = step.before.sequence(seq_id), step.after.sequence(seq_id)
        assert old is not None
        assert new is not None
        assert new.block_table[: len(old.block_table)] == old.block_table
        assert new.slots[:-1] == old.slots
        size = step.after.block_size
        changed = [
            block * size + i
            for block in range(step.after.num_blocks)
            for i in range(size)
            if step.before.blocks[block].slots[i] != step.after.blocks[block].slots[i]
        ]
        written = next(event for event in step.events if isinstance(event, KVWritten))
        assert changed == list(written.slots) == [new.slots[-1]]


def test_where_the_answer_is_false_nothing_is_left_half_done() -> None:
    """For `decide`: the pool after the refusal equals the pool before."""
    step = replay("aA aB tB", queue=(3, 0, 2, 1))[-1]
    checked = next(event for event in step.events if isinstance(event, AppendChecked))
    assert (checked.answer, checked.needs, checked.free) == (False, 1, 0)
    assert step.refusal is not None
    assert step.before == step.after
    assert not [event for event in step.events if isinstance(event, BlockTaken)]


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("order", ["aA aB tB", "aB tB aA", "aA rA aB tB", "tB aB aA aA tB"])
def test_the_numbers_are_the_run_s(queue: tuple[int, ...], order: str) -> None:
    """Computed again from the snapshots around the step."""
    steps = replay(order, queue=queue)
    fifth = FifthToken.from_steps(steps)
    assert fifth is not None
    step = next(step for step in steps if step.operation == Append("B") and not step.refusal)
    old, new = step.before.sequence("B"), step.after.sequence("B")
    assert old is not None
    assert new is not None
    (block,) = set(step.before.free_block_ids) - set(step.after.free_block_ids)
    assert fifth.numbers() == {
        "block_size": 4,
        "len_before": 4,
        "len_after": 5,
        "b_tokens": new.num_tokens,
        "page_slots": 4,
        "needs": len(step.before.free_block_ids) - len(step.after.free_block_ids),
        "free": len(step.before.free_block_ids),
        "block": block,
        "slot": str(block * 4),
        "before": ", ".join(map(str, old.block_table)),
        "after": f"{', '.join(map(str, old.block_table))}, {block}",
    }


@every_language
def test_what_is_told_about_the_options_is_true_of_the_default_run(language: Language) -> None:
    """Each feedback has its numbers: 12 blocks free, 1 needed, block 5, table [9] then [9, 5], slot 20."""
    fifth = FifthToken.from_steps(replay(DEFAULT))
    assert fifth is not None
    say, numbers = get_translations(language), fifth.numbers()
    expected = {"decide": {1, 12, 5}, "reserve": {12, 9, 5}, "neighbour": {9, 5}, "move": {0, 9, 20}}
    assert set(expected) == set(OPTIONS)
    for option, facts in expected.items():
        assert set(map(int, re.findall(r"\d+", say.text(f"explain.quiz_why.{option}", **numbers)))) == facts
    assert {4, 5} == set(map(int, re.findall(r"\d+", say.text("explain.quiz_ask", **numbers))))
    model = set(map(int, re.findall(r"\d+", say.text("explain.model", **numbers))))
    assert model == {4, 5, 12, 1, 9}
    texts = [say.text(f"explain.quiz.{option}") for option in OPTIONS]
    assert len(set(texts)) == len(OPTIONS) == 4
    assert RIGHT in OPTIONS[1:-1]


NONE = ["", "aA aB", "tB", "aA tA tA", "tB aA rA tB", "aB rB tB"]


@pytest.mark.parametrize("order", NONE)
def test_without_such_a_token_there_is_no_quiz(order: str) -> None:
    """Nothing appended, only refused, or appended to another request."""
    assert FifthToken.from_steps(replay(order)) is None


def test_an_append_with_room_is_passed_over() -> None:
    """At block_size 8 the ninth token crosses a boundary, and the quiz uses that one."""
    assert FifthToken.from_steps(replay("aA aB tB", size=8)) is None
    fifth = FifthToken.from_steps(replay("aA aB tB tB tB tB tB", size=8))
    assert fifth is not None
    assert (fifth.block_size, fifth.appended.len_before, fifth.appended.len_after) == (8, 8, 9)


def test_the_first_one_counts_and_a_refused_one_does_not() -> None:
    """Refused without a table, refused without a block, then accepted: the quiz uses that one, not the next."""
    steps = replay("tB aA aB tB tB rA tB tB tB tB tB", queue=(3, 0, 2, 1))
    refused = [step.refusal is not None for step in steps]
    assert refused[:7] == [True, False, False, True, True, False, False]
    fifth = FifthToken.from_steps(steps)
    assert fifth is not None
    assert (fifth.appended.len_after, fifth.before, len(fifth.after)) == (5, (1,), 2)
    assert all(FifthToken.from_steps(steps[:n]) is None for n in range(7))
    first, later = (FifthToken.from_steps(replay(order)) for order in (DEFAULT, f"{DEFAULT} tB tB tB tB"))
    assert first == later
