"""Readers of the six kinds of text that links and records held before lab.activities.attempt. Nothing writes them.

run        `4.used_P3-1-1-0-1-7-110000_aA.aB.tB`, `exact_5@3-27-01_aA`: scenario, prediction (form, answers, sure), log
intuition  `11-20_3.1`: option and sure of each answer; the scene and the frame in view
round      `s.17.4.easy.10_3.0.2-0-1.28~31-5`: settings, answers (`e`: none)
memory     `sharegpt.paged.90.5to15.alpaca.run16`: workload, three answers; the workload and block_size in view
sandbox    `1.16.4.used_A.n11_B.n4_aA.tB-5`, or `kept.<digest>_aA` for one too long for a link

Each reads what it can from the form of the text; whether the activity has such answers is checked with the attempt.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lab.activities.attempt import MAX_NUMBERS, Answer, Attempt, decode, decode_numbers, encode_log, parse_log
from lab.activities.question import Sure
from lab.engine.errors import InvalidLinkError
from lab.trace.config import MAX_OPERATIONS, check_limit
from lab.trace.operations import parse_operation
from lab.trace.presets import name_queue, parse_queue

MAX_TEXT = 2000  # characters

_NUMBER = r"(?:0|[1-9][0-9]{0,3})"
_NEW = re.compile(r"2\.(?!used_|fresh_)[a-z]")  # `2.used__` is an earlier run at block_size 2
_PREDICTION = re.compile(rf"(?P<form>[A-Z]|(?P<pick>{_NUMBER})@)?(?P<answers>{_NUMBER}(?:-{_NUMBER})*)-(?P<sure>[01]+)")
_INTUITION = re.compile(r"([0-9][01](?:-[0-9][01]){0,2})_([1-9]\.[1-9][0-9]?)")
_ROUND_ANSWER = re.compile(rf"e|{_NUMBER}(?:~{_NUMBER})?(?:-{_NUMBER}(?:~{_NUMBER})?)*")
_KINDS = {"P": "task", "Q": "resized"}  # the letter of the task's form -> the first word of the activity
_POLICIES = ("maximum", "power_of_two", "true_length", "paged")
_BANDS = ("under5", "5to15", "15to35", "over35")
_GUESS = r"\.([a-z_]{1,20})\.(0|[1-9][0-9]?|100)\.([a-z0-9]{1,8})"
_VIEW = r"(?:\.([a-z]{1,20}(?:\.(?:run|at)[0-9]{1,3})?))?"
_MEMORY = re.compile(rf"([a-z]{{1,20}})(?:(-[0-9a-f]{{8}})?{_GUESS}{_VIEW})?")


def read(text: str, key: str = "run") -> tuple[Attempt, str]:
    """The attempt of any text of an address or a record, and what it has in view, if that is in the text.

    `key`: the address's key for such texts. Raises InvalidLinkError, LimitError.
    """
    if _NEW.match(text):
        return decode(text), ""
    if len(text) > MAX_TEXT:
        raise InvalidLinkError(part="text", reason="too long")
    return _READERS.get(key, _read_run)(text)


def _read_run(text: str, resized: bool = False) -> tuple[Attempt, str]:
    parts = text.split("_")
    if len(parts) != 3:
        raise InvalidLinkError(part="text", reason="three parts expected")
    scenario, predicted, log = parts
    operations = tuple(map(parse_operation, log.split("."))) if log else ()
    check_limit("operations", len(operations), MAX_OPERATIONS)
    form, answers = _read_prediction(predicted) if predicted else ("Q" if resized else "P", ())
    if scenario[:1].isdigit():
        size, _, queue = scenario.partition(".")
        if form not in _KINDS:
            raise InvalidLinkError(part="prediction", reason="unknown form")
        scenario = f"{_KINDS[form]}.{size}.{name_queue(parse_queue(queue))}"
    elif predicted and form:
        raise InvalidLinkError(part="prediction", reason="unknown form")
    return Attempt(scenario, answers, operations), ""


def _read_prediction(text: str) -> tuple[str, tuple[Answer, ...]]:
    match = _PREDICTION.fullmatch(text)
    values = match["answers"].split("-") if match else []
    if match is None or len(match["sure"]) != len(values):
        raise InvalidLinkError(part="prediction", reason="unknown form")
    picked = (Answer((int(match["pick"]),)),) if match["pick"] else ()
    answers = (Answer((int(value),), _read_sure(sure)) for value, sure in zip(values, match["sure"], strict=True))
    return "" if picked else match["form"] or "", (*picked, *answers)


def _read_sure(sign: str) -> Sure:
    """The box `sure` was ticked (1) or not."""
    return "sure" if sign == "1" else "think"


def _read_intuition(text: str) -> tuple[Attempt, str]:
    match = _INTUITION.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="text", reason="unknown form")
    answers = (Answer((int(each[0]),), _read_sure(each[1])) for each in match[1].split("-"))
    return Attempt("intuition", tuple(answers)), match[2]


def _read_round(text: str) -> tuple[Attempt, str]:
    head, underscore, codes = text.partition("_")
    answers: list[Answer] = []
    for code in codes.split(".") if underscore else ():
        if not _ROUND_ANSWER.fullmatch(code) or len(answers) > MAX_NUMBERS:
            raise InvalidLinkError(part="round", reason="not an answer")
        answers.append(Answer(() if code == "e" else decode_numbers(code)))
    return Attempt(f"quiz.{head}", tuple(answers)), ""


def _read_memory(text: str) -> tuple[Attempt, str]:
    match = _MEMORY.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="memory", reason="not of the form of a visit")
    workload, file, winner, percent, band, view = match.groups()
    if winner is None:
        return Attempt(f"memory.{workload}"), ""
    if winner not in _POLICIES or band not in _BANDS:
        raise InvalidLinkError(part="memory", reason="no such answer")
    values = (_POLICIES.index(winner), int(percent), _BANDS.index(band))
    return Attempt(f"memory.{workload}{file or ''}", tuple(Answer((value,)) for value in values)), view or ""


def _read_sandbox(text: str) -> tuple[Attempt, str]:
    setup, _, log = text.rpartition("_") if "_" in text else (text, "", "")
    if not setup.startswith("kept."):
        version, _, setup = setup.partition(".")
        if version != "1" or "_" not in text:
            raise InvalidLinkError(part="pool", reason="not a pool")
    if encode_log(operations := parse_log(log)) != log:
        raise InvalidLinkError(part="text", reason="not written as we write it")
    return Attempt(f"sandbox.{setup}", (), operations), ""


_READERS: dict[str, Callable[[str], tuple[Attempt, str]]] = {
    "run8": lambda text: _read_run(text, resized=True),
    "intuition": _read_intuition,
    "quiz": _read_round,
    "memory": _read_memory,
    "sandbox": _read_sandbox,
}
