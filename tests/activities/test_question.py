"""The outcomes come from the run: at their moment, not earlier, and from the engine as it is."""

from __future__ import annotations

import pytest

from lab.activities.attempt import Cursor
from lab.activities.counterexample import run_counterexample
from lab.activities.question import QUESTIONS, observe_outcomes
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.trace.events import AppendChecked, BlockTaken, Event, KVWritten, PageHasRoom, RequestEnded
from lab.trace.operations import Operation, parse_operation
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline
from lessons.state import runs

SUGGESTED = "aA aB tB rA rB"
ORDERS = [SUGGESTED, "aA aB tA tB rA rB", "aA rA aB tB rB", "aB tB aA rB rA", "aB tB rB aA rA", "aB aA rA tB rB"]
REFUSED_BETWEEN = "tB rA aA aA aB tB aB tA rA rA rB tB rB"


def operations(text: str) -> list[Operation]:
    """`aA tB` as operations."""
    return [parse_operation(part) for part in text.split()]


def replay(text: str, block_size: int = 4, queue: tuple[int, ...] = USED_QUEUE) -> list[Step]:
    """The steps of these operations on the task."""
    return Timeline.replay(build_task_config(block_size, queue), operations(text)).steps


def values(steps: list[Step]) -> dict[str, int]:
    """Question -> the run's value."""
    return {name: outcome.value for name, outcome in observe_outcomes(list(iterate_trace_points(steps))).items()}


def first(steps: list[Step], text: str) -> Step:
    """The first step of this operation that was not refused."""
    return next(s for s in steps if s.operation == parse_operation(text) and not s.refusal)


def read_independently(steps: list[Step]) -> dict[str, int]:
    """The six quantities from the snapshots between operations and the tensor alone: no events, no totals of views."""
    arrived, appended, released = first(steps, "aA"), first(steps, "tB"), first(steps, "rA")
    table = table_of(arrived.after, "A")
    last = arrived.after.blocks[table[-1]].slots
    before, after = table_of(appended.before, "B"), table_of(appended.after, "B")
    return {
        "blocks": len(arrived.before.free_block_ids) - len(arrived.after.free_block_ids),
        "empty_slots": last.count(None),  # on an unused pool
        "new_page": len(after) - len(before),
        "consecutive": int(list(table) == list(range(table[0], table[0] + len(table)))),
        "table_after_check": len(before),
        "last_to_join": released.after.free_block_ids[-1],
    }


def table_of(snapshot: Snapshot, seq_id: str) -> tuple[int, ...]:
    """block_table of a request that must be live."""
    view = snapshot.sequence(seq_id)
    assert view is not None
    return view.block_table


def test_the_default_task() -> None:
    """The chapter's numbers, which no page may contain; and the ids and steps that showed them."""
    found = observe_outcomes(list(iterate_trace_points(replay(SUGGESTED))))
    assert found == {
        "blocks": Outcome(3, 0, (7, 2, 14)),
        "empty_slots": Outcome(1, 0),
        "consecutive": Outcome(0, 0, (7, 2, 14)),
        "table_after_check": Outcome(1, 2, (9,)),
        "new_page": Outcome(1, 2, (5,)),
        "last_to_join": Outcome(7, 3),
    }
    assert list(found) == [question.id for question in QUESTIONS]


def test_a_fresh_pool_looks_contiguous_and_the_counterexample_answers() -> None:
    """By luck 0, 1, 2: from this run alone the ids would look consecutive."""
    found = observe_outcomes(list(iterate_trace_points(replay(SUGGESTED, queue=build_fresh_queue()))))
    assert found["consecutive"] == Outcome(1, 0, (0, 1, 2))
    expected = {"blocks": 3, "empty_slots": 1, "new_page": 1, "table_after_check": 1, "last_to_join": 0}
    assert {name: found[name].value for name in expected} == expected
    assert run_counterexample() == Outcome(0, 0, (7, 2, 14))


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_is_read_as_it_ran(order: str) -> None:
    """A request's blocks depend on the operations before; the outcomes are those of this run."""
    steps = replay(order)
    assert values(steps) == read_independently(steps)


def test_refused_operations_answer_nothing() -> None:
    """With refusals in between, the outcomes are those of the default task, each from a step that was not refused."""
    steps = replay(REFUSED_BETWEEN)
    assert sum(step.refusal is not None for step in steps) == 7
    found = observe_outcomes(list(iterate_trace_points(steps)))
    expected = {"blocks": 3, "empty_slots": 1, "new_page": 1, "consecutive": 0, "table_after_check": 1}
    assert {name: found[name].value for name in expected} == expected
    assert found["last_to_join"].value == 7
    assert all(steps[outcome.step].refusal is None for outcome in found.values())
    assert observe_outcomes(list(iterate_trace_points(replay("tB rA rB tA")))) == {}


