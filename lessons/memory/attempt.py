"""A visit of the memory lesson: read from the address, changed in callbacks; the prediction is kept in the record."""

from __future__ import annotations

import re
from dataclasses import replace

from lab.activities.question import parse_number
from lab.engine.errors import InvalidAnswerError, LabError
from lab.serving.guess import (
    BANDS,
    OWN,
    QUESTIONS,
    WORKLOADS,
    Guess,
    MemoryAttempt,
    encode_guess,
    encode_memory,
    parse_memory,
)
from lab.serving.simulation import FRAMES, ServingPolicy
from lab.serving.workload import Workload
from lessons.memory import jobs, upload
from lessons.state import attempts, record

KEY, AT = "memory", "at_memory"  # in the address; KEY as well in the record, and as the mark of being done
SECTIONS = ("shares", "batch", "pool", "block_size", "prompt", "tradeoff")
MAP = "pool"  # the section whose policy and moment are in the address, too: `pool.paged.59`
PROBLEMS = "memory.problems"


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> MemoryAttempt:
    """What the address says. Raises InvalidLinkError."""
    return parse_memory(attempts.get_value(KEY))


def get_saved() -> Guess | None:
    """The prediction that this browser has committed; None where there is none that can be read."""
    text = record.read().get(KEY)
    try:
        return parse_memory(text).guess if isinstance(text, str) else None
    except LabError:
        return None


def is_mine(guess: Guess) -> bool:
    """Is this prediction this browser's? Until it has told what it holds, it counts as its own."""
    return not record.is_known() or get_saved() == guess


def get_section() -> str:
    """Which result is in view."""
    at = attempts.get_value(AT).partition(".")[0]
    if at and at not in SECTIONS:
        attempts.add_unread(AT)
    return at if at in SECTIONS else SECTIONS[0]


def get_map_view() -> tuple[ServingPolicy, int]:
    """Policy and moment (from 1) of the map. Where the address does not say: the first policy's last moment."""
    policy, moment, *more = [*attempts.get_value(AT).split("."), "", ""][1:]
    is_readable = re.fullmatch("[1-9][0-9]?", moment) is not None and int(moment) <= FRAMES
    if (policy and policy not in set(ServingPolicy)) or (moment and not is_readable) or any(more):
        attempts.add_unread(AT)
    return ServingPolicy(policy) if policy in set(ServingPolicy) else next(iter(ServingPolicy)), int(
        moment
    ) if is_readable else FRAMES


def get_workload(attempt: MemoryAttempt) -> Workload | None:
    """The workload in view; None for one's own where no file has been read, or another one than was predicted for."""
    other = attempt.workload == OWN and attempt.guess is not None and is_other_file(attempt.guess)
    return None if other else jobs.get_workload(attempt.workload, upload.get_lengths())


def is_other_file(guess: Guess) -> bool:
    """Was this predicted for one's own file, and is there another one now?"""
    file = upload.get_lengths()
    return guess.workload == OWN and file is not None and file.digest != guess.file


def get_widget_key(name: str) -> str:
    """Key of a field of the prediction; what begins like this is emptied by "forget me"."""
    return f"predict.memory.{name}"


# --- callbacks -----------------------------------------------------------------------------------------------------


def choose_workload(name: str | None) -> None:
    """Look at another workload; what runs for the one before is let go."""
    attempt = _get_current()
    if name in WORKLOADS and name != attempt.workload:
        jobs.let_go()
        _go(replace(attempt, workload=str(name), ran=False))


def commit() -> None:
    """Commit what was typed, once, if all of it can be read; else keep what is off with each field."""
    attempt, problems = _get_current(), {}
    if attempt.guess is not None or get_saved() is not None:
        return
    winner, band = attempts.get_field(get_widget_key("winner")), attempts.get_field(get_widget_key("waste"))
    file, percent = upload.get_lengths(), 0
    if attempt.workload == OWN and file is None:
        return
    try:
        percent = parse_number(
            str(attempts.get_field(get_widget_key("percent")) or "").strip().rstrip("%\N{FULLWIDTH PERCENT SIGN}")
        )
    except InvalidAnswerError as problem:
        problems["percent"] = problem
    if percent > 100:
        problems["percent"] = InvalidAnswerError(reason="too_large")
    for name, value, allowed in (("winner", winner, set(ServingPolicy)), ("waste", band, set(BANDS))):
        if value not in allowed:
            problems[name] = InvalidAnswerError(reason="no_choice")
    attempts.set_note(PROBLEMS, {name: problems[name] for name in QUESTIONS if name in problems})
    if not problems:
        digest = file.digest if file and attempt.workload == OWN else ""
        guess = Guess(attempt.workload, ServingPolicy(winner), percent, str(band), digest)
        record.put(KEY, encode_guess(guess))
        _go(replace(attempt, guess=guess))


def run() -> None:
    """Ask for the runs of the workload in view; without a prediction, or without its file, nothing happens."""
    attempt = _get_current()
    if attempt.guess is not None and get_workload(attempt) is not None:
        _go(replace(attempt, ran=True))


def cancel() -> None:
    """Let go of what runs; what is done already is remembered."""
    jobs.let_go()
    _go(replace(_get_current(), ran=False))


def take_file() -> None:
    """Read what is in the uploader now; what ran for a file before it is not run again for this one by itself."""
    attempt = _get_current()
    if upload.take() and attempt.workload == OWN and attempt.ran:
        _go(replace(attempt, ran=False))


def set_map_view(policy: str, moment: int) -> None:
    """Turn the map to a policy and a moment (from 1)."""
    if policy in set(ServingPolicy):
        attempts.set_value(AT, f"{MAP}.{policy}.{moment}")


def choose_size(size: int) -> None:
    """Look at another block_size."""
    attempt = _get_current()
    if attempt.guess is not None and size != attempt.size:
        _go(replace(attempt, size=size))


def open_section(name: str | None) -> None:
    """Turn to another result."""
    if name in SECTIONS:
        attempts.set_value(AT, str(name))
        attempt = _get_current()
        if name == SECTIONS[-1] and attempt.ran and attempt.guess is not None and is_mine(attempt.guess):
            record.add_done(KEY)


def resume() -> None:
    """Go on with the prediction that this browser has kept. What was in view stays, where it is about the same."""
    attempt, guess = _get_current(), get_saved()
    if guess is not None:
        same = attempt.guess is not None and attempt.workload == guess.workload
        _go(replace(attempt, guess=guess) if same else MemoryAttempt(guess.workload, guess, size=attempt.size))


def start_over() -> None:
    """Away from somebody else's prediction, to one's own; or forget one's own and predict again."""
    attempt = _get_current()
    if attempt.guess is None or is_mine(attempt.guess):
        record.put(KEY, "")
    jobs.let_go()
    attempts.set_note(PROBLEMS, {})
    attempts.set_values(**{KEY: "" if attempt.workload == MemoryAttempt().workload else attempt.workload, AT: ""})


def _get_current() -> MemoryAttempt:
    """The visit in the address, or the beginning where it cannot be read."""
    try:
        return read_url()
    except LabError:
        return MemoryAttempt()


def _go(attempt: MemoryAttempt) -> None:
    attempts.set_value(KEY, encode_memory(attempt))
