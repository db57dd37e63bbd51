"""Answers: parsed from what was typed or chosen, and as numbers for links. One in the wrong form costs nothing.

A format error is no wrong answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation

from lab.activities.question import MAX_NUMBER, Question, Value
from lab.engine.errors import InvalidAnswerError, InvalidLinkError

Raw = str | int | Iterable[str | int] | None  # what a widget gives, or what a learner typed

_SEPARATOR = re.compile(r"[\s,;，、；]+")
_RANGE = re.compile(r"(.+?)[-–—~～](.+)")
_DASH = re.compile(r"(?<=\d)\s*([-–—~～])\s*(?=\d)")


def parse(question: Question, raw: Raw) -> Value:
    """Turn what a widget gives, or what a learner typed, into a value of the question's form.

    number, slot     text such as `3`, or an int; percent: also `40%`
    yes_no, choice   one of the question's choices
    order            the ids of all options, each once
    set              cells as ints, or text such as `28-31, 5` or `28 - 31`; no cell at all is a valid answer
    several          ids of options, at least one
    Raises InvalidAnswerError: reason "empty", "not_a_number", "not_whole", "negative", "too_large", "not_a_percent",
    "no_choice", "not_every_step", "not_numbers", "no_such_cell" or "none_chosen".
    """
    if question.form in ("number", "slot"):
        return parse_number("" if raw is None else str(raw))
    if question.form == "percent":
        return _parse_percent("" if raw is None else str(raw))
    if question.form == "set":
        return _parse_cells(question, raw)
    chosen = [] if raw is None else [raw] if isinstance(raw, str | int) else list(raw)
    if question.form == "order":
        if sorted(map(str, chosen)) != sorted(map(str, question.choices)):
            raise InvalidAnswerError(reason="not_every_step")
        return tuple(map(str, chosen))
    if question.form == "several":
        if not chosen or not set(question.choices).issuperset(chosen):
            raise InvalidAnswerError(reason="none_chosen")
        return frozenset(map(str, chosen))
    if len(chosen) != 1 or chosen[0] not in question.choices:
        raise InvalidAnswerError(reason="no_choice")
    return chosen[0]


def parse_number(text: str) -> int:
    """A typed whole number 0..999, in the digits of any script. Raises InvalidAnswerError with the reason.

    Number signs that are not digits (½, ², ①) are refused: 3² would become 32.
    """
    cleaned = unicodedata.normalize("NFKC", text).replace("\N{MINUS SIGN}", "-").strip()
    if not cleaned:
        raise InvalidAnswerError(reason="empty")
    if "_" in cleaned or any(sign.isnumeric() and not sign.isdecimal() for sign in text):
        raise InvalidAnswerError(reason="not_a_number")
    try:
        number = Decimal(cleaned)
    except InvalidOperation:
        raise InvalidAnswerError(reason="not_a_number") from None
    if number.is_nan():
        raise InvalidAnswerError(reason="not_a_number")
    if number < 0:
        raise InvalidAnswerError(reason="negative")
    if number > MAX_NUMBER:
        raise InvalidAnswerError(reason="too_large")
    if number != number.to_integral_value():
        raise InvalidAnswerError(reason="not_whole")
    return int(number)


def parse_item(text: str) -> int:
    """One of several typed numbers. Raises InvalidAnswerError: "not_numbers" where `parse_number` would ask for one."""
    try:
        return parse_number(text)
    except InvalidAnswerError as problem:
        if problem.numbers["reason"] in ("empty", "not_a_number"):
            raise InvalidAnswerError(reason="not_numbers") from None
        raise


def _parse_percent(text: str) -> int:
    """A whole number 0..100, perhaps with its sign. Whatever the problem, the reason says what belongs there."""
    try:
        number = parse_number(text.strip().rstrip("%\N{FULLWIDTH PERCENT SIGN}"))
    except InvalidAnswerError:
        raise InvalidAnswerError(reason="not_a_percent") from None
    if number > 100:
        raise InvalidAnswerError(reason="not_a_percent")
    return number


def _parse_cells(question: Question, raw: Raw) -> frozenset[int]:
    if raw is None:
        return frozenset()
    if isinstance(raw, str):
        parts = [part for part in _SEPARATOR.split(_DASH.sub(r"\1", raw)) if part]
    else:
        parts = [str(item) for item in ([raw] if isinstance(raw, int) else raw)]
    cells: set[int] = set()
    for part in parts:
        ends = _RANGE.fullmatch(part)
        first, last = (parse_item(end) for end in (ends.groups() if ends else (part, part)))
        if not (first <= last and first in question.cells and last in question.cells):
            raise InvalidAnswerError(reason="no_such_cell")
        cells.update(range(first, last + 1))
    return frozenset(cells)


def encode_value(question: Question, value: Value) -> tuple[int, ...]:
    """An answer as numbers: the number itself, the places of the chosen options among those shown, or cells. Pure."""
    if isinstance(value, int):
        return (value,)
    if question.form == "set":
        return tuple(sorted(cell for cell in value if isinstance(cell, int)))
    places = [option.id for option in question.options]
    chosen = [value] if isinstance(value, str) else [item for item in value if isinstance(item, str)]
    numbers = [places.index(item) for item in chosen]
    return tuple(numbers if question.form == "order" else sorted(numbers))


def decode_value(question: Question, places: Sequence[int]) -> Value:
    """Inverse of encode_value. Raises InvalidLinkError."""
    try:
        if question.form == "set":
            value = parse(question, places)
        elif question.options:
            value = parse(question, [question.options[place].id for place in places])
        else:
            value = parse(question, places[0])
    except (InvalidAnswerError, IndexError):
        raise InvalidLinkError(part="text", reason="not an answer") from None
    if encode_value(question, value) != tuple(places):
        raise InvalidLinkError(part="text", reason="not written as we write it")
    return value