def test_an_append_without_a_free_block_says_nothing_yet() -> None:
    """can_append returned False and nothing was taken: the questions wait for the append that succeeds."""
    steps = replay("aA aB tB rA tB", queue=(3, 0, 2, 1))
    assert steps[2].refusal is not None
    assert set(values(steps[:3])) == {"blocks", "empty_slots", "consecutive"}
    found = observe_outcomes(list(iterate_trace_points(steps)))
    assert (found["new_page"], found["table_after_check"]) == (Outcome(1, 4, (2,)), Outcome(1, 4, (1,)))


MOMENTS: dict[str, tuple[str, type[Event]]] = {
    "blocks": ("aA", KVWritten),
    "empty_slots": ("aA", KVWritten),
    "consecutive": ("aA", KVWritten),
    "table_after_check": ("tB", AppendChecked),
    "new_page": ("tB", BlockTaken),
    "last_to_join": ("rA", RequestEnded),
}


@pytest.mark.parametrize("order", [*ORDERS, REFUSED_BETWEEN, SUGGESTED + " aA aB tB tB rA"])
def test_walking_event_by_event_each_outcome_appears_at_its_moment(order: str) -> None:
    """Not one event earlier, and later it stays."""
    timeline, shown = Timeline.replay(build_task_config(), operations(order)), dict[str, Outcome]()
    steps, appeared = timeline.steps, dict[str, tuple[Operation, type[Event], bool]]()
    for n in range(1, len(steps) + 1):
        for events in range(1, len(steps[n - 1].events) + 1):
            now = observe_outcomes(list(iterate_trace_points(runs.get_seen_steps(timeline, Cursor(n, events)))))
            assert {name: now[name] for name in shown} == shown
            for name in now.keys() - shown.keys():
                step = steps[n - 1]
                appeared[name] = (step.operation, type(step.events[events - 1]), step.refusal is not None)
            shown = now
    assert appeared == {name: (parse_operation(op), event, False) for name, (op, event) in MOMENTS.items()}


QUEUES = [USED_QUEUE, build_fresh_queue(), tuple(reversed(range(20))), (*range(0, 20, 2), *range(1, 20, 2))]


@pytest.mark.parametrize("queue", QUEUES)
@pytest.mark.parametrize("block_size", range(1, 17))
def test_every_block_size_agrees_with_the_snapshots(block_size: int, queue: tuple[int, ...]) -> None:
    """Block sizes 1..16, on pools that are large enough for both requests."""
    steps = replay(SUGGESTED, block_size, queue)
    assert values(steps) == read_independently(steps)
    asked = next(
        m for m in iterate_trace_points(steps) if isinstance(m.event, BlockTaken | PageHasRoom) and m.step == 2
    )
    assert isinstance(asked.event, BlockTaken) is (4 % block_size == 0)


def test_the_outcomes_follow_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that takes blocks from the tail gives other ids, so no answer is hard-coded."""
    honest = values(replay(SUGGESTED))
    take = BlockManager._take_block

    def take_from_tail(self: BlockManager, seq: Sequence) -> int:
        self.free_block_ids.move_to_end(next(reversed(self.free_block_ids)), last=False)
        return take(self, seq)

    monkeypatch.setattr(BlockManager, "_take_block", take_from_tail)
    found = observe_outcomes(list(iterate_trace_points(replay(SUGGESTED))))
    assert found["blocks"].ids == (13, 10, 4)
    assert found["last_to_join"].value == 13 != honest["last_to_join"]
    assert values(replay(SUGGESTED, queue=tuple(reversed(range(16)))))["consecutive"] == 1


def test_they_follow_an_engine_that_takes_a_block_while_checking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The most common wrong idea, run: after the check B's table holds two ids."""

    def can_append(self: BlockManager, seq: Sequence) -> bool:
        if self.blocks_to_append(seq):
            self._take_block(seq)
        return True

    monkeypatch.setattr(BlockManager, "can_append", can_append)
    assert values(replay(SUGGESTED))["table_after_check"] == 2


def test_they_follow_an_engine_that_frees_in_table_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the first page is released first, A's last block joins last."""
    release = BlockManager.deallocate

    def deallocate(self: BlockManager, seq: Sequence) -> None:
        seq.block_table.reverse()
        release(self, seq)

    monkeypatch.setattr(BlockManager, "deallocate", deallocate)
    assert values(replay(SUGGESTED))["last_to_join"] == 14
