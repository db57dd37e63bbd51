"""The same question with other numbers: the numbers really differ, and the engine answers."""

from __future__ import annotations

from functools import cache

import pytest

from lab.activities.question import QUESTIONS, observe_outcomes
from lab.activities.retry import OPERATIONS, Retry, build_retry, build_retry_config
from lab.activities.trace_points import iterate_trace_points
from lab.trace.events import BlockShared, Refused
from lab.trace.operations import encode_operation
from lab.trace.presets import A_PROMPT, B_PROMPT, USED_QUEUE, build_task_config
from lab.trace.timeline import Step, Timeline
from tests.activities.test_question import read_independently
from tests.sample import sampled

NAMES = [question.id for question in QUESTIONS]
TASK = {
    n: o.value
    for n, o in observe_outcomes(
        list(iterate_trace_points(Timeline.replay(build_task_config(), OPERATIONS).steps))
    ).items()
}
TRIES = range(20)
every_question = pytest.mark.parametrize("name", sampled(NAMES, NAMES[:2]))


@cache
def retry(name: str, tries: int = 0, answered: int = -1) -> Retry:
    return build_retry(name, answered, tries)


def scene(again: Retry) -> tuple[object, ...]:
    """What the page shows before it asks."""
    return again.block_size, again.free_block_ids, again.a_tokens, again.b_tokens


def replay(again: Retry) -> list[Step]:
    """A fresh run of the operations, queue and lengths that the scene mentions."""
    turn = USED_QUEUE.index(again.free_block_ids[0])
    config = build_retry_config(again.block_size, again.a_tokens, again.b_tokens, turn)
    assert config.free_block_ids == again.free_block_ids
    return Timeline.replay(config, OPERATIONS).steps


@every_question
def test_the_numbers_are_not_the_task_s(name: str) -> None:
    """Another block_size, other lengths and another queue of the same pool, at every try."""
    task, queue = build_task_config(), []
    for tries in TRIES:
        again = retry(name, tries, TASK[name])
        assert again.question == name
        assert again.block_size != task.block_size
        assert again.a_tokens != len(A_PROMPT)
        assert again.b_tokens != len(B_PROMPT) or again.block_size > again.b_tokens  # then B may have room
        assert sorted(again.free_block_ids) == sorted(USED_QUEUE)
        queue.append(again.free_block_ids)
    assert [tries for tries in TRIES if queue[tries] == USED_QUEUE] == []


@every_question
def test_two_tries_one_after_the_other_differ(name: str) -> None:
    """The numbers of successive tries differ."""
    assert [tries for tries in TRIES if scene(retry(name, tries)) == scene(retry(name, tries + 1))] == []


@every_question
def test_the_outcome_is_that_of_a_fresh_run_read_another_way(name: str) -> None:
    """Nothing is refused and nothing is shared; the trace points are those of the run."""
    for tries in range(5):
        again = retry(name, tries)
        steps = replay(again)
        assert again.outcome.value == read_independently(steps)[name]
        assert again.seen == tuple(iterate_trace_points(steps))
        assert not [m for m in again.seen if isinstance(m.event, Refused | BlockShared)]
        assert [step.refusal for step in steps] == [None] * len(OPERATIONS)
        assert [encode_operation(step.operation) for step in steps] == ["aA", "aB", "tB", "rA", "rB"]


def test_the_requests_share_no_token() -> None:
    """So no prefix could be found in the cache; the lengths are those in the scene."""
    for tries in range(5):
        again = retry("blocks", tries)
        config = build_retry_config(again.block_size, again.a_tokens, again.b_tokens, 1)
        a, b = (set(request.prompt) | set(request.continuation) for request in config.requests)
        assert a.isdisjoint(b)
        views = [again.view(seq_id) for seq_id in "ABC"]
        assert [view.num_tokens if view else 0 for view in views] == [again.a_tokens, again.b_tokens + 1, 0]


@every_question
def test_of_two_runs_it_is_the_one_with_another_answer(name: str) -> None:
    """The first of the two if both or neither has another answer; for most questions one always has."""
    for tries in TRIES:
        first, second = retry(name, tries), retry(name, tries + 1)
        one, two = first.outcome.value, second.outcome.value
        for answered in {-1, one, two}:
            wanted = second if one == answered != two else first
            assert scene(retry(name, tries, answered)) == scene(wanted)
            assert retry(name, tries, answered).outcome == wanted.outcome
    if name in {"blocks", "empty_slots", "last_to_join"}:
        assert [tries for tries in TRIES if retry(name, tries, TASK[name]).outcome.value == TASK[name]] == []


def test_both_answers_of_new_page_are_met_and_ids_are_never_consecutive_by_luck() -> None:
    """Otherwise the run would give a wrong answer to `must they be?`."""
    assert {retry("new_page", tries).outcome.value for tries in TRIES} == {0, 1}
    assert {retry("consecutive", tries, 0).outcome.value for tries in TRIES} == {0}


@every_question
def test_the_same_try_asks_the_same(name: str) -> None:
    """A reload must show the numbers that were answered."""
    for tries in range(3):
        again = build_retry(name, TASK[name], tries)
        assert again == build_retry(name, TASK[name], tries)
