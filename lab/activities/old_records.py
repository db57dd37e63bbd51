"""Records of earlier versions of the lab in the shape of today's (lab.activities.record). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lab.activities.attempt import Attempt, encode, encode_log
from lab.activities.question import LEVELS
from lab.activities.record import CHAPTER, Record, read_attempt

_FOLDED = ("committed", "ran", "foreign", "rounds", "rounds_sure", "intuition", "memory", "checks", "again", "quiz")


def upgrade(found: Mapping[str, Any]) -> Record:
    """The record with every part of an earlier shape put where it belongs today; a record of today is unchanged."""
    record = found if isinstance(found, Record) else Record(found)
    listed = record.get("attempts")
    old = [name for name in _FOLDED if name in record]
    if not old and not isinstance(listed, list):
        return record
    new = {name: value for name, value in record.items() if name not in old}
    attempts = dict(listed) if isinstance(listed, dict) else {}
    for attempt in _read_attempts(record):
        saved = read_attempt(attempts.get(attempt.activity))
        if saved is None or (attempt.extends(saved) and attempt != saved):
            attempts[attempt.activity] = encode(attempt)
    parts = {
        "attempts": attempts,
        "earlier": record.get_list("earlier") + [encode(each) for each in _read_list(listed)],
        "shared": record.get_list("shared") + [encode(each.beginning) for each in _read_list(record.get("foreign"))],
        "answers": _collect_answers(record),
    }
    new.pop("attempts", None)
    return Record({**new, **{name: part for name, part in parts.items() if part}})


def _read_list(texts: object, key: str = "run") -> list[Attempt]:
    found = (read_attempt(text, key) for text in (texts if isinstance(texts, list) else ()))
    return [each for each in found if each is not None]


def _read_attempts(record: Record) -> Iterator[Attempt]:
    for name in ("committed", "ran"):
        for text in record.get_map(name).values():
            if (attempt := read_attempt(text)) is not None and attempt.answers:
                yield attempt
    signs = record.get_map("rounds_sure")
    for text in record.get_list("rounds"):
        if (attempt := read_attempt(text, "quiz")) is not None:
            yield _add_sureness(attempt, signs.get(str(text).partition("_")[0]))
    for name in ("intuition", "memory"):
        if (attempt := read_attempt(record.get(name), name)) is not None and attempt.answers:
            yield attempt


def _add_sureness(attempt: Attempt, signs: object) -> Attempt:
    levels = [LEVELS[int(sign)] if sign in "012" else None for sign in (signs if isinstance(signs, str) else "")]
    levels += [None] * len(attempt.answers)
    answers = (replace(answer, sure=level) for answer, level in zip(attempt.answers, levels, strict=False))
    return replace(attempt, answers=tuple(answers))


def _collect_answers(record: Record) -> dict[str, Any]:
    known = record.get_map("answers").items()
    answers = {beginning: dict(given) for beginning, given in known if isinstance(given, dict)}
    for text, chosen in record.get_map("checks").items():
        if (attempt := read_attempt(text)) is not None and isinstance(chosen, str):
            question = f"check.{encode_log(attempt.operations)}"
            answers.setdefault(encode(attempt.beginning), {}).setdefault(question, chosen)
    for name, given in record.get_map("again").items():  # `4.used_P3-1-1-0-1-7-110000_new_page`
        scenario, predicted, question = [*str(name).split("_", 2), "", ""][:3]
        if (attempt := read_attempt(f"{scenario}_{predicted}_")) is not None and isinstance(given, list):
            for turn, value in enumerate(given):
                answers.setdefault(encode(attempt), {}).setdefault(f"again.{question}.{turn}", value)
    for number, option in enumerate(record.get_list("quiz")):
        answers.setdefault(encode(CHAPTER), {}).setdefault(f"try.{number}", option)
    return answers
