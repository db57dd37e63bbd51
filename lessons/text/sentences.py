"""Events, errors, operations and numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import reduce
from string import punctuation
from typing import Any

from lab.activities.question import Grade
from lab.engine.errors import InvalidAnswerError, LabError, LengthMismatchError
from lab.sandbox.errors import AuthorTextTooLongError, QueueIdsError, RequestNameError, WholeNumberError
from lab.trace.events import BlockFreed, BlockShared, BlockTaken, Event, KVWritten, Refused, format_hash
from lab.trace.operations import Operation, name_operation
from lessons.text.translations import Translations


def format_event(event: Event, words: Translations) -> str:
    """One line about an event, with the event's numbers."""
    values: dict[str, Any] = asdict(event)
    key = f"events.{event.code}"
    if "token_id" in values:
        values["token"] = words.token(values["token_id"])
    if "slots" in values:
        values["slots"] = format_ranges(values["slots"], words)
    if "hash" in values:
        values["hash_short"] = format_hash(values["hash"])
    if isinstance(event, KVWritten) and len(event.slots) == 1:
        key += "_one"
    elif isinstance(event, BlockTaken):
        key += f"_{event.by}"
    elif isinstance(event, BlockShared) and event.was_free:
        key += "_free"
    elif isinstance(event, BlockFreed) and event.first:
        key += "_first"
    elif isinstance(event, Refused):
        values["reason"] = _format_error(event.reason, dict(event.numbers), words)
    return words.text(key, **values)


def format_error(error: LabError, words: Translations) -> str:
    """One sentence about an error, with its numbers."""
    if isinstance(error, InvalidAnswerError):
        return words.text(f"errors.invalid_answer.{error.numbers['reason']}")
    if isinstance(error, QueueIdsError):
        return _format_queue_error(error, words)
    if isinstance(error, RequestNameError) and (character := str(error.numbers.get("character", ""))):
        return words.text("errors.request_name_character", character=_escape_sign(character))
    return _format_error(error.code, error.numbers, words)


def _format_queue_error(error: QueueIdsError, words: Translations) -> str:
    """The ids that are wrong. Only if there are none, that some are missing: the rest of a typed queue follows."""
    said = {
        name: words.text(f"sandbox.queue_{name}", ids=format_list(ids, words), num_blocks=error.numbers["num_blocks"])
        for name in ("unknown", "twice", "missing")
        if (ids := str(error.numbers.get(name, "")).split())
    }
    parts = [said[name] for name in ("unknown", "twice") if name in said]
    parts = parts or [_format_error(error.code, error.numbers, words), *said.values()]
    return reduce(lambda before, after: words.text("sandbox.told", reason=before, advice=after), parts)


def _escape_sign(character: str) -> str:
    """One typed character for Markdown."""
    return f"\\{character}" if character in punctuation else character


def format_reason(refusal: Refused, words: Translations) -> str:
    """One sentence about why an operation was refused."""
    return _format_error(refusal.reason, dict(refusal.numbers), words)


def format_operation(operation: Operation, words: Translations) -> str:
    """The operation's name, as on its button."""
    return words.text(f"task.op_{name_operation(operation)}", seq_id=operation.seq_id)


def explain_grade(topic: str, grade: Grade, words: Translations, setting: Mapping[str, object] | None = None) -> str:
    """Why the idea behind the answer does not fit the run; if no idea is known, how the run's answer comes about.

    `setting`: further values for placeholders, those of the question.
    """
    value, values = grade.value, format_values(grade.facts, words)
    table, ids = grade.facts.get("a_table", ()), grade.facts.get("ids", ())
    if (grade.question, grade.idea) == ("consecutive", "ids_consecutive") and table != ids:
        key = "witness" if isinstance(table, tuple) and len(table) > 1 else "witness_single"  # what another run shows
        return words.text(f"task.{key}", here=values.get("a_table", ""), there=values["ids"])
    counts = {
        "value_blocks": _format_count("blocks", _get_int(value), words),
        "value_empty": _format_count("empty_slots", _get_int(value), words),
        "answer_slots": _format_count("slots", _get_int(grade.answer), words),
        "a_left_tokens": _format_count("tokens", _get_int(grade.facts.get("a_left")), words),
        "a_last_tokens": _format_count("tokens", _get_int(grade.facts.get("a_last")), words),
        "b_blocks_said": _format_count("blocks", _get_int(grade.facts.get("b_blocks")), words),
    }
    what = f"idea.{grade.question}_{grade.idea}" if grade.idea else f"derive.{grade.question}"
    return words.text(f"{topic}.{what}", **{**values, **counts, **(setting or {})})


def _get_int(number: object) -> int:
    return number if isinstance(number, int) else 0


def _format_count(noun: str, number: int, words: Translations) -> str:
    return words.text(f"figures.{noun}.{'one' if number == 1 else 'many'}", n=number)


def format_list(items: Iterable[object], words: Translations) -> str:
    """The items, joined by the language's comma."""
    return words.text("figures.comma").join(map(str, items))


class Ids:
    """A list for placeholders: `{ids}` joins its items with the language's comma, `{ids:code}` as Python does."""

    def __init__(self, ids: tuple[object, ...], words: Translations) -> None:
        self.ids, self.words = ids, words

    def __format__(self, how: str) -> str:
        return ", ".join(map(str, self.ids)) if how == "code" else format_list(self.ids, self.words)


def format_values(numbers: Mapping[str, object], words: Translations) -> dict[str, object]:
    """The numbers of a run as values for placeholders. Pure."""
    return {name: Ids(value, words) if isinstance(value, tuple) else value for name, value in numbers.items()}


def format_ranges(numbers: tuple[int, ...], words: Translations | None = None) -> str:
    """`28–31, 8–11`: the numbers in their order, consecutive ones joined to a range.

    The comma is the language's; without `words` it is the one that a field accepts.
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    ranges = (str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
    return format_list(ranges, words) if words else ", ".join(ranges)


def _format_error(code: str, numbers: dict[str, int | str], words: Translations) -> str:
    name = str(numbers.get("name", ""))
    kind = {WholeNumberError.code: "typed", AuthorTextTooLongError.code: "text"}.get(code, "limit")
    named = f"errors.{kind}_names.{name}"
    what = words.text(named) if words.has(named) else name
    values: dict[str, object] = {**numbers}
    if code == LengthMismatchError.code:
        values |= {noun: _format_count(noun, _get_int(numbers.get(noun)), words) for noun in ("tokens", "slots")}
    return words.text(f"errors.{code}", what=what, **values)
