"""The engine's speed in CPU time, beside nano-vLLM's own manager, and how it grows with the pool.

`python -m tests.benchmarks.engine [--rounds N] [--beside PATH]` prints medians of 5 rounds, or of N. block_size is 16.

What is inside the timed part, for each request: Sequence(tokens), can_allocate, allocate, hash_blocks (which the
scheduler calls after the prefill), deallocate. So what nano-vLLM does for a request is all there: the tokens are
copied and hashed, the prefix is looked up, the full pages are made findable. The lists of tokens, which come from the
tokenizer, are made before; there is no tensor. In particular:

- *pairs*: different requests of 1 to 2,000 tokens, one after the other, 4,096 blocks.
- *appends*: append_token, can_append, may_append, hash_blocks, in turn for 256 live requests. Their prompts are not
  in the timed part.
- *cold*: 500 requests, 512 tokens in common and 16 of their own. The first is new, the others share its blocks: all
  are alive before the first is released. 4,096 blocks.
- *revived*: the same 500 again, each released before the next comes, so that each finds the 32 blocks of its prefix
  among the free ones.

In every pool each block has held some other page before, so that whoever takes it forgets a hash. For the growth the
requests are few and short enough for 64 blocks, and the same for every pool. All tokens are cut from one text, so that
the memory which grows with the pool is the manager's own. The garbage collector rests meanwhile, as it does in timeit.

With `--beside PATH`, a checkout of nano-vLLM, its own manager does the same work in the same run, the two taking turns;
of the checkout only nanovllm/engine/block_manager.py and sequence.py are read. Without it only our figures are printed.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from types import ModuleType
from typing import Any

from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence

Tokens = list[int]

BLOCK_SIZE = 16
TEXT = [random.Random(number).randrange(150_000) for number in range(20_000)]
PREFIX, OWN = 512, 16
POOLS = (64, 512, 4_096, 65_536)
GROWTH = 1.5  # at most this many times the smallest pool's seconds
ASKED = {"pairs": 1.5, "appends": 1.0, "cold": 2.0, "revived": 10.0}  # times nano-vLLM's speed


@dataclass(frozen=True)
class Engine:
    """One engine's way through the same work. Managers and sequences are its own."""

    pool: Callable[[int], Any]
    start: Callable[[Any, Tokens], Any]  # a new request, as far as its prefill
    append: Callable[[Any, list[Any], Tokens], None]  # each token to each request in turn
    release: Callable[[Any, Any], None]


# ------------------------------------------------------------------ the two engines


def start(manager: BlockManager, prompt: Tokens) -> Sequence:
    """A new request, as far as its prefill."""
    seq = Sequence("R", prompt, BLOCK_SIZE)
    if not manager.can_allocate(seq):
        raise RuntimeError("the pool is too small for this benchmark")
    manager.allocate(seq)
    manager.hash_blocks(seq)
    return seq


def append(manager: BlockManager, sequences: list[Sequence], added: Tokens) -> None:
    """Decode steps: one token for each request, again and again."""
    for token_id in added:
        for seq in sequences:
            seq.append_token(token_id)
            if not manager.can_append(seq):
                raise RuntimeError("the pool is too small for this benchmark")
            manager.may_append(seq)
            manager.hash_blocks(seq)


OURS = Engine(lambda num_blocks: BlockManager(num_blocks, BLOCK_SIZE), start, append, BlockManager.deallocate)


def load_nano_vllm(checkout: Path) -> Engine:
    """nano-vLLM's manager, called as its scheduler calls it. Raises FileNotFoundError where there is no checkout."""
    if not (checkout / "nanovllm" / "engine" / "block_manager.py").exists():
        raise FileNotFoundError(f"no nano-vLLM in {checkout}")
    for name in ("nanovllm", "nanovllm.engine"):  # its own __init__ would import the model
        package = ModuleType(name)
        package.__path__ = [str(checkout / name.replace(".", "/"))]
        sys.modules[name] = package
    params = ModuleType("nanovllm.sampling_params")
    params.SamplingParams = lambda: type("SamplingParams", (), {"temperature": 1, "max_tokens": 1, "ignore_eos": True})  # type: ignore[attr-defined]
    sys.modules[params.__name__] = params
    manager_type = importlib.import_module("nanovllm.engine.block_manager").BlockManager
    sequence_type = importlib.import_module("nanovllm.engine.sequence").Sequence
    sequence_type.block_size = BLOCK_SIZE

    def start_theirs(manager: Any, prompt: Tokens) -> Any:
        seq = sequence_type(prompt)
        found = manager.can_allocate(seq)
        if found == -1:
            raise RuntimeError("the pool is too small for this benchmark")
        manager.allocate(seq, found)
        seq.num_scheduled_tokens = seq.num_tokens - seq.num_cached_tokens
        manager.hash_blocks(seq)
        seq.num_cached_tokens += seq.num_scheduled_tokens
        return seq

    def append_theirs(manager: Any, sequences: list[Any], added: Tokens) -> None:
        for token_id in added:
            for seq in sequences:
                seq.append_token(token_id)
                if not manager.can_append(seq):
                    raise RuntimeError("the pool is too small for this benchmark")
                seq.num_scheduled_tokens = 1
                manager.may_append(seq)
                manager.hash_blocks(seq)
                seq.num_cached_tokens += 1

    return Engine(
        lambda num_blocks: manager_type(num_blocks, BLOCK_SIZE), start_theirs, append_theirs, manager_type.deallocate
    )


# ------------------------------------------------------------------ the work


