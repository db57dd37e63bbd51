"""The lengths of requests: drawn one after another, the same for the same seed. All lengths are in tokens.

Means: Kwon et al., "Efficient Memory Management for Large Language Model Serving with PagedAttention", SOSP 2023,
Figure 11. The paper gives no spread. Ours is that of a public chat trace, fixed before any comparison: the standard
deviation of the log lengths in the Azure conversation trace of 2023 (assets/data/), prompts and outputs each.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import exp, log
from pathlib import Path
from random import Random
from statistics import NormalDist, stdev
from typing import NamedTuple

from lab.engine.errors import InvalidSizeError

TABLE = Path(__file__).parent.parent.parent / "assets" / "data" / "request_length_percentiles.csv"
CREDIT = "Azure Public Dataset, AzureLLMInferenceDataset2023, Microsoft, CC-BY 4.0"
CONVERSATION, CODE = "azure_llm_2023_conversation", "azure_llm_2023_code"
_NORMAL = NormalDist()


class Lengths(NamedTuple):
    """One request: tokens of its prompt, and of its whole output. Both at least 1."""

    prompt: int
    output: int

    @property
    def final(self) -> int:
        """Tokens when it ends."""
        return self.prompt + self.output

    def clipped(self, limit: int, prefix: int = 0) -> Lengths:
        """With `prefix` tokens before the prompt, and at most `limit` in all; the prompt is cut before the output."""
        output = min(self.output, limit - prefix - 1)
        return Lengths(prefix + min(self.prompt, limit - prefix - output), output)


@dataclass(frozen=True)
class LogNormal:
    """Log-normal lengths with these means (before any clipping) and standard deviations of the logs."""

    name: str
    prompt_mean: float
    output_mean: float
    prompt_sigma: float
    output_sigma: float

    def draw(self, random: Random) -> Lengths:
        """The next request."""
        prompt = _log_normal(self.prompt_mean, self.prompt_sigma, random.random())
        return Lengths(prompt, _log_normal(self.output_mean, self.output_sigma, random.random()))


@dataclass(frozen=True)
class Percentiles:
    """Lengths of one trace in the table; prompt and output are drawn independently (in the traces they nearly are)."""

    name: str

    def draw(self, random: Random) -> Lengths:
        """The next request."""
        prompts, outputs = load_percentiles(self.name, "prompt_tokens"), load_percentiles(self.name, "output_tokens")
        return Lengths(_interpolate(prompts, random.random()), _interpolate(outputs, random.random()))


@dataclass(frozen=True)
class Uploaded:
    """Lengths from an uploaded file, drawn with replacement. `packed`: prompt, output, prompt, ... as 32-bit numbers.

    They are packed because an Uploaded is a cache key and is sent to another process. Build it with `pack`.
    """

    name: str
    packed: bytes

    @property
    def requests(self) -> int:
        """Rows in the file."""
        return len(self.packed) // 8

    @property
    def digest(self) -> str:
        """Eight characters that identify these lengths without revealing them."""
        return sha256(self.packed).hexdigest()[:8]

    def count_longer_than(self, limit: int) -> int:
        """Number of rows with more than `limit` tokens in all."""
        lengths = unpack(self.packed)
        return sum(prompt + output > limit for prompt, output in zip(lengths[::2], lengths[1::2], strict=True))

    def draw(self, random: Random) -> Lengths:
        """The next request."""
        lengths = unpack(self.packed)
        row = int(random.random() * self.requests)
        return Lengths(lengths[2 * row], lengths[2 * row + 1])


Workload = LogNormal | Percentiles | Uploaded


def pack(name: str, lengths: list[Lengths]) -> Uploaded:
    """A workload of exactly these requests. Raises InvalidSizeError if there are none."""
    if not lengths:
        raise InvalidSizeError(name="requests", value=0, minimum=1)
    return Uploaded(name, array("I", [number for pair in lengths for number in pair]).tobytes())


def unpack(packed: bytes) -> memoryview:
    """The numbers of an Uploaded, without a copy."""
    return memoryview(packed).cast("I")


def draw_requests(workload: Workload, seed: int) -> Iterator[Lengths]:
    """An endless stream of requests, lengths as drawn. The same for the same arguments."""
    random = Random(seed)
    while True:
        yield workload.draw(random)


@cache
def load_percentiles(trace: str, column: str) -> tuple[int, ...]:
    """Percentiles 0 to 100 of prompt_tokens, output_tokens or total_tokens of a trace. Raises KeyError."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        percentiles = tuple(int(row[column]) for row in csv.DictReader(file) if row["trace"] == trace)
    if len(percentiles) != 101:
        raise KeyError(trace)
    return percentiles


@cache
def log_spread(trace: str, column: str) -> float:
    """Standard deviation of the log lengths of a trace, over its percentiles 1 to 99."""
    return stdev(log(tokens) for tokens in load_percentiles(trace, column)[1:-1])


def _build_paper_workload(name: str, prompt_mean: float, output_mean: float) -> LogNormal:
    prompt_sigma, output_sigma = (log_spread(CONVERSATION, f"{part}_tokens") for part in ("prompt", "output"))
    return LogNormal(name, prompt_mean, output_mean, prompt_sigma, output_sigma)


def build_sharegpt() -> LogNormal:
    """Chat, as long as ShareGPT on average in the paper."""
    return _build_paper_workload("sharegpt", 161.31, 337.99)


def build_alpaca() -> LogNormal:
    """Instructions, as long as Alpaca on average in the paper; the spread is that of chat, for want of a source."""
    return _build_paper_workload("alpaca", 19.31, 58.45)


def _log_normal(mean: float, sigma: float, share: float) -> int:
    """The length below which this share (0..1) of all lengths lies."""
    center = log(mean) - sigma * sigma / 2
    deviation = _NORMAL.inv_cdf(share) if share else 0.0
    return max(1, round(exp(center + sigma * deviation)))


def _interpolate(values: tuple[int, ...], share: float) -> int:
    """The length at this share, interpolated linearly between percentiles."""
    place = share * 100
    low = int(place)
    return max(1, round(values[low] + (place - low) * (values[low + 1] - values[low])))
