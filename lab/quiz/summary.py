"""What a round has shown: how often each idea was met, missed and avoided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lab.activities.ideas import is_slip
from lab.quiz.concepts import get_base_kind
from lab.quiz.round import Round, play_turns


@dataclass(frozen=True)
class Trials:
    """How often an idea, or a kind of question, was met and was missed, and whether the last answer was right."""

    met: int = 0
    missed: int = 0
    last_right: bool = True

    def and_one(self, right: bool) -> Trials:
        """These trials and one more."""
        return Trials(self.met + 1, self.missed + (not right), right)

    @property
    def shaky(self) -> bool:
        """Missed the last time, or missed more often than avoided."""
        return not self.last_right or 2 * self.missed > self.met

    @property
    def corrected(self) -> bool:
        """Missed before, and avoided the last time."""
        return self.missed > 0 and not self.shaky

    @property
    def avoided(self) -> bool:
        """Met at least twice and never missed; once could be luck."""
        return self.met > 1 and not self.missed


@dataclass(frozen=True)
class Summary:
    """What a round has shown so far.

    `trials`: by idea that the questions tried, or slip that was made, in the order met. `unclear`: kinds whose last
    answer was wrong for no known reason. `hard`: kinds missed at least twice, and in more than half of the questions.
    """

    right: int
    answered: int
    trials: Mapping[str, Trials]
    unclear: tuple[str, ...]
    hard: tuple[str, ...]

    @property
    def seen(self) -> tuple[str, ...]:
        """Every idea met."""
        return tuple(self.trials)

    @property
    def shaky(self) -> tuple[str, ...]:
        """Ideas to look at again."""
        return tuple(idea for idea, tried in self.trials.items() if tried.shaky)

    @property
    def corrected(self) -> tuple[str, ...]:
        """Ideas that were missed and then avoided."""
        return tuple(idea for idea, tried in self.trials.items() if tried.corrected)

    @property
    def avoided(self) -> tuple[str, ...]:
        """Ideas that were met at least twice and avoided every time."""
        return tuple(idea for idea, tried in self.trials.items() if tried.avoided)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Ideas that were met once and avoided: too early to say."""
        return tuple(i for i, tried in self.trials.items() if not (tried.shaky or tried.corrected or tried.avoided))


def summarize(played: Round) -> Summary:
    """What the answers so far show. Pure."""
    done = [turn for turn in play_turns(played) if turn.result is not None]
    held: dict[str, Trials] = {}
    kinds: dict[str, Trials] = {}
    clear: dict[str, bool] = {}
    for turn in done:
        right, idea = not turn.missed, turn.result.idea if turn.result else ""
        kind = get_base_kind(turn.question.name.kind)
        clear[kind] = right or bool(idea)
        kinds[kind] = kinds.get(kind, Trials()).and_one(right)
        tried = [i for i in turn.question.ideas if i in held or not is_slip(i)] if right else [idea]
        held.update((i, held.get(i, Trials()).and_one(right)) for i in tried if i)
    return Summary(
        right=sum(not turn.missed for turn in done),
        answered=len(done),
        trials=held,
        unclear=tuple(kind for kind, is_clear in clear.items() if not is_clear),
        hard=tuple(kind for kind, tried in kinds.items() if tried.missed > 1 and 2 * tried.missed > tried.met),
    )
