"""The attempts of a browser for its report: each once, as long as it is known, and whose it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from lab.activities.attempt import Attempt, encode

# Committed in this browser, from a shared link, or started over (the learner's own, or from a link).
Mark = Literal["own", "link", "over", "link_over"]


def gather(
    committed: Iterable[Attempt], earlier: Iterable[Attempt], here: Iterable[Attempt], shared: Collection[str] = ()
) -> list[tuple[Attempt, Mark]]:
    """A browser's attempts, each once and as long as it is known, and whose they are; only those with answers. Pure.

    committed  attempts that this browser has saved and that can go on.
    earlier    attempts that were started over, oldest first.
    here       attempts in the address: the continuation of a committed one, a shared one, or the beginning of any.
    shared     beginnings of attempts whose answers came with a link, as texts.
    """
    over = dict.fromkeys(each for each in earlier if each.answers)
    longest = {each.beginning: each for each in committed if each.answers}
    others: dict[Attempt, Attempt] = {}
    for attempt in here:
        start = attempt.beginning
        if start in longest:
            longest[start] = max(longest[start], attempt, key=lambda each: len(each.operations))
        elif attempt.answers and not any(each.answers_extend(attempt) for each in (*longest, *over)):
            others[start] = attempt
    return [
        *((each, "link" if encode(start) in shared else "own") for start, each in longest.items()),
        *((each, "link") for each in others.values()),
        *((each, "link_over" if encode(each.beginning) in shared else "over") for each in over),
    ]
