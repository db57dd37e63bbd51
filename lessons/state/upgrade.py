"""Records of earlier versions of the lab in the shape of today's. Pure. The record is untrusted.

Today `attempts` has the longest attempt by activity, `earlier` those that were started over, `shared` the beginnings of
attempts that came with a link, and `answers`, by an attempt's beginning, what was answered beside it: quick questions
(`check.<log>`), retries (`again.<question>.<turn>`), tries at the chapter's question (`try.<number>`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lab.activities import old_links
from lab.activities.attempt import Attempt, encode, encode_log
from lab.activities.question import LEVELS
from lab.engine.errors import LabError

Record = dict[str, Any]
CHAPTER = Attempt("chapter")  # the tries at the chapter's question are answered beside it
_FOLDED = ("committed", "ran", "foreign", "rounds", "rounds_sure", "intuition", "memory", "checks", "again", "quiz")


def upgrade(record: Record) -> Record:
    """The record with every part of an earlier shape put where it belongs today; a record of today is unchanged."""
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
        "earlier": get_list(record, "earlier") + [encode(each) for each in _read_list(listed)],
        "shared": get_list(record, "shared") + [encode(each.beginning) for each in _read_list(record.get("foreign"))],
        "answers": _collect_answers(record),
    }
    new.pop("attempts", None)
    return {**new, **{name: part for name, part in parts.items() if part}}


def read_attempt(text: object, key: str = "run") -> Attempt | None:
    """The attempt of a text; None if it has none. `key`: the address's key for texts of that form."""
    try:
        return old_links.read(text, key)[0] if isinstance(text, str) and text else None
    except LabError:
        return None


def get_list(record: Record, name: str) -> list[Any]:
    """A list of the record; empty if it is not there."""
    found = record.get(name)
    return found if isinstance(found, list) else []


def get_map(record: Record, name: str) -> Record:
    """A map of the record; empty if it is not there."""
    found = record.get(name)
    return found if isinstance(found, dict) else {}


def clean_text(text: object, most: int) -> str:
    """At most `most` characters, with lone surrogates replaced; empty if it is no text."""
    return text[:most].encode("utf-8", "replace").decode() if isinstance(text, str) else ""


def _read_list(texts: object, key: str = "run") -> list[Attempt]:
    found = (read_attempt(text, key) for text in (texts if isinstance(texts, list) else ()))
    return [each for each in found if each is not None]


def _read_attempts(record: Record) -> Iterator[Attempt]:
    for name in ("committed", "ran"):
        for text in get_map(record, name).values():
            if (attempt := read_attempt(text)) is not None and attempt.answers:
                yield attempt
    signs = get_map(record, "rounds_sure")
    for text in get_list(record, "rounds"):
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


def _collect_answers(record: Record) -> Record:
    known = get_map(record, "answers").items()
    answers = {beginning: dict(given) for beginning, given in known if isinstance(given, dict)}
    for text, chosen in get_map(record, "checks").items():
        if (attempt := read_attempt(text)) is not None and isinstance(chosen, str):
            question = f"check.{encode_log(attempt.operations)}"
            answers.setdefault(encode(attempt.beginning), {}).setdefault(question, chosen)
    for name, given in get_map(record, "again").items():  # `4.used_P3-1-1-0-1-7-110000_new_page`
        scenario, predicted, question = [*str(name).split("_", 2), "", ""][:3]
        if (attempt := read_attempt(f"{scenario}_{predicted}_")) is not None and isinstance(given, list):
            for turn, value in enumerate(given):
                answers.setdefault(encode(attempt), {}).setdefault(f"again.{question}.{turn}", value)
    for number, option in enumerate(get_list(record, "quiz")):
        answers.setdefault(encode(CHAPTER), {}).setdefault(f"try.{number}", option)
    return answers
