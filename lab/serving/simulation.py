"""A saturated serving simulation: requests always wait, and as many run at once as the KV pool admits.

First come, first served. In each step every running request gets one token. The pool of each policy manages the slots
(contiguous_pool.py, paged_pool.py); this file has the loop and its counts. Nothing here is random once the lengths
are drawn. Modelled on Kwon et al., SOSP 2023, section 6.1 and Figure 2 (see paper.py).
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

from lab.engine.errors import InvalidSizeError
from lab.serving.buddy import round_up
from lab.serving.contiguous_pool import ContiguousPool, PoolUse, Running, ServingPool
from lab.serving.paged_pool import PagedPool
from lab.serving.workload import Workload, draw_requests
from lab.trace.config import check_limit

BYTES_PER_TOKEN = 2 * 40 * 5120 * 2  # OPT-13B: key and value, layers, hidden size, bytes of fp16: 800 KiB
POOL_BYTES = 12 * 1024**3  # Kwon et al., Table 1: 12 GB for the KV cache of OPT-13B on an A100 with 40 GB
NUM_SLOTS = POOL_BYTES // BYTES_PER_TOKEN  # 15,728; the paper's table says 15.7K
MAX_TOKENS = 2048  # the longest sequence of OPT
MIN_STEPS, MAX_STEPS = 4, 100_000
MAX_BLOCK_SIZE = 256
FRAMES, CELLS = 60, 256  # the map of the pool over time
PARTS = 10
REPORTS = 100  # how often a run reports its progress and asks whether to go on


class ServingPolicy(StrEnum):
    """How a request gets its slots. The first three reserve one piece when it starts."""

    MAXIMUM = "maximum"  # the longest request, however long this one will be
    POWER_OF_TWO = "power_of_two"  # its prompt and the next power of two of its output
    TRUE_LENGTH = "true_length"  # its prompt and its output, which no real system knows in advance
    PAGED = "paged"  # a block whenever one is needed


@dataclass(frozen=True)
class Settings:
    """Everything that a run depends on; equal settings give equal results. Counts are in slots (tokens) or in steps.

    `prefix`: tokens before each prompt, the same for all; shared if `share` (paged only). `budget`: the run ends early
    when the pool has cost this much work (see Pool.work); None: no limit.
    Raises InvalidSizeError, LimitError.
    """

    workload: Workload
    policy: ServingPolicy
    block_size: int = 16
    steps: int = 20_000
    seed: int = 0
    num_slots: int = NUM_SLOTS
    max_tokens: int = MAX_TOKENS
    prefix: int = 0
    share: bool = False
    budget: int | None = None

    def __post_init__(self) -> None:
        minima = {"block_size": 1, "steps": MIN_STEPS, "seed": 0, "prefix": 0, "max_tokens": self.prefix + 2}
        minima["num_slots"] = round_up(max(1, self.max_tokens))  # else a request could wait for ever
        for name, minimum in minima.items():
            if getattr(self, name) < minimum:
                raise InvalidSizeError(name=name, value=getattr(self, name), minimum=minimum)
        needed = -(-self.max_tokens // self.block_size) * self.block_size
        if self.policy is ServingPolicy.PAGED and self.num_slots < needed:
            raise InvalidSizeError(name="num_slots", value=self.num_slots, minimum=needed)
        check_limit("steps", self.steps, MAX_STEPS)
        check_limit("block_size", self.block_size, MAX_BLOCK_SIZE)


@dataclass(frozen=True)
class Shares:
    """Where the slots are, in percent of all slots of the pool."""

    tokens: float  # hold the KV of a token
    reserved: float  # wait for a later token of the same request
    internal: float  # belong to a request that will never use them
    external: float  # belong to nobody, or were added by rounding: external fragmentation and other


@dataclass(frozen=True)
class ServingFrame:
    """One moment, with a sample of at most CELLS slots, evenly spread (see contiguous_pool.Pool.sample)."""

    step: int  # from 1
    batch: int
    shares: Shares
    kinds: bytes  # contiguous_pool.Kind of each sampled slot
    packed_owners: bytes  # 32 bits each, because the cache holds many results

    @property
    def owners(self) -> tuple[int, ...]:
        """Number of the request that owns each sampled slot, NOBODY or SEVERAL."""
        return tuple(memoryview(self.packed_owners).cast("i"))


@dataclass(frozen=True)
class ServingResult:
    """Averages over the steady part (the steps after the first quarter), and moments of the whole run."""

    settings: Settings
    steps: int  # steps that ran: fewer than in the settings if the budget ran out
    shares: Shares
    token_error: float  # standard error of shares.tokens, in points: from PARTS equal parts of the steady part
    mean_batch: float  # running requests
    peak_batch: int
    shared: float  # slots that sharing saves, on average, in percent of all slots
    admitted: int  # requests that started, in the whole run; restarts not counted
    cut: int  # admitted requests that were longer than max_tokens and were cut to it
    preemptions: int
    recomputed: int  # tokens whose KV was computed again after a preemption
    mean_prompt: float  # tokens, of those admitted, the prefix included
    mean_output: float
    frames: tuple[ServingFrame, ...]


class _ServingStep(NamedTuple):
    """The result of one step: slots by use, running requests, slots that sharing saved."""

    use: PoolUse
    batch: int
    duplicates: int


class SimulationCancelledError(Exception):
    """The caller asked the run to end early."""


def simulate(
    settings: Settings,
    progress: Callable[[float], None] = lambda share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ServingResult:
    """Run all steps. Calls `progress` (0..1) and `cancelled` REPORTS times at most. Raises SimulationCancelledError.

    This takes seconds: never call it in a thread that answers learners (see lab/serving/jobs.py).
    """
    run = ServingRun(settings)
    reported = 0
    while reported < REPORTS:
        run.step()
        if run.passed(REPORTS) > reported:
            reported = run.passed(REPORTS)
            progress(run.passed(settings.steps) / settings.steps)
            if cancelled():
                raise SimulationCancelledError
    return run.result()


class ServingRun:
    """A simulation that can be stepped. Tests may read `pool` and `waiting`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pool = make_pool(settings)
        self.waiting: deque[Running] = deque()
        self._arrivals = draw_requests(settings.workload, settings.seed)
        self._numbers = count()
        self._step = self._preemptions = self._peak = 0
        self._past: list[_ServingStep] = []
        self._admitted: list[int] = [0, 0, 0, 0]  # requests, prompt tokens, output tokens, requests that were cut
        self._frames: list[ServingFrame] = []
        self._framed = 0  # FRAMES in the end; a step that is long in work may count as several

    def passed(self, parts: int) -> int:
        """How many of that many equal parts are done: parts of the steps, or of the budget if that runs out first."""
        passed = parts * self._step // self.settings.steps
        if self.settings.budget is None or self._step < MIN_STEPS:
            return passed
        return min(parts, max(passed, parts * self.pool.work // self.settings.budget))

    def step(self) -> None:
        """Admit requests while there is room, add a token to each running request, count, release finished requests."""
        pool = self.pool
        while pool.admit(head := self._head()):
            self.waiting.popleft()
            if not head.started:
                head.started = True
                self._admitted = [a + b for a, b in zip(self._admitted, (1, *head.lengths, head.cut), strict=True)]
        for victim in pool.advance():  # the newest first, so that they end up waiting in order of arrival
            self.waiting.appendleft(victim)
            self._preemptions += 1
        use, batch = pool.use(), pool.batch
        self._peak = max(self._peak, batch)
        self._past.append(_ServingStep(use, batch, pool.duplicates))
        self._step += 1
        if self.passed(FRAMES) > self._framed:
            self._framed = self.passed(FRAMES)
            self._frames.append(self._frame(use, batch))
        pool.release_finished()

    def result(self) -> ServingResult:
        """The averages of the steps so far. Pure. Raises StatisticsError before the second step."""
        steady = self._past[self._step // 4 :]
        total = PoolUse(*map(sum, zip(*(step.use for step in steady), strict=True)))
        started, prompts, outputs, cut = self._admitted
        return ServingResult(
            settings=self.settings,
            steps=self._step,
            shares=self._shares(total, len(steady)),
            token_error=self._token_error([step.use.tokens for step in steady]),
            mean_batch=fmean(step.batch for step in steady),
            peak_batch=self._peak,
            shared=100 * fmean(step.duplicates for step in steady) / self.settings.num_slots,
            admitted=started,
            cut=cut,
            preemptions=self._preemptions,
            recomputed=self.pool.recomputed,
            mean_prompt=prompts / started,
            mean_output=outputs / started,
            frames=tuple(self._frames),
        )

    def _frame(self, use: PoolUse, batch: int) -> ServingFrame:
        slots = self.settings.num_slots
        cells = min(CELLS, slots)
        sample = self.pool.sample([(2 * i + 1) * slots // (2 * cells) for i in range(cells)])
        owners = array("i", [owner for owner, _ in sample]).tobytes()
        return ServingFrame(self._step, batch, self._shares(use, 1), bytes(kind for _, kind in sample), owners)

    def _token_error(self, tokens: list[int]) -> float:
        parts: list[list[int]] = [[] for _ in range(PARTS)]
        for i, each in enumerate(tokens):
            parts[i * PARTS // len(tokens)].append(each)
        means = [fmean(part) for part in parts if part]
        return 100 * stdev(means) / sqrt(len(means)) / self.settings.num_slots

    def _head(self) -> Running:
        if not self.waiting:
            settings, drawn = self.settings, next(self._arrivals)
            lengths = drawn.clipped(settings.max_tokens, settings.prefix)
            cut = settings.prefix + drawn.final > settings.max_tokens
            self.waiting.append(Running(next(self._numbers), lengths, cut))
        return self.waiting[0]

    def _shares(self, use: PoolUse, steps: int) -> Shares:
        return Shares(*(100 * slots / (steps * self.settings.num_slots) for slots in use))


def make_pool(settings: Settings) -> ServingPool:
    """An empty pool for these settings."""
    if settings.policy is ServingPolicy.PAGED:
        shared = settings.prefix if settings.share else 0
        return PagedPool(settings.num_slots, settings.block_size, shared)
    return ContiguousPool(
        settings.num_slots, lambda lengths: compute_reservation(settings, lengths.prompt, lengths.output)
    )


def compute_reservation(settings: Settings, prompt: int, output: int) -> int:
    """Slots that a contiguous policy reserves when a request starts, before the allocator rounds. Pure."""
    outputs = {ServingPolicy.POWER_OF_TWO: round_up(output), ServingPolicy.TRUE_LENGTH: output}.get(settings.policy)
    return settings.max_tokens if outputs is None else min(settings.max_tokens, prompt + outputs)
