"""Events, refusals and operations as sentences of a language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from lab.diagnosis import Diagnosis
from lab.errors import InvalidAnswerError, LabError
from lab.events import BlockShared, BlockTaken, Event, KVWritten, Refused
from lab.operations import Operation, operation_name
from lessons.text import WordsOf


def say_event(event: Event, words: WordsOf) -> str:
    """One line for an event; its numbers are the event's own."""
    values: dict[str, Any] = asdict(event)
    key = f"events.{event.code}"
    if "token_id" in values:
        values["token"] = words.token(values["token_id"])
    if "slots" in values:
        values["slots"] = ranges(values["slots"])
    if "hash" in values:
        values["hash_short"] = f"{values['hash']:016x}"[:6]
    if isinstance(event, KVWritten) and len(event.slots) == 1:
        key += "_one"
    elif isinstance(event, BlockTaken):
        key += f"_{event.by}"
    elif isinstance(event, BlockShared) and event.was_free:
        key += "_free"
    elif isinstance(event, Refused):
        values["reason"] = _error(event.reason, dict(event.numbers), words)
    return words.text(key, **values)


def say_error(error: LabError, words: WordsOf) -> str:
    """One plain sentence for a refusal."""
    if isinstance(error, InvalidAnswerError):
        return words.text(f"errors.invalid_answer.{error.numbers['reason']}")
    return _error(error.code, error.numbers, words)


def say_reason(refusal: Refused, words: WordsOf) -> str:
    """Why something was refused, in one plain sentence."""
    return _error(refusal.reason, dict(refusal.numbers), words)


def say_operation(operation: Operation, words: WordsOf) -> str:
    """The name of an operation, as on its button."""
    return words.text(f"task.op_{operation_name(operation)}", seq_id=operation.seq_id)


def why(diagnosis: Diagnosis, words: WordsOf) -> str:
    """The wrong idea against the run's facts, or how the run's answer comes about where no idea is known."""
    key = f"explain.why.{diagnosis.idea}" if diagnosis.idea else f"explain.derive.{diagnosis.question}"
    value, own = diagnosis.outcome.value, diagnosis.numbers.get("a_table", "")
    if diagnosis.idea == "ids_consecutive" and own != diagnosis.numbers["ids"]:  # another run, the witness, settled it
        key = "witness" if "," in str(own) else "witness_single"
        return words.text(f"task.{key}", here=own, there=diagnosis.numbers["ids"])
    counted = {
        "value_blocks": _counted("blocks", value, words),
        "value_empty": _counted("empty_slots", value, words),
        "answer_slots": _counted("slots", diagnosis.answer, words),
        "a_left_tokens": _counted("tokens", int(diagnosis.numbers.get("a_left", 0)), words),
        "a_last_tokens": _counted("tokens", int(diagnosis.numbers.get("a_last", 0)), words),
        "b_blocks_said": _counted("blocks", int(diagnosis.numbers.get("b_blocks", 0)), words),
    }
    return words.text(key, **diagnosis.numbers, **counted)


def _counted(noun: str, number: int, words: WordsOf) -> str:
    return words.text(f"figures.{noun}.{'one' if number == 1 else 'many'}", n=number)


def listed(items: Iterable[object], words: WordsOf) -> str:
    """Items in a row, with the language's comma."""
    return words.text("figures.comma").join(map(str, items))


def ranges(numbers: tuple[int, ...]) -> str:
    """`28–31, 8–11`: numbers in their order, runs of neighbours joined."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _error(code: str, numbers: dict[str, int | str], words: WordsOf) -> str:
    named = f"errors.limit_names.{numbers.get('name')}"
    what = words.text(named) if words.has(named) else str(numbers.get("name", ""))
    return words.text(f"errors.{code}", what=what, **numbers)
