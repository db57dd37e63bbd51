"""An attempt: what a learner has answered and done so far in one activity, as a value and as a short text.

Attempts of one activity are ordered by prefix. The text `2.task.4.used_3s.1s.0t.1t.7t.1t_aA.aB.tB-5` has the activity
with all that it starts from, the answers in the order of its questions, and the operations. The last two `_` part them;
`2` is the version. An answer is its numbers (places of options, cells; `28~31` is a range, `-` is none), then how sure
the learner was, if known: g(uess), t(hink), s(ure). `tB-5` is an operation five times.

Links are not trusted: any text that encode would not write raises InvalidLinkError or LimitError. Runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sized
from dataclasses import dataclass, replace
from itertools import groupby

from lab.activities.question import LEVELS, Sure
from lab.engine.errors import InvalidLinkError
from lab.trace.config import MAX_OPERATIONS, check_limit
from lab.trace.operations import Operation, encode_operation, parse_operation

Numbers = tuple[int, ...]  # one number, the place of an option, places in order, or cells

VERSION = "2"
MAX_TEXT = 2000  # characters
MAX_ANSWERS = 40
MAX_NUMBERS = 1024  # numbers of one answer: every slot of the largest pool

_SURE = {level[0]: level for level in LEVELS}
_NUMBER = r"(?:0|[1-9][0-9]{0,3})"
_RANGE = rf"{_NUMBER}(?:~{_NUMBER})?"
_ANSWER = re.compile(rf"(?P<value>-|{_RANGE}(?:-{_RANGE})*)(?P<sure>[gts]?)")
_ACTIVITY = re.compile(r"[a-z][A-Za-z0-9._~-]*")
_OPERATION = re.compile(rf"(?P<once>[a-z][A-Z][0-9]?)(?:-(?P<times>{_NUMBER}))?")
_CURSOR = re.compile(rf"(?P<step>{_NUMBER})(?:\.(?P<event>[1-9][0-9]{{0,3}}))?")


@dataclass(frozen=True)
class Answer:
    """The answer to one question. `sure` is None if that was not asked, or if a text of earlier links left it out."""

    value: Numbers
    sure: Sure | None = None

    @property
    def number(self) -> int:
        """The only number of the answer. Raises InvalidLinkError if it has none, or several."""
        if len(self.value) != 1:
            raise InvalidLinkError(part="text", reason="one number expected")
        return self.value[0]

    @property
    def is_sure(self) -> bool:
        """Was the learner sure?"""
        return self.sure == "sure"

    def refines(self, other: Answer) -> bool:
        """Is it the other answer, perhaps with its sureness known?"""
        return self.value == other.value and other.sure in (None, self.sure)


@dataclass(frozen=True)
class Attempt:
    """Answers in the order of the activity's questions, and operations. `activity`: all that the engine starts from."""

    activity: str
    answers: tuple[Answer, ...] = ()
    operations: tuple[Operation, ...] = ()

    @property
    def kind(self) -> str:
        """The first word of the activity."""
        return self.activity.partition(".")[0]

    @property
    def beginning(self) -> Attempt:
        """The same answers, without operations."""
        return replace(self, operations=())

    def answered(self, *answers: Answer) -> Attempt:
        """This attempt with more answers."""
        return replace(self, answers=(*self.answers, *answers))

    def answers_extend(self, other: Attempt) -> bool:
        """Do the answers continue the other's, or equal them?"""
        pairs = list(zip(self.answers, other.answers, strict=False))
        same = self.activity == other.activity and len(pairs) == len(other.answers)
        return same and all(mine.refines(theirs) for mine, theirs in pairs)

    def extends(self, other: Attempt) -> bool:
        """Does it continue the other, or equal it? A partial order."""
        done = other.operations
        return self.answers_extend(other) and self.operations[: len(done)] == done


