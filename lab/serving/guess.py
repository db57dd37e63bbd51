"""A learner's prediction in the memory lesson as an attempt, `2.memory.sharegpt_3.90.1_`, with what is in view beside
it, `alpaca.run16`; and what the runs say about the prediction.

A prediction about an uploaded file names the file by a digest of its lengths: `memory.own-1f0a93c2`. The text does not
hold the file itself.

A link names one of a few workloads, never a seed or a number of steps, so links cannot start runs without limit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.activities.answer import decode_value
from lab.activities.attempt import Attempt
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
KIND = "memory"
EMPTY = Attempt(f"{KIND}.{SHAREGPT}")
_ACTIVITY = re.compile(rf"{KIND}\.([a-z]{{1,20}})(?:-([0-9a-f]{{8}}))?")
_PLACE = re.compile(r"(?:(?P<workload>[a-z]{1,20})(?:\.(?P<how>run|at)(?P<size>[0-9]{1,3}))?)?")


class Guess(NamedTuple):
    """The answers of an attempt: the best policy, the percent of the pool that holds tokens with the best policy, and
    the band of the waste at block_size LARGEST."""

    winner: ServingPolicy
    percent: int
    waste: str

    @classmethod
    def read(cls, attempt: Attempt) -> Guess:
        """The answers of a committed prediction."""
        winner, percent, waste = (answer.number for answer in attempt.answers)
        return cls(list(ServingPolicy)[winner], percent, list(BANDS)[waste])


@dataclass(frozen=True)
class MemoryView:
    """An attempt, and what is in view beside it.

    `workload`: in view; `size`: the block_size in view; `ran`: the learner has started the runs.
    """

    attempt: Attempt = EMPTY
    workload: str = SHAREGPT
    ran: bool = False
    size: int = DEFAULT_SIZE

    @classmethod
    def read(cls, attempt: Attempt, place: str = "") -> MemoryView:
        """This attempt at this place. Raises InvalidLinkError."""
        match, seen = _ACTIVITY.fullmatch(attempt.activity), _PLACE.fullmatch(place)
        if match is None or seen is None or attempt.operations:
            raise InvalidLinkError(part="memory", reason="not of the form of a visit")
        predicted, file = match.groups()
        workload, size = seen["workload"] or predicted, int(seen["size"] or DEFAULT_SIZE)
        if predicted not in WORKLOADS or workload not in WORKLOADS:
            raise InvalidLinkError(part="memory", reason="no such workload")
        if not attempt.answers:
            return cls(Attempt(name_activity(predicted)), predicted)
        if (predicted == OWN) != (file is not None):
            raise InvalidLinkError(part="memory", reason="a file that is not named, or no file to name")
        if len(attempt.answers) != len(QUESTIONS) or size not in BLOCK_SIZES:
            raise InvalidLinkError(part="memory", reason="another number of answers, or no such block_size")
        for question, answer in zip(QUESTIONS, attempt.answers, strict=True):
            decode_value(question, answer.value)
        return cls(attempt, workload, seen["how"] == "run", size)

    @property
    def place(self) -> str:
        """Short text of what is in view beside the prediction; empty before there is one."""
        if not self.attempt.answers:
            return ""
        how = f".run{self.size}" if self.ran else f".at{self.size}" if self.size != DEFAULT_SIZE else ""
        return f"{self.workload}{how}" if how or self.workload != get_predicted(self.attempt) else ""


def name_activity(workload: str, file: str = "") -> str:
    """The workload as the activity of an attempt. `file`: the digest of an uploaded one."""
    return f"{KIND}.{workload}-{file}" if file else f"{KIND}.{workload}"


def get_predicted(attempt: Attempt) -> str:
    """The workload that the attempt is about."""
    return attempt.activity.partition(".")[2].partition("-")[0]


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
        tokens, policy = winner.shares.tokens, winner.settings.policy
        outcomes["winner"] = Grade("winner", guess.winner.value, policy.value, policy is guess.winner)
        outcomes["percent"] = Grade("percent", guess.percent, tokens, abs(tokens - guess.percent) <= CLOSE)
    largest = next((result for result in sizes if result.settings.block_size == LARGEST), None)
    if largest is not None:
        found = measure_waste(largest)
        outcomes["waste"] = Grade("waste", guess.waste, found, find_band(found) == guess.waste)
    return outcomes
