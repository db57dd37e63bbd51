"""The engine's speed in CPU time, beside nano-vLLM's own manager, and how it grows with the pool.

`python -m tests.benchmarks.engine [ROUNDS]` prints the median of 5 rounds, or of ROUNDS. block_size is 16.

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

nano-vLLM's figures are quoted: its manager (commit bb823b3), the same calls, on a machine of the same kind. They are
not measured here, and another machine, or a busy one, moves our figures but not those.
"""

from __future__ import annotations

import gc
import random
import sys
from dataclasses import dataclass
from statistics import median
from time import process_time

from lab.block_manager import BlockManager
from lab.sequence import Sequence

Tokens = list[int]

BLOCK_SIZE = 16
TEXT = [random.Random(number).randrange(150_000) for number in range(20_000)]
PREFIX, OWN = 512, 16
POOLS = (64, 512, 4_096, 65_536)
GROWTH = 1.5  # at most this many times the smallest pool's seconds


@dataclass(frozen=True)
class Figure:
    """nano-vLLM's seconds an operation, and how many times as fast we want to be."""

    name: str
    quoted: float
    asked: float
    in_ms: bool = False

    def shown(self, seconds: float) -> str:
        """Seconds an operation, as the figure is given: operations a second, or ms an operation."""
        return f"{seconds * 1e3:.3f} ms" if self.in_ms else f"{1 / seconds:,.0f} /s"


FIGURES = (
    Figure("pairs", 1 / 3_800, 2),
    Figure("appends", 1 / 800_000, 1),
    Figure("cold", 1 / 5_000, 2),
    Figure("revived", 3.5e-3, 10, in_ms=True),
)


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


def tokens(rng: random.Random, count: int) -> Tokens:
    """A piece of one text behind a first token of its own: like no other from its first page on."""
    begin = rng.randrange(len(TEXT) - count)
    return [rng.randrange(1 << 60), *TEXT[begin : begin + count - 1]]


def start(manager: BlockManager, prompt: Tokens) -> Sequence:
    """A new request, as far as its prefill."""
    seq = Sequence("R", prompt, BLOCK_SIZE)
    if not manager.can_allocate(seq):
        raise RuntimeError("the pool is too small for this benchmark")
    manager.allocate(seq)
    manager.hash_blocks(seq)
    return seq


def used_pool(rng: random.Random, num_blocks: int) -> BlockManager:
    """A pool in which every block is free and has held a page."""
    manager, pages = BlockManager(num_blocks, BLOCK_SIZE), 0
    while pages < num_blocks:  # the queue hands out every block once before it hands out one twice
        seq = start(manager, tokens(rng, BLOCK_SIZE * rng.randint(1, 64)))
        pages += seq.num_blocks
        manager.deallocate(seq)
    return manager


def pairs(num_blocks: int = 4_096, longest: int = 2_000, count: int = 400) -> dict[str, float]:
    """Seconds a request that is allocated and released."""
    rng = random.Random(1)
    manager, prompts = used_pool(rng, num_blocks), [tokens(rng, rng.randint(1, longest)) for _ in range(count)]
    with (clock := Clock()):
        for prompt in prompts:
            manager.deallocate(start(manager, prompt))
    return {"pairs": clock.seconds / count}


def appends(num_blocks: int = 4_096, live: int = 256, each: int = 128, times: int = 1) -> dict[str, float]:
    """Seconds an appended token."""
    rng = random.Random(2)
    manager, clock = used_pool(rng, num_blocks), Clock()
    for _ in range(times):
        sequences = [start(manager, tokens(rng, rng.randint(1, 2 * BLOCK_SIZE))) for _ in range(live)]
        added = tokens(rng, each)
        with clock:
            for token_id in added:
                for seq in sequences:
                    seq.append_token(token_id)
                    if not manager.can_append(seq):
                        raise RuntimeError("the pool is too small for this benchmark")
                    manager.may_append(seq)
                    manager.hash_blocks(seq)
        for seq in sequences:
            manager.deallocate(seq)
    return {"appends": clock.seconds / (live * each * times)}


def prefixes(num_blocks: int = 4_096, count: int = 500, times: int = 1) -> dict[str, float]:
    """Seconds a request with the common prefix: while it is in use, and when it is free. `times`: so many prefixes."""
    rng = random.Random(3)
    manager, cold, revived = used_pool(rng, num_blocks), Clock(), Clock()
    for _ in range(times):
        common = tokens(rng, PREFIX)
        prompts = [common + tokens(rng, OWN) for _ in range(count)]
        with cold:
            sequences = [start(manager, prompt) for prompt in prompts]
            for seq in sequences:
                manager.deallocate(seq)
        with revived:
            for prompt in prompts:
                manager.deallocate(start(manager, prompt))
    return {"cold": cold.seconds / (count * times), "revived": revived.seconds / (count * times)}


def all_figures() -> dict[str, float]:
    """Seconds an operation, of each kind."""
    return {**pairs(), **appends(), **prefixes()}


def small_figures(num_blocks: int) -> dict[str, float]:
    """The same for work that fits in 64 blocks, in a pool of that size or a larger one."""
    short = pairs(num_blocks, longest=64 * BLOCK_SIZE)
    return {**short, **appends(num_blocks, live=6, times=20), **prefixes(num_blocks, count=30, times=15)}


def medians(found: list[dict[str, float]]) -> dict[str, float]:
    """Of each figure."""
    return {name: median(one[name] for one in found) for name in found[0]}


def main(rounds: int) -> None:
    """Measure and print."""
    print(f"CPU time, median of {rounds}     ours  nano-vLLM (quoted)    ratio   asked: at least")
    ours = medians([all_figures() for _ in range(rounds)])
    for figure in FIGURES:
        name, seconds = figure.name, ours[figure.name]
        print(f"{name:<10} {figure.shown(seconds):>16} {figure.shown(figure.quoted):>19}", end=" ")
        print(f"{figure.quoted / seconds:>7.2f}x {figure.asked:>7}x")

    print("\nmicroseconds an operation, by blocks in the pool; growth asked: at most", f"{GROWTH}x")
    print(f"{'':<10}" + "".join(f"{pool:>10,}" for pool in POOLS) + f"{'growth':>10}")
    by_round = [[small_figures(pool) for pool in POOLS] for _ in range(rounds)]  # so that every pool meets every noise
    by_pool = [medians(list(found)) for found in zip(*by_round, strict=True)]
    for name in by_pool[0]:
        row = [found[name] * 1e6 for found in by_pool]
        print(f"{name:<10}" + "".join(f"{one:>10.2f}" for one in row) + f"{row[-1] / row[0]:>9.2f}x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
