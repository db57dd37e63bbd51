"""The quiz in the learner's record: the rounds of this browser, and how sure each answer was. Nothing is trusted.

`rounds` is a list of round texts, the newest last; `rounds_sure` has for a round's settings one sign an answer.
There is one round for the same settings: whoever takes them up again goes on with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

from lab.engine.errors import LabError
from lab.quiz.round import Round
from lab.quiz.round_link import parse_round, round_text
from lessons.state import record

Sure = Literal["guess", "think", "sure"]
LEVELS: tuple[Sure, ...] = get_args(Sure)
MAX_ROUNDS = 30
_UNKNOWN = "-"


def settings_text(played: Round) -> str:
    """A round without its answers, as text."""
    return round_text(replace(played, answers=()))


def texts() -> list[str]:
    """The texts of this browser's rounds, oldest first. They may have been edited: parse with care."""
    return _texts(record.read())


def rounds() -> list[Round]:
    """This browser's rounds, oldest first; what is no round is left out."""
    return [played for text in texts() if (played := _parsed(text)) is not None]


def own(played: Round) -> Round | None:
    """What this browser answered in the round with these settings; None if it has not begun it."""
    return _own(record.read(), settings_text(played))


def sureness(played: Round) -> tuple[Sure | None, ...]:
    """How sure each answer of this browser's round was; None where that is not known."""
    kept = record.read().get("rounds_sure")
    signs = kept.get(settings_text(played)) if isinstance(kept, dict) else None
    levels = [_level(sign) for sign in signs[: len(played.answers)]] if isinstance(signs, str) else []
    return (*levels, *[None] * (len(played.answers) - len(levels)))


def add(played: Round, sure: Sure) -> None:
    """Keep the round with its newest answer; the newest MAX_ROUNDS rounds are kept.

    An answer counts once: where this browser has answered otherwise or further, in another tab, that stays.
    """
    settings = settings_text(played)

    def change(kept: dict[str, Any]) -> dict[str, Any]:
        known = _own(kept, settings)
        if known is not None and known.answers != played.answers[: len(known.answers)]:
            return kept
        others = [text for text in _texts(kept) if _settings(text) != settings]
        newest = [*others, round_text(played)][-MAX_ROUNDS:]
        told = kept.get("rounds_sure")
        alive = {_settings(text) for text in newest}
        signs = {k: v for k, v in told.items() if k in alive} if isinstance(told, dict) else {}
        before = signs.get(settings, "")
        earlier = (before if isinstance(before, str) else "")[: len(played.answers) - 1]
        signs[settings] = earlier.ljust(len(played.answers) - 1, _UNKNOWN) + str(LEVELS.index(sure))
        return {**kept, "rounds": newest, "rounds_sure": signs}

    record.update(change)


def _own(kept: dict[str, Any], settings: str) -> Round | None:
    return next((found for text in _texts(kept) if _settings(text) == settings and (found := _parsed(text))), None)


def _texts(kept: dict[str, Any]) -> list[str]:
    found = kept.get("rounds")
    return [text for text in found[-MAX_ROUNDS:] if isinstance(text, str)] if isinstance(found, list) else []


def _settings(text: str) -> str:
    return text.partition("_")[0]


def _parsed(text: str) -> Round | None:
    try:
        return parse_round(text)
    except LabError:
        return None


def _level(sign: str) -> Sure | None:
    return LEVELS[int(sign)] if sign in "012" else None
