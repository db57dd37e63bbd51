"""Request lengths: the drawn lengths have the stated means and spread."""

from __future__ import annotations

import re
from itertools import islice
from math import log
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.engine.errors import InvalidSizeError
from lab.serving.workload import (
    CODE,
    CONVERSATION,
    Lengths,
    Percentiles,
    build_alpaca,
    draw_requests,
    load_percentiles,
    log_spread,
    pack,
)
from lab.serving.workload import build_sharegpt as make_sharegpt

SHAREGPT = make_sharegpt()
DRAWS = 20_000


def test_log_normal_lengths_have_the_papers_means_and_the_traces_spread() -> None:
    """Within the tolerance of this many draws; the spread is read from the table, not typed."""
    for workload, prompt, output in ((SHAREGPT, 161.31, 337.99), (build_alpaca(), 19.31, 58.45)):
        random = Random(1)
        drawn = [workload.draw(random) for _ in range(DRAWS)]
        assert fmean(each.prompt for each in drawn) == pytest.approx(prompt, rel=0.03)
        assert fmean(each.output for each in drawn) == pytest.approx(output, rel=0.03)
        assert stdev(log(each.output) for each in drawn) == pytest.approx(workload.output_sigma, rel=0.03)
    assert SHAREGPT.output_sigma == log_spread(CONVERSATION, "output_tokens") == pytest.approx(0.84, abs=0.005)
    assert SHAREGPT.prompt_sigma == log_spread(CONVERSATION, "prompt_tokens") == pytest.approx(0.93, abs=0.005)


@pytest.mark.parametrize(("trace", "prompt", "output"), [(CONVERSATION, 1154.7, 211.1), (CODE, 2047.8, 27.9)])
def test_a_trace_comes_back_from_its_percentiles(trace: str, prompt: float, output: float) -> None:
    """Means as published with the traces; percentiles do not show the last hundredth, hence the tolerance."""
    random = Random(2)
    drawn = [Percentiles(trace).draw(random) for _ in range(DRAWS)]
    assert fmean(each.prompt for each in drawn) == pytest.approx(prompt, rel=0.05)
    assert fmean(each.output for each in drawn) == pytest.approx(output, rel=0.35 if trace == CODE else 0.05)
    assert sorted(each.output for each in drawn)[DRAWS // 2] == pytest.approx(
        load_percentiles(trace, "output_tokens")[50], abs=2
    )


def test_an_unknown_trace() -> None:
    """It raises an error instead of returning no lengths."""
    with pytest.raises(KeyError):
        load_percentiles("nobody", "output_tokens")


@given(st.integers(1, 9000), st.integers(1, 9000), st.integers(2, 3000), st.integers(0, 500))
def test_clipped_lengths_fit(prompt: int, output: int, limit: int, prefix: int) -> None:
    """Each part keeps at least one token; lengths that fit stay the same; the prompt is cut before the output."""
    limit += prefix
    clipped = Lengths(prompt, output).clipped(limit, prefix)
    assert clipped.final <= limit
    assert prefix < clipped.prompt <= prefix + prompt
    assert clipped.output == min(output, limit - prefix - 1)
    if prefix + prompt + output <= limit:
        assert clipped == (prefix + prompt, output)


def test_requests_are_the_same_for_the_same_seed() -> None:
    """Another seed gives other requests."""
    first, again, other = (list(islice(draw_requests(SHAREGPT, seed), 50)) for seed in (3, 3, 4))
    assert first == again != other


def test_uploaded_lengths_are_drawn_from_the_file() -> None:
    """All of its requests are drawn, as pairs, and nothing else."""
    rows = [Lengths(3, 9), Lengths(4, 100_000), Lengths(5, 1)]
    workload = pack("mine", rows)
    assert workload.requests == 3
    assert hash(workload) == hash(pack("mine", rows))
    assert set(islice(draw_requests(workload, 0), 100)) == set(rows)
    assert [workload.count_longer_than(limit) for limit in (5, 6, 12, 100_004)] == [3, 2, 1, 0]
    assert workload.digest == pack("another name", rows).digest != pack("mine", rows[::-1]).digest
    assert re.fullmatch("[0-9a-f]{8}", workload.digest)
    with pytest.raises(InvalidSizeError):
        pack("none", [])
