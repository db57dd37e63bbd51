"""The serving simulation: every slot is counted once, first come first served, preemption."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.errors import InvalidSizeError, LimitError
from lab.serving import simulation
from lab.serving.buddy import round_up
from lab.serving.contiguous_pool import NOBODY, SEVERAL, Kind, PoolUse
from lab.serving.paged_pool import PagedPool
from lab.serving.simulation import ServingPolicy, ServingRun, Settings, SimulationCancelledError, simulate
from lab.serving.workload import Lengths, Workload, build_alpaca, build_sharegpt, pack
from tests.sample import examples

STEPS = 60  # a frame for each


def fixed(*lengths: tuple[int, int]) -> Workload:
    """A workload of these requests only."""
    return pack("fixed", [Lengths(*each) for each in lengths])


@st.composite
def small(draw: st.DrawFn) -> Settings:
    """Small pools of every kind; half of them share a prefix of at least a page."""
    share = draw(st.booleans())
    prefix = draw(st.integers(4 if share else 0, 9))
    max_tokens = prefix + draw(st.integers(2, 20))
    lengths = st.tuples(st.integers(1, 12), st.integers(1, 12))
    return Settings(
        fixed(*draw(st.lists(lengths, min_size=1, max_size=4))),
        ServingPolicy.PAGED if share else draw(st.sampled_from(ServingPolicy)),
        block_size=draw(st.integers(1, 4)),
        steps=STEPS,
        seed=draw(st.integers(0, 9)),
        num_slots=round_up(max_tokens) + draw(st.integers(5, 60)),
        max_tokens=max_tokens,
        prefix=prefix,
        share=share,
    )


@settings(max_examples=examples(80))
@given(small())
def test_every_slot_is_counted_once_in_every_step(given_settings: Settings) -> None:
    """Compared with the totals behind the averages, and slot by slot; finished requests have all their tokens."""
    run = ServingRun(given_settings)
    slots = list(range(given_settings.num_slots))
    seen = {}
    for _ in range(STEPS):
        run.step()
        use, found = run.pool.use(), run.pool.sample(slots)
        kinds = Counter(kind for _, kind in found)
        assert use == PoolUse(*(kinds[kind] for kind in Kind))
        assert len({owner for owner, _ in found} - {NOBODY, SEVERAL}) <= run.pool.batch
        if isinstance(run.pool, PagedPool):
            run.pool.manager.check(run.pool.running.values())
            seen.update(run.pool.running)
            for request, seq in seen.items():
                unfinished = request in run.pool.running or request in run.waiting
                assert len(seq) < request.lengths.final if unfinished else len(seq) == request.lengths.final
    result = run.result()
    assert len(result.frames) == STEPS
    for shares in (result.shares, *(frame.shares for frame in result.frames)):
        parts = (shares.tokens, shares.reserved, shares.internal, shares.external)
        assert sum(parts) == pytest.approx(100)
        assert min(parts) >= 0
    assert all(len(frame.owners) == len(frame.kinds) == len(slots) for frame in result.frames)


@pytest.mark.parametrize("policy", ServingPolicy)
def test_first_come_first_served(policy: ServingPolicy) -> None:
    """No request starts before an earlier one, even if it would fit better."""
    workload = fixed((1, 2), (20, 12), (2, 2), (9, 20))
    run = ServingRun(Settings(workload, policy, block_size=4, steps=300, num_slots=100, max_tokens=32))
    started: set[int] = set()
    for _ in range(300):
        run.step()
        started |= {owner for owner, _ in run.pool.sample(list(range(100)))} - {NOBODY}
        started |= {request.number for request in run.waiting if request.started}
        assert started == set(range(len(started)))
    assert len(started) > 50


def test_reservations() -> None:
    """The reservation of each contiguous policy, never more than the maximum."""
    asked = {}
    for policy in list(ServingPolicy)[:3]:
        base = Settings(build_sharegpt(), policy)
        asked[policy] = [simulation.compute_reservation(base, p, o) for p, o in ((100, 25), (100, 32), (1000, 1030))]
    assert asked == {
        ServingPolicy.MAXIMUM: [2048, 2048, 2048],
        ServingPolicy.POWER_OF_TWO: [132, 132, 2048],
        ServingPolicy.TRUE_LENGTH: [125, 132, 2030],
    }


def test_contiguous_by_hand() -> None:
    """13 slots are pieces of 8, 4 and 1; a request of 2 + 3 tokens takes the 8, and then no request fits."""
    run = ServingRun(Settings(fixed((2, 3)), ServingPolicy.TRUE_LENGTH, steps=4, num_slots=13, max_tokens=5))
    uses = []
    for _ in range(4):
        run.step()
        uses.append((run.pool.batch, *run.pool.use()))
    assert uses == [(1, 3, 2, 0, 8), (1, 4, 1, 0, 8), (0, 0, 0, 0, 13), (1, 3, 2, 0, 8)]


def test_preemption_by_hand() -> None:
    """Four blocks of two slots, requests of 2 + 6 tokens: the newest request is preempted and starts again."""
    run = ServingRun(Settings(fixed((2, 6)), ServingPolicy.PAGED, block_size=2, steps=20, num_slots=8, max_tokens=8))
    pool = run.pool
    assert isinstance(pool, PagedPool)

    def state() -> tuple[dict[int, int], list[int], int]:
        running = {request.number: len(seq) for request, seq in pool.running.items()}
        return running, [request.number for request in run.waiting], len(pool.manager.free_block_ids)

    run.step()  # all four blocks hold prompts; then 0 takes the block of 3, and 1 the block of 2
    assert state() == ({0: 3, 1: 3}, [2, 3, 4], 0)
    run.step()
    assert state() == ({0: 4, 1: 4}, [2, 3, 4], 0)
    run.step()
    assert state() == ({0: 5}, [1, 2, 3, 4], 1)
    assert pool.recomputed == 0
    for _ in range(3):
        run.step()
    assert state() == ({}, [1, 2, 3, 4], 4)  # 0 had its eighth token and is released
    run.step()  # 1 starts again with its 4 tokens, 2 and 3 with 2 each; then 3 is preempted, and 2 finds no block
    assert state() == ({1: 5}, [2, 3, 4], 1)
    assert pool.recomputed == 8


@pytest.mark.parametrize("prefix", [0, 4])
def test_requests_that_are_cut_are_counted(prefix: int) -> None:
    """Requests that started and were longer than the maximum, including the prefix."""
    base = {
        "policy": ServingPolicy.PAGED,
        "block_size": 4,
        "steps": 40,
        "num_slots": 64,
        "max_tokens": 16,
        "prefix": prefix,
    }
    fits, over = fixed((4, 8)), fixed((4, 9 + 4 - prefix))
    assert simulate(Settings(fits, **base)).cut == 0  # type: ignore[arg-type]
    cut = simulate(Settings(over, **base))  # type: ignore[arg-type]
    assert 0 < cut.cut == cut.admitted
    mixed = simulate(Settings(fixed((4, 8), (40, 40)), **base))  # type: ignore[arg-type]
    assert 0 < mixed.cut < mixed.admitted


@pytest.mark.parametrize("policy", ServingPolicy)
def test_a_run_is_determined_by_its_settings(policy: ServingPolicy) -> None:
    """Two runs are equal; another seed gives another run; settings and result survive pickling."""
    mine = Settings(build_alpaca(), policy, steps=300)
    first = simulate(mine)
    assert simulate(pickle.loads(pickle.dumps(mine))) == first == pickle.loads(pickle.dumps(first))
    assert simulate(Settings(build_alpaca(), policy, steps=300, seed=1)).shares != first.shares
    assert [frame.step for frame in first.frames] == list(range(5, 301, 5))


def test_a_budget_ends_a_run_early() -> None:
    """At the same step each time, when the budget is spent; the averages are those of the steps that ran."""
    whole = Settings(fixed((1, 1)), ServingPolicy.PAGED, steps=400, num_slots=64, max_tokens=16)
    cut = replace(whole, budget=2_000)
    progress: list[float] = []
    result = simulate(cut, progress.append)
    assert result == simulate(cut)
    assert 4 < result.steps < 400
    assert progress[-1] == 1
    run = ServingRun(whole)
    for _ in range(result.steps):
        run.step()
    assert run.pool.work >= 2_000
    expected = run.result()
    assert replace(result, settings=whole, frames=()) == replace(expected, frames=())
    assert simulate(replace(whole, budget=10**9)).steps == simulate(whole).steps == 400
    assert simulate(replace(whole, budget=1)).steps == 4


def test_progress_and_cancelling() -> None:
    """Progress grows to 1; a cancelled run stops at once."""
    progress: list[float] = []
    simulate(Settings(build_alpaca(), ServingPolicy.MAXIMUM, steps=250), progress.append)
    assert progress == sorted(set(progress))
    assert (len(progress), progress[-1]) == (100, 1)
    progress.clear()
    with pytest.raises(SimulationCancelledError):
        simulate(
            Settings(build_alpaca(), ServingPolicy.MAXIMUM, steps=250), progress.append, lambda: len(progress) == 3
        )
    assert len(progress) == 3


@pytest.mark.parametrize(
    "wrong",
    [{"block_size": 0}, {"steps": 3}, {"seed": -1}, {"num_slots": 2047}, {"prefix": 2047}, {"prefix": -1}],
)
def test_settings_that_make_no_sense(wrong: dict[str, int]) -> None:
    """They are refused before the run: a request that can never fit would wait for ever."""
    with pytest.raises(InvalidSizeError):
        Settings(build_sharegpt(), ServingPolicy.PAGED, **wrong)  # type: ignore[arg-type]


def test_limits() -> None:
    """The limits of the simulation."""
    for over in ({"block_size": 257}, {"steps": 100_001}):
        with pytest.raises(LimitError):
            Settings(build_sharegpt(), ServingPolicy.PAGED, **over)  # type: ignore[arg-type]
    with pytest.raises(InvalidSizeError) as refused:  # 9 slots are one block of 7: no room for 8 tokens
        Settings(build_sharegpt(), ServingPolicy.PAGED, block_size=7, num_slots=9, max_tokens=8)
    assert refused.value.numbers["minimum"] == 14


def test_nothing_heavy_is_imported() -> None:
    """So the other process starts quickly and stays small."""
    code = "import sys, lab.serving.worker, lab.serving.jobs; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "lab.serving.simulation" in loaded
    assert {"torch", "pandas", "plotly", "streamlit", "numpy"} & set(loaded) == set()