def encode(attempt: Attempt) -> str:
    """Short text of an attempt. Pure."""
    answers = ".".join(map(_encode_answer, attempt.answers))
    return f"{VERSION}.{attempt.activity}_{answers}_{encode_log(attempt.operations)}"


def decode(text: str) -> Attempt:
    """Inverse of encode. Raises InvalidLinkError and LimitError. The activity checks the answers."""
    version, _, rest = text.partition(".")
    parts = rest.rsplit("_", 2)
    if len(text) > MAX_TEXT or version != VERSION or len(parts) != 3 or not _ACTIVITY.fullmatch(parts[0]):
        raise InvalidLinkError(part="text", reason="not an attempt")
    codes = parts[1].split(".") if parts[1] else []
    if len(codes) > MAX_ANSWERS:
        raise InvalidLinkError(part="text", reason="too many")
    attempt = Attempt(parts[0], tuple(map(_decode_answer, codes)), parse_log(parts[2]))
    if encode(attempt) != text:
        raise InvalidLinkError(part="text", reason="not written as we write it")
    return attempt


def _encode_answer(answer: Answer) -> str:
    return encode_numbers(answer.value) + (answer.sure[0] if answer.sure else "")


def encode_numbers(numbers: Numbers) -> str:
    """Short text of numbers: `3-28~31`, `-` for none."""
    runs: list[str] = []
    for _, pairs in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}~{run[-1]}")
    return "-".join(runs) or "-"


def _decode_answer(code: str) -> Answer:
    match = _ANSWER.fullmatch(code)
    if match is None:
        raise InvalidLinkError(part="text", reason="not an answer")
    return Answer(decode_numbers(match["value"]), _SURE.get(match["sure"]))


def decode_numbers(code: str) -> Numbers:
    """Inverse of encode_numbers, for texts of its alphabet. Raises InvalidLinkError."""
    numbers: list[int] = []
    for part in code.split("-") if code != "-" else ():
        first, _, last = part.partition("~")
        span = range(int(first), int(last or first) + 1)
        if not span or len(numbers) + len(span) > MAX_NUMBERS:
            raise InvalidLinkError(part="text", reason="not a range")
        numbers += span
    return tuple(numbers)


def encode_log(operations: tuple[Operation, ...]) -> str:
    """Short text of a log: `aA.tA-3.rA`. Pure."""
    runs = ((text, len(list(run))) for text, run in groupby(map(encode_operation, operations)))
    return ".".join(text if times == 1 else f"{text}-{times}" for text, times in runs)


def parse_log(text: str) -> tuple[Operation, ...]:
    """Inverse of encode_log, for its own texts. Raises InvalidLinkError, LimitError."""
    operations: list[Operation] = []
    for part in text.split(".") if text else ():
        match = _OPERATION.fullmatch(part)
        if match is None:
            raise InvalidLinkError(part="log", reason="unknown operation")
        times = int(match["times"] or 1)
        check_limit("operations", len(operations) + times, MAX_OPERATIONS)
        operations += [parse_operation(match["once"])] * times
    return tuple(operations)


@dataclass(frozen=True)
class Cursor:
    """The position in a run: after `step` operations, or inside operation `step` after its first `event` events."""

    step: int
    event: int | None = None


def encode_cursor(cursor: Cursor) -> str:
    """Short text of a cursor: `3`, or `3.2` inside the third operation."""
    return f"{cursor.step}" if cursor.event is None else f"{cursor.step}.{cursor.event}"


def parse_cursor(text: str, operations: Sized) -> Cursor:
    """Inverse of encode_cursor, in the log of these operations. Raises InvalidLinkError."""
    match = _CURSOR.fullmatch(text)
    if match is None or int(match["step"]) > len(operations):
        raise InvalidLinkError(part="at", reason="no such step")
    if match["event"] and match["step"] == "0":
        raise InvalidLinkError(part="at", reason="no such event")
    return Cursor(int(match["step"]), int(match["event"]) if match["event"] else None)
