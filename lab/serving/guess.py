"""A learner's prediction in the memory lesson and the view, as a short text: `alpaca`, then
`sharegpt.paged.90.5to15.alpaca.run16`; and what the runs say about the prediction.

A prediction about an uploaded file names the file by a digest of its lengths: `own-1f0a93c2.paged.90.5to15.own`.
The text does not hold the file itself.

A link names one of a few workloads, never a seed or a number of steps, so links cannot start runs without limit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.activities.question import Grade, Question, build_options
from lab.engine.errors import InvalidLinkError
from lab.serving.simulation import ServingPolicy, ServingResult
from lab.serving.studies import BLOCK_SIZES, measure_waste

SHAREGPT, ALPACA, CONVERSATION, CODE, OWN = "sharegpt", "alpaca", "conversation", "code", "own"
WORKLOADS = (SHAREGPT, ALPACA, CONVERSATION, CODE, OWN)
# Waste at the largest block_size, in percent of the pool: name of the band -> its upper end.
BANDS: dict[str, float] = {"under5": 5, "5to15": 15, "15to35": 35, "over35": 100}
LARGEST = BLOCK_SIZES[-1]
CLOSE = 5.0  # points within which a predicted percentage counts as right
DEFAULT_SIZE = 16
QUESTIONS = (
    Question("winner", "choice", options=build_options(policy.value for policy in ServingPolicy)),
    Question("percent", "percent"),
    Question("waste", "choice", options=build_options(BANDS)),
)
_WORKLOAD, _DIGEST = r"([a-z]{1,20})", r"(?:-([0-9a-f]{8}))?"
_GUESS = r"\.([a-z_]{1,20})\.(0|[1-9][0-9]?|100)\.([a-z0-9]{1,8})"
_TEXT = re.compile(rf"{_WORKLOAD}(?:{_DIGEST}{_GUESS}(?:\.{_WORKLOAD}(?:\.(run|at)([0-9]{{1,3}}))?)?)?")


@dataclass(frozen=True)
class Guess:
    """A committed prediction about a workload: the best policy, the percent of the pool that holds tokens with the best
    policy, and the band of the waste at block_size LARGEST. `file`: for OWN, the digest of the file's lengths."""

    workload: str
    winner: ServingPolicy
    percent: int
    waste: str
    file: str = ""


@dataclass(frozen=True)
class MemoryAttempt:
    """`workload`: in view; `size`: the block_size in view; `ran`: the learner has started the runs."""

    workload: str = SHAREGPT
    guess: Guess | None = None
    ran: bool = False
    size: int = DEFAULT_SIZE


def encode_memory(attempt: MemoryAttempt) -> str:
    """Short text of an attempt. Pure."""
    if attempt.guess is None:
        return attempt.workload
    text = f"{encode_guess(attempt.guess)}.{attempt.workload}"
    if attempt.ran:
        return f"{text}.run{attempt.size}"
    return f"{text}.at{attempt.size}" if attempt.size != DEFAULT_SIZE else text


def encode_guess(guess: Guess) -> str:
    """Short text of the prediction alone. Pure."""
    about = f"{guess.workload}-{guess.file}" if guess.file else guess.workload
    return f"{about}.{guess.winner.value}.{guess.percent}.{guess.waste}"


def parse_memory(text: str) -> MemoryAttempt:
    """Inverse of encode_memory; an empty text is the first state. Raises InvalidLinkError."""
    if not text:
        return MemoryAttempt()
    match = _TEXT.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="memory", reason="not of the form of a visit")
    first, file, winner, percent, band, view, how, number = match.groups()
    if first not in WORKLOADS or (view or first) not in WORKLOADS:
        raise InvalidLinkError(part="memory", reason="no such workload")
    if winner is None:
        return MemoryAttempt(first)
    if winner not in set(ServingPolicy) or band not in BANDS:
        raise InvalidLinkError(part="memory", reason="no such answer")
    if (first == OWN) != (file is not None):
        raise InvalidLinkError(part="memory", reason="a file that is not named, or no file to name")
    size = int(number) if number else DEFAULT_SIZE
    if size not in BLOCK_SIZES:
        raise InvalidLinkError(part="memory", reason="no such block_size")
    return MemoryAttempt(
        view or first, Guess(first, ServingPolicy(winner), int(percent), band, file or ""), how == "run", size
    )


def find_band(percent: float) -> str:
    """The band that contains this waste. Pure."""
    return next((name for name, end in BANDS.items() if percent < end), list(BANDS)[-1])


def find_best(policies: Sequence[ServingResult], guessed: ServingPolicy) -> ServingResult:
    """The run whose pool holds most tokens; if several show the same share, the guessed one. Pure.

    Raises ValueError if there are none.
    """
    winner = max(policies, key=lambda result: result.shares.tokens)
    shown = round(winner.shares.tokens, 1)
    tied = (each for each in policies if round(each.shares.tokens, 1) == shown)
    return next((each for each in tied if each.settings.policy is guessed), winner)


def observe_outcomes(
    guess: Guess, policies: Sequence[ServingResult], sizes: Sequence[ServingResult]
) -> Mapping[str, Grade]:
    """What these runs of the guessed workload answer to QUESTIONS; either list may still be empty. Pure."""
    outcomes: dict[str, Grade] = {}
    if policies:
        winner = find_best(policies, guess.winner)
        tokens = winner.shares.tokens
        policy = winner.settings.policy
        outcomes["winner"] = Grade("winner", guess.winner.value, policy.value, policy is guess.winner)
        outcomes["percent"] = Grade("percent", guess.percent, tokens, abs(tokens - guess.percent) <= CLOSE)
    largest = next((result for result in sizes if result.settings.block_size == LARGEST), None)
    if largest is not None:
        band = find_band(measure_waste(largest))
        outcomes["waste"] = Grade("waste", guess.waste, measure_waste(largest), band == guess.waste)
    return outcomes
