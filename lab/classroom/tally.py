"""What the votes on one question add up to: bars by answer with the idea behind it, moves, and how sure they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.activities.question import LEVELS, Grade

LEAST_FOR_SURENESS = 5  # answers: with fewer, how sure "the wrong" were would be about one person


@dataclass(frozen=True)
class Vote:
    """One answer. `participant` is a random number of a browser; `answer` is the answer's canonical text."""

    participant: str
    round: int
    answer: str
    sure: str


@dataclass(frozen=True)
class Bar:
    """One answer that somebody gave: how many gave it in each round."""

    answer: str
    right: bool
    idea: str
    first: int
    second: int


@dataclass(frozen=True)
class Move:
    """How many changed from one answer to another between the rounds."""

    before: str
    after: str
    count: int


@dataclass(frozen=True)
class Tally:
    """All votes on one question.

    bars    the right answer first, then the others, the most frequent first.
    moves   only changes, the most frequent first.
    sure    by (round, right): how many said guess, think, sure; empty with fewer than LEAST_FOR_SURENESS answers.
    """

    votes: tuple[int, int]
    right: tuple[int, int]
    bars: tuple[Bar, ...]
    moves: tuple[Move, ...]
    sure: Mapping[tuple[int, bool], tuple[int, ...]]

    @property
    def commonest_wrong(self) -> Bar | None:
        """The wrong answer with a known idea that most gave in the latest round; None if there is none."""
        held = 1 if self.votes[1] else 0
        wrong = [bar for bar in self.bars if not bar.right and bar.idea]
        return max(wrong, key=lambda bar: (bar.first, bar.second)[held], default=None)


def count_votes(votes: Iterable[Vote], grade: Callable[[str], Grade]) -> Tally:
    """Count the votes of one question. `grade` is asked once for each different answer. Pure."""
    rounds: tuple[dict[str, Vote], dict[str, Vote]] = ({}, {})
    for vote in votes:
        rounds[vote.round - 1][vote.participant] = vote
    counts = tuple(Counter(vote.answer for vote in each.values()) for each in rounds)
    graded = {answer: grade(answer) for answer in {*counts[0], *counts[1]}}
    bars = [
        Bar(answer, graded[answer].right, graded[answer].idea, counts[0][answer], counts[1][answer])
        for answer in graded
    ]
    bars.sort(key=lambda bar: (not bar.right, -(bar.second if counts[1] else bar.first), -bar.first, bar.answer))
    changed = Counter(
        (before.answer, rounds[1][who].answer)
        for who, before in rounds[0].items()
        if who in rounds[1] and rounds[1][who].answer != before.answer
    )
    moves = tuple(Move(*pair, count) for pair, count in sorted(changed.items(), key=lambda item: (-item[1], item[0])))
    return Tally(
        (len(rounds[0]), len(rounds[1])),
        (_count_right(rounds[0].values(), graded), _count_right(rounds[1].values(), graded)),
        tuple(bars),
        moves,
        _count_sureness([tuple(each.values()) for each in rounds], graded),
    )


def _count_right(votes: Iterable[Vote], graded: Mapping[str, Grade]) -> int:
    return sum(graded[vote.answer].right for vote in votes)


def _count_sureness(
    rounds: Sequence[Sequence[Vote]], graded: Mapping[str, Grade]
) -> dict[tuple[int, bool], tuple[int, ...]]:
    result: dict[tuple[int, bool], tuple[int, ...]] = {}
    for number, votes in enumerate(rounds, 1):
        asked = [vote for vote in votes if vote.sure]
        if len(asked) >= LEAST_FOR_SURENESS:
            for right in (True, False):
                said = Counter(vote.sure for vote in asked if graded[vote.answer].right is right)
                result[number, right] = tuple(said[level] for level in LEVELS)
    return result