class Clock:
    """CPU seconds spent inside `with clock:`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        gc.collect()
        gc.disable()
        self.seconds -= process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += process_time()
        gc.enable()


def draw_tokens(rng: random.Random, count: int) -> Tokens:
    """A piece of one text behind a first token of its own: like no other from its first page on."""
    begin = rng.randrange(len(TEXT) - count)
    return [rng.randrange(1 << 60), *TEXT[begin : begin + count - 1]]


def fill_pool(engine: Engine, rng: random.Random, num_blocks: int) -> Any:
    """A pool in which every block is free and has held a page."""
    manager, pages = engine.pool(num_blocks), 0
    while pages < num_blocks:  # the queue hands out every block once before it hands out one twice
        seq = engine.start(manager, draw_tokens(rng, BLOCK_SIZE * rng.randint(1, 64)))
        pages += seq.num_blocks
        engine.release(manager, seq)
    return manager


def time_pairs(engine: Engine, num_blocks: int = 4_096, longest: int = 2_000, count: int = 400) -> dict[str, float]:
    """Seconds a request that is allocated and released."""
    rng = random.Random(1)
    manager = fill_pool(engine, rng, num_blocks)
    prompts = [draw_tokens(rng, rng.randint(1, longest)) for _ in range(count)]
    with (clock := Clock()):
        for prompt in prompts:
            engine.release(manager, engine.start(manager, prompt))
    return {"pairs": clock.seconds / count}


def time_appends(
    engine: Engine, num_blocks: int = 4_096, live: int = 256, each: int = 128, times: int = 1
) -> dict[str, float]:
    """Seconds an appended token."""
    rng = random.Random(2)
    manager, clock = fill_pool(engine, rng, num_blocks), Clock()
    for _ in range(times):
        sequences = [engine.start(manager, draw_tokens(rng, rng.randint(1, 2 * BLOCK_SIZE))) for _ in range(live)]
        added = draw_tokens(rng, each)
        with clock:
            engine.append(manager, sequences, added)
        for seq in sequences:
            engine.release(manager, seq)
    return {"appends": clock.seconds / (live * each * times)}


def time_prefixes(engine: Engine, num_blocks: int = 4_096, count: int = 500, times: int = 1) -> dict[str, float]:
    """Seconds a request with the common prefix: while it is in use, and when it is free. `times`: so many prefixes."""
    rng = random.Random(3)
    manager, cold, revived = fill_pool(engine, rng, num_blocks), Clock(), Clock()
    for _ in range(times):
        common = draw_tokens(rng, PREFIX)
        prompts = [common + draw_tokens(rng, OWN) for _ in range(count)]
        with cold:
            sequences = [engine.start(manager, prompt) for prompt in prompts]
            for seq in sequences:
                engine.release(manager, seq)
        with revived:
            for prompt in prompts:
                engine.release(manager, engine.start(manager, prompt))
    return {"cold": cold.seconds / (count * times), "revived": revived.seconds / (count * times)}


def time_all(engine: Engine) -> dict[str, float]:
    """Seconds an operation, of each kind."""
    return {**time_pairs(engine), **time_appends(engine), **time_prefixes(engine)}


def time_small(num_blocks: int) -> dict[str, float]:
    """The same for work that fits in 64 blocks, in a pool of that size or a larger one."""
    short = time_pairs(OURS, num_blocks, longest=64 * BLOCK_SIZE)
    more = time_prefixes(OURS, num_blocks, count=30, times=15)
    return {**short, **time_appends(OURS, num_blocks, live=6, times=20), **more}


def find_medians(found: list[dict[str, float]]) -> dict[str, float]:
    """Of each figure."""
    return {name: median(one[name] for one in found) for name in found[0]}


def compare(rounds: int, engines: dict[str, Engine]) -> None:
    """Measure the engines in turn; print microseconds an operation, and the ratio where there are two."""
    rows = [{name: time_all(engine) for name, engine in engines.items()} for _ in range(rounds)]
    print(f"microseconds an operation, CPU time, median of {rounds}")
    print(f"{'':<10}" + "".join(f"{name:>12}" for name in engines) + ("     ratio   asked" if len(engines) > 1 else ""))
    for figure, asked in ASKED.items():
        each = {name: median(row[name][figure] for row in rows) for name in engines}
        line = f"{figure:<10}" + "".join(f"{seconds * 1e6:>12.2f}" for seconds in each.values())
        if "nano-vLLM" in each:
            line += f"{median(row['nano-vLLM'][figure] / row['ours'][figure] for row in rows):>9.2f}x {asked:>6}x"
        print(line)


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(prog="python -m tests.benchmarks.engine")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--beside", type=Path, help="a checkout of nano-vLLM")
    asked = arguments.parse_args()
    engines = {"ours": OURS} | ({"nano-vLLM": load_nano_vllm(asked.beside)} if asked.beside else {})
    compare(asked.rounds, engines)

    print("\nmicroseconds an operation, by blocks in the pool; growth asked: at most", f"{GROWTH}x")
    print(f"{'':<10}" + "".join(f"{pool:>10,}" for pool in POOLS) + f"{'growth':>10}")
    by_round = [[time_small(pool) for pool in POOLS] for _ in range(asked.rounds)]  # every pool meets every noise
    by_pool = [find_medians(list(found)) for found in zip(*by_round, strict=True)]
    for name in by_pool[0]:
        row = [found[name] * 1e6 for found in by_pool]
        print(f"{name:<10}" + "".join(f"{one:>10.2f}" for one in row) + f"{row[-1] / row[0]:>9.2f}x")


if __name__ == "__main__":
    main()
