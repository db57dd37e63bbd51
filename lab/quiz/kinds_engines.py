"""The question about two engines, queue_after: which end of the free queue do released blocks join?"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from lab.activities.question import Fact
from lab.quiz.draw import Draft, Draw, build_choices, build_ids_option, describe_request
from lab.trace.config import ENGINE_NAMES, Config, Engine
from lab.trace.events import BlockFreed

_ENGINES: tuple[Engine, ...] = get_args(Engine)
_NUM_BLOCKS = 9  # that can be handed out
# The slips behind the queue that another engine would have, by the engine in question.
_CONFUSED: dict[Engine, tuple[tuple[str, Engine], ...]] = {
    "nano_vllm": (("slip_vllm_rule", "vllm"), ("slip_joins_head", "vllm_uncached")),
    "vllm": (("slip_nano_rule", "nano_vllm"), ("slip_cache_off", "vllm_uncached")),
    "vllm_uncached": (("slip_cache_on", "vllm"), ("slip_nano_rule", "nano_vllm")),
}


def draw_queue_after(draw: Draw) -> Draft:
    """What is the free queue after a release, in nano-vLLM, or in vLLM with or without prefix caching?"""
    engine = draw.rng.choice(_ENGINES)
    draw.allocate("A", draw.length(draw.pages((2, 3)), full=draw.chance(0.2)))
    draw.allocate("B", draw.length(draw.pages((1, 2))))
    if draw.level == 2:
        draw.allocate("C", draw.length(2))
        draw.release("B")
    elif draw.level:
        draw.append("A", draw.rng.randint(1, 2))
    draw.release("A")
    config = draw.config(draw.queue(_NUM_BLOCKS))
    step = draw.last(_run_by(config, engine))
    view, answer = step.view("A"), step.after.free_block_ids
    others = [
        (slip, _shift(draw.last(_run_by(config, other)).after.free_block_ids, other, engine))
        for slip, other in _CONFUSED[engine]
    ]
    freed = [event for event in step.events if isinstance(event, BlockFreed)]
    first = tuple(event.block_id for event in reversed(freed) if event.first)
    last = tuple(event.block_id for event in freed if not event.first)
    waiting = step.before.free_block_ids
    right = build_ids_option("queue_after", answer)
    candidates = [
        *others,
        ("slip_table_order", (*first[::-1], *waiting, *last[::-1])),
        ("slip_sorted", tuple(sorted(answer))),
    ]
    options, wrong = build_choices(right, [(idea, build_ids_option("queue_after", ids)) for idea, ids in candidates])
    facts: dict[str, Fact] = describe_request(view) | {
        "case": engine,
        "queue": waiting,
        "after": answer,
        "reversed": view.block_table[::-1],
        "first": first,
        "tail": last,
    }
    numbers: dict[str, Fact] = {"seq_id": "A", "engine": ENGINE_NAMES[engine]}
    return Draft("choice", _run_by(config, engine), right.id, wrong, numbers, facts, options)


def _run_by(config: Config, engine: Engine) -> Config:
    """The scenario on that engine, with as many blocks to hand out: vLLM's null block comes on top, ids from 1."""
    ids, own = config.free_block_ids, _shift(config.free_block_ids, "nano_vllm", engine)
    return replace(config, num_blocks=len(ids) + min(own), free_block_ids=own, engine=engine)


def _shift(ids: tuple[int, ...], engine: Engine, to: Engine) -> tuple[int, ...]:
    """The ids of one engine's blocks as the other's."""
    by = (to != "nano_vllm") - (engine != "nano_vllm")
    return tuple(block_id + by for block_id in ids)
