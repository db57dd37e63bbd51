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

from lab.activities.answer import decode_value, encode_value
from lab.activities.attempt import Answer, Attempt
from lab.activities.question import Grade, Question, Value, build_options
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
_ACTIVITY = re.compile(rf"{KIND}\.([a-z]{{1,20}})(?:-([0-9a-f]{{8}}))?")
_VIEW = re.compile(r"(?:(?P<workload>[a-z]{1,20})(?:\.(?P<how>run|at)(?P<size>[0-9]{1,3}))?)?")


@dataclass(frozen=True)
class Guess:
    """A committed prediction about a workload: the best policy, the percent of the pool that holds tokens with the best
    policy, and the band of the waste at block_size LARGEST. `file`: for OWN, the digest of the file's lengths."""

    workload: str
    winner: ServingPolicy
    percent: int
    waste: str
    file: str = ""

    @classmethod
    def of(cls, workload: str, values: Sequence[Value], file: str = "") -> Guess:
        """The prediction with these answers to QUESTIONS."""
        winner, percent, waste = values
        return cls(workload, ServingPolicy(str(winner)), int(str(percent)), str(waste), file)


@dataclass(frozen=True)
class MemoryAttempt:
    """`workload`: in view; `size`: the block_size in view; `ran`: the learner has started the runs."""

    workload: str = SHAREGPT
    guess: Guess | None = None
    ran: bool = False
    size: int = DEFAULT_SIZE


def build_attempt(guess: Guess) -> Attempt:
    """The attempt that stands for a prediction. Pure."""
    values = zip(QUESTIONS, (guess.winner.value, guess.percent, guess.waste), strict=True)
    answers = (Answer(encode_value(question, value)) for question, value in values)
    return Attempt(name_activity(guess.workload, guess.file), tuple(answers))


def name_activity(workload: str, file: str = "") -> str:
    """The workload as the activity of an attempt. `file`: the digest of an uploaded one."""
    return f"{KIND}.{workload}-{file}" if file else f"{KIND}.{workload}"


def read_attempt(attempt: Attempt, view: str = "") -> MemoryAttempt:
    """Inverse of build_attempt, with the view of encode_view. Raises InvalidLinkError."""
    match, seen = _ACTIVITY.fullmatch(attempt.activity), _VIEW.fullmatch(view)
    if match is None or seen is None or attempt.operations:
        raise InvalidLinkError(part="memory", reason="not of the form of a visit")
    first, file = match.groups()
    size = int(seen["size"] or DEFAULT_SIZE)
    if first not in WORKLOADS or (seen["workload"] or first) not in WORKLOADS:
        raise InvalidLinkError(part="memory", reason="no such workload")
    if not attempt.answers:
        return MemoryAttempt(first)
    if (first == OWN) != (file is not None):
        raise InvalidLinkError(part="memory", reason="a file that is not named, or no file to name")
    if len(attempt.answers) != len(QUESTIONS) or size not in BLOCK_SIZES:
        raise InvalidLinkError(part="memory", reason="another number of answers, or no such block_size")
    given = zip(QUESTIONS, attempt.answers, strict=True)
    guess = Guess.of(first, [decode_value(question, answer.value) for question, answer in given], file or "")
    return MemoryAttempt(seen["workload"] or first, guess, seen["how"] == "run", size)


def encode_view(attempt: MemoryAttempt) -> str:
    """Short text of what is in view beside the prediction; empty before there is one. Pure."""
    if attempt.guess is None:
        return ""
    how = f".run{attempt.size}" if attempt.ran else f".at{attempt.size}" if attempt.size != DEFAULT_SIZE else ""
    return f"{attempt.workload}{how}" if how or attempt.workload != attempt.guess.workload else ""


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
