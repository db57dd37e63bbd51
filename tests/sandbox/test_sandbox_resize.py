"""The same operations at another block_size: the reported differences are those of the two runs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.errors import InvalidSizeError, LabError, LimitError
from lab.sandbox.queue import Queue
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.config import MAX_TOKENS
from lab.trace.operations import parse_operation
from lab.trace.timeline import Timeline
from tests.sample import examples
from tests.sandbox.resize_cases import Resized, resize
from tests.sandbox.sandbox_cases import scenarios


def resized(
    requests: tuple[RequestSpec, ...], log: str, to: int, pool: tuple[int, int, Queue] = (8, 4, "used")
) -> Resized:
    """A scenario with these requests and operations, replayed at another size."""
    return resize(Scenario(*pool, requests, tuple(map(parse_operation, log.split()))), to)


def differences(found: Resized) -> dict[int, tuple[str, ...]]:
    """Step -> its differences."""
    return {each.step: each.what for each in found.changed}


def test_the_number_of_blocks_and_the_queue_stay() -> None:
    """So the number of slots changes with the size."""
    found = resized((RequestSpec("A", 11),), "aA", 8)
    before, after = found.before.snapshot(1), found.after.snapshot(1)
    assert (before.num_blocks, after.num_blocks) == (8, 8)
    assert (before.block_size, after.block_size) == (4, 8)
    assert found.before.start.free_block_ids == found.after.start.free_block_ids
    assert found.scenario.block_size == 8


def test_the_same_size_changes_nothing() -> None:
    """No difference is reported."""
    assert differences(resized((RequestSpec("A", 11), RequestSpec("B", 4)), "aA aB tB rA rA rB", 4)) == {}


def test_other_ids_are_taken_and_returned() -> None:
    """The chapter's question: eleven tokens at block_size 8 instead of 4."""
    found = resized((RequestSpec("A", 11), RequestSpec("B", 4)), "aA aB tB rA", 8)
    assert differences(found) == {0: ("taken",), 1: ("taken",), 2: ("taken",), 3: ("returned",)}
    first = found.changed[0]
    assert (first.before.taken, first.after.taken) == ((7, 2, 5), (7, 2))
    assert found.changed[2].after.taken == ()
    assert found.changed[3].after.returned == (2, 7)


def test_what_was_refused_may_be_accepted_and_the_other_way_round() -> None:
    """Larger pages hold more in the same number of blocks, smaller pages less."""
    requests = (RequestSpec("A", 8), RequestSpec("B", 8))
    larger = resized(requests, "aA aB", 8, (3, 4, "fresh"))
    assert differences(larger) == {0: ("taken",), 1: ("accepted", "taken")}
    assert larger.changed[1].before.refused == "no_free_blocks"
    smaller = resized(requests, "aA aB tA", 4, (3, 8, "fresh"))
    assert differences(smaller)[1] == ("refused", "taken")
    assert 2 not in differences(smaller)  # at eight, A's ninth token takes the last block, and at four too


def test_another_reason_counts_as_a_difference() -> None:
    """Refused both times, for different reasons."""
    found = resized((RequestSpec("A", 8), RequestSpec("B", 8)), "aA aB aB", 4, (3, 8, "fresh"))
    assert differences(found)[2] == ("reason",)
    last = found.changed[-1]
    assert (last.before.refused, last.after.refused) == ("already_allocated", "no_free_blocks")


def test_an_answer_of_can_append_is_compared() -> None:
    """can_append changes nothing, but it has an answer."""
    found = resized((RequestSpec("A", 8), RequestSpec("B", 8)), "aA aB kA cA", 8, (4, 4, "fresh"))
    assert differences(found)[3] == ("answer",)
    assert (found.changed[-1].before.answer, found.changed[-1].after.answer) == (False, True)


def test_a_shared_prefix_may_be_shared_no_more() -> None:
    """Six equal tokens fill a page of four but not a page of eight."""
    found = resized((RequestSpec("A", 9), RequestSpec("B", 4, "A", 6)), "aA aB", 8)
    assert differences(found)[1] == ("taken", "shared")
    assert (found.changed[1].before.shared, found.changed[1].after.shared) == ((7,), ())


def test_a_limit_that_only_the_other_size_meets_stops_the_replay() -> None:
    """At four the tokens are refused without free blocks; at sixteen they fit until the request is too long."""
    found = resized((RequestSpec("A", 127),), "aA tA tA tA rA", 16, (8, 4, "fresh"))
    assert isinstance(found.stopped, LimitError)
    assert found.stopped.numbers["value"] == MAX_TOKENS + 1
    assert (found.compared, len(found.before.steps)) == (2, 5)
    assert max(differences(found)) < found.compared


def test_a_size_that_cannot_be_is_refused() -> None:
    """As everywhere."""
    with pytest.raises(InvalidSizeError):
        resized((RequestSpec("A", 1),), "aA", 0)
    with pytest.raises(LimitError):
        resized((RequestSpec("A", 1),), "aA", 17)


@settings(max_examples=examples(40))
@given(scenarios(8), st.integers(1, 16))
def test_steps_not_told_ended_the_same(scenario: Scenario, block_size: int) -> None:
    """Computed independently: refusals, and the queue's losses and gains, of every step of two runs."""
    found = resize(scenario, block_size)
    runs = []
    for size in (scenario.block_size, block_size):
        other = Scenario(scenario.num_blocks, size, scenario.queue, scenario.requests)
        run = Timeline(other.config)
        for operation in scenario.operations:
            try:
                run.apply(operation)
            except LabError:
                break
        runs.append(run.steps)
    for old, new in zip(*runs, strict=False):
        lost = [set(s.before.free_block_ids) - set(s.after.free_block_ids) for s in (old, new)]
        gained = [[b for b in s.after.free_block_ids if b not in s.before.free_block_ids] for s in (old, new)]
        differs = bool(old.refusal) != bool(new.refusal) or lost[0] != lost[1] or gained[0] != gained[1]
        assert not differs or old.index in differences(found)
