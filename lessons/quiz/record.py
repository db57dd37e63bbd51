"""The quiz in the learner's record: this browser's rounds and how sure each answer was. The record is untrusted.

`rounds` is a list of encoded rounds, the newest last. `rounds_sure` maps a round's settings to one sign per answer.
There is one round for each set of settings: starting it again continues it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lab.activities.question import LEVELS, Sure
from lab.engine.errors import LabError
from lab.quiz.round import Round
from lab.quiz.round_link import encode_round, parse_round
from lessons.state import record

MAX_ROUNDS = 30
_UNKNOWN = "-"


def format_settings(played: Round) -> str:
    """Encode a round without its answers."""
    return encode_round(replace(played, answers=()))


def get_texts() -> list[str]:
    """Return this browser's encoded rounds, oldest first. They are untrusted: parsing can fail."""
    return _read_texts(record.read())


def get_rounds() -> list[Round]:
    """Return this browser's rounds, oldest first, without those that cannot be parsed."""
    return [played for text in get_texts() if (played := _parse(text)) is not None]


def find_mine(played: Round) -> Round | None:
    """Return this browser's round with the same settings, or None if it has not begun one."""
    return _find_mine(record.read(), format_settings(played))


def get_sureness(played: Round) -> tuple[Sure | None, ...]:
    """Return how sure each answer of this browser's round was, None where that is not known."""
    saved = record.read().get("rounds_sure")
    signs = saved.get(format_settings(played)) if isinstance(saved, dict) else None
    levels = [_read_level(sign) for sign in signs[: len(played.answers)]] if isinstance(signs, str) else []
    return (*levels, *[None] * (len(played.answers) - len(levels)))


def add(played: Round, sure: Sure) -> None:
    """Store the round with its newest answer. Only the newest MAX_ROUNDS rounds stay.

    If another tab has stored different or further answers to this round, those stay and nothing changes.
    """
    settings = format_settings(played)

    def change(saved: dict[str, Any]) -> dict[str, Any]:
        mine = _find_mine(saved, settings)
        if mine is not None and mine.answers != played.answers[: len(mine.answers)]:
            return saved
        others = [text for text in _read_texts(saved) if _get_settings(text) != settings]
        newest = [*others, encode_round(played)][-MAX_ROUNDS:]
        saved_signs = saved.get("rounds_sure")
        alive = {_get_settings(text) for text in newest}
        signs = {k: v for k, v in saved_signs.items() if k in alive} if isinstance(saved_signs, dict) else {}
        before = signs.get(settings, "")
        earlier = (before if isinstance(before, str) else "")[: len(played.answers) - 1]
        signs[settings] = earlier.ljust(len(played.answers) - 1, _UNKNOWN) + str(LEVELS.index(sure))
        return {**saved, "rounds": newest, "rounds_sure": signs}

    record.update(change)


def _find_mine(saved: dict[str, Any], settings: str) -> Round | None:
    return next(
        (found for text in _read_texts(saved) if _get_settings(text) == settings and (found := _parse(text))), None
    )


def _read_texts(saved: dict[str, Any]) -> list[str]:
    found = saved.get("rounds")
    return [text for text in found[-MAX_ROUNDS:] if isinstance(text, str)] if isinstance(found, list) else []


def _get_settings(text: str) -> str:
    return text.partition("_")[0]


def _parse(text: str) -> Round | None:
    try:
        return parse_round(text)
    except LabError:
        return None


def _read_level(sign: str) -> Sure | None:
    return LEVELS[int(sign)] if sign in "012" else None
