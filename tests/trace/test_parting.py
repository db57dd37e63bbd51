"""Where nano-vLLM and vLLM part under one history, by which rule, and with which ids."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.trace.config import Config, Engine, Request
from lab.trace.operations import Operation, Release, parse_operation
from lab.trace.parting import Parting, Rule, find_parting, match_blocks
from lab.trace.presets import build_fresh_queue, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import get_default_model
from tests.sample import examples
from tests.trace.event_replay import histories

MODEL = get_default_model()
VLLM: tuple[Engine, ...] = ("vllm", "vllm_uncached")


def run_both(config: Config, log: str, engine: Engine) -> tuple[Timeline, Timeline]:
    """nano-vLLM's run and the other engine's."""
    operations = [parse_operation(text) for text in log.split()]
    return Timeline.replay(config, operations, MODEL), Timeline.replay(config.run_by(engine), operations, MODEL)


@pytest.mark.parametrize(
    ("engine", "queue", "table"),
    [
        ("nano_vllm", (*range(5, 16), 2, 1, 0, 4, 3), (5, 6, 7)),
        ("vllm", (5, 3, *range(6, 16), 2, 1, 4), (5, 3, 6)),
        ("vllm_uncached", (5, 4, 3, 2, 1, *range(6, 16)), (5, 4, 3)),
    ],
)
def test_the_chapter_s_history_in_a_fresh_pool_of_16(
    engine: Engine, queue: tuple[int, ...], table: tuple[int, ...]
) -> None:
    """The free queue after both releases, and the blocks for nine new tokens."""
    config = build_task_config(4, build_fresh_queue())
    config = replace(config, requests=(*config.requests, Request("C", tuple(range(100, 109)), (1,))))
    timeline = run_both(config, "aA aB tB rA rB aC", engine)[1]
    assert timeline.snapshot(5).free_block_ids == queue
    held = timeline.snapshot(6).sequence("C")
    assert held is not None
    assert held.block_table == table


A, B = Request("A", (1, 2, 3, 4, 5), (9,)), Request("B", (11, 12), (9,))
SAME, LONGER = Request("B", (1, 2, 3, 4), (9,)), Request("C", (1, 2, 3, 4, 7), (9,))
EXACT = Request("A", (1, 2, 3, 4), (9,))


@pytest.mark.parametrize(
    ("requests", "blocks", "log", "engine", "expected"),
    [
        ((A, B), 6, "aA aB rB rA", "vllm", Parting(3, "to_the_head", (2, 1, 0), (3,))),
        ((A, B), 6, "aA aB rB rA", "vllm_uncached", Parting(2, "all_to_the_head", (3,), (4,))),
        ((EXACT, SAME, LONGER), 8, "aA aB aC", "vllm", Parting(2, "first_holder", (0, 2), (1, 2))),
        ((EXACT, SAME), 8, "aA aB", "vllm_uncached", Parting(1, "nothing_found", (0,), (3, 4))),
        ((A, B), 4, "aA aB", "vllm", Parting(1, "null_block", (3,), (0,))),
        ((A, Request("B", (1, 2, 3, 6), (9,))), 4, "aA aB", "vllm", Parting(1, "null_block", (3,), (0,))),
        ((EXACT, B), 4, "aA aB tA tB", "vllm", Parting(2, "null_block", (3,), (0,))),
        ((EXACT, B), 4, "aA aB kA cA", "vllm", Parting(3, "null_block", (3,), (0,))),
        ((EXACT, B), 6, "aA aB tA tA cB rB", "vllm", None),
        ((EXACT, B), 6, "", "vllm", None),
    ],
)
def test_the_rule_that_parts_them(
    requests: tuple[Request, ...], blocks: int, log: str, engine: Engine, expected: Parting | None
) -> None:
    """Each rule, with the ids that each engine gave."""
    config = Config(blocks, 2, build_fresh_queue(blocks), requests)
    assert find_parting(*run_both(config, log, engine)) == expected


def outcome(before: Snapshot, after: Snapshot, names: dict[int, int]) -> object:
    """What a step left, in terms of places in the first free queue, written independently of lab.trace.parting."""
    tables = {view.seq_id: [names.get(i, -1) for i in view.block_table] for view in after.sequences}
    queue = [names[i] for i in after.free_block_ids if i in names]
    return before == after, tables, [view.num_cached_tokens for view in after.sequences], queue


RULES_OF: dict[Engine, set[Rule]] = {
    "vllm": {"null_block", "to_the_head", "first_holder"},
    "vllm_uncached": {"null_block", "all_to_the_head", "nothing_found"},
}


@settings(max_examples=examples(50))
@given(histories(), st.sampled_from(VLLM))
def test_any_history_parts_by_a_rule_that_holds_there(history: tuple[Config, list[Operation]], engine: Engine) -> None:
    """Up to the parting both left the same at every step, and the rule's precondition is true of the states."""
    config, operations = history
    if config.num_blocks < 2:
        return
    ours, theirs = Timeline.replay(config, operations, MODEL), Timeline.replay(config.run_by(engine), operations, MODEL)
    parting, twins = find_parting(ours, theirs), match_blocks(ours.start, theirs.start)
    assert len(twins) == config.num_blocks - 1
    mine, other = {i: i for i in twins.values()}, twins
    until = len(operations) if parting is None else parting.step
    for step, there in list(zip(ours.steps, theirs.steps, strict=True))[:until]:
        assert outcome(step.before, step.after, mine) == outcome(there.before, there.after, other)
    if parting is None:
        return
    step, there = ours.steps[parting.step], theirs.steps[parting.step]
    assert parting.rule in RULES_OF[engine]
    if parting.rule in ("to_the_head", "all_to_the_head"):
        assert isinstance(step.operation, Release)
        assert there.after.free_block_ids[: len(parting.theirs)] == parting.theirs
        assert step.after.free_block_ids[-len(parting.ours) :] == parting.ours
        assert not any(there.after.blocks[i].findable for i in parting.theirs)
    elif parting.rule == "null_block":
        (extra,) = parting.ours
        assert (extra in step.before.free_block_ids, parting.theirs) == (True, (0,))
    elif parting.rule == "first_holder":
        hashes = [block.hash for block in step.before.blocks if block.findable]
        assert len(set(hashes)) < len(hashes)
    else:
        assert parting.ours
        assert {step.before.blocks[i].findable for i in parting.ours} == {True}


def test_every_rule_is_known() -> None:
    """The rules of both kinds of vLLM are all that there are."""
    assert set().union(*RULES_OF.values()) == set(get_args(Rule))
