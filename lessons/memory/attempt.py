"""The learner's attempt at the memory lesson: what only its prediction and runs mean. See lessons.state.attempts."""

from __future__ import annotations

import re
from dataclasses import replace

from lab.activities.attempt import Attempt
from lab.activities.question import Value
from lab.engine.errors import LabError
from lab.serving.guess import (
    KIND,
    OWN,
    WORKLOADS,
    Guess,
    MemoryAttempt,
    build_attempt,
    encode_view,
    name_activity,
    read_attempt,
)
from lab.serving.simulation import FRAMES, ServingPolicy
from lab.serving.workload import Workload
from lessons.memory import jobs, upload
from lessons.state import attempts, record
from lessons.state.slots import MEMORY

SLOT = MEMORY
KEY, AT = SLOT.key, "at_memory"  # KEY also marks the lesson as done; AT is the section in view
SECTIONS = ("shares", "batch", "pool", "block_size", "prompt", "tradeoff")
MAP = "pool"  # the section with a policy and a moment in the address: `pool.paged.59`


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> MemoryAttempt:
    """Read the attempt from the address. Raises LabError."""
    attempt, view = attempts.read(SLOT)
    return read_attempt(attempt, view) if attempt else MemoryAttempt()


def get_saved() -> Guess | None:
    """Return the newest prediction committed in this browser, or None if there is none that can be read."""
    mine = (record.read().find_as(each.activity, read_attempt) for each in reversed(record.read().list_of_kind(KIND)))
    return next((each.guess for each in mine if each and each.guess), None)


def is_mine(guess: Guess) -> bool:
    """Whether this browser made the prediction. True until the browser has sent its record."""
    return record.is_mine(build_attempt(guess))


def get_section() -> str:
    """Return the section in view."""
    at = attempts.get_value(AT).partition(".")[0]
    if at and at not in SECTIONS:
        attempts.add_unread(AT)
    return at if at in SECTIONS else SECTIONS[0]


def get_map_view() -> tuple[ServingPolicy, int]:
    """Return the policy and the moment (from 1) of the map. By default the last moment of the first policy."""
    policy, moment, *more = [*attempts.get_value(AT).split("."), "", ""][1:]
    is_readable = re.fullmatch("[1-9][0-9]?", moment) is not None and int(moment) <= FRAMES
    if (policy and policy not in set(ServingPolicy)) or (moment and not is_readable) or any(more):
        attempts.add_unread(AT)
    return ServingPolicy(policy) if policy in set(ServingPolicy) else next(iter(ServingPolicy)), int(
        moment
    ) if is_readable else FRAMES


def get_workload(attempt: MemoryAttempt) -> Workload | None:
    """Return the workload in view; None for an uploaded one if the file is missing or not the predicted one."""
    other = attempt.workload == OWN and attempt.guess is not None and is_other_file(attempt.guess)
    return None if other else jobs.get_workload(attempt.workload, upload.get_lengths())


def is_other_file(guess: Guess) -> bool:
    """Whether the prediction was for an uploaded file and another file has replaced it."""
    file = upload.get_lengths()
    return guess.workload == OWN and file is not None and file.digest != guess.file


# --- callbacks -----------------------------------------------------------------------------------------------------


def choose_workload(name: str | None) -> None:
    """Show another workload and let go of the runs of the previous one."""
    attempt = _get_current()
    if name in WORKLOADS and name != attempt.workload:
        jobs.let_go()
        _go(replace(attempt, workload=str(name), ran=False))


def commit(*values: Value) -> None:
    """Commit the prediction with these answers to QUESTIONS, once."""
    attempt, file = _get_current(), upload.get_lengths()
    if attempt.guess is not None or get_saved() is not None or (attempt.workload == OWN and file is None):
        return
    digest = file.digest if file and attempt.workload == OWN else ""
    guess = Guess.of(attempt.workload, values, digest)
    attempts.commit(SLOT, build_attempt(guess), encode_view(replace(attempt, guess=guess)))


def run() -> None:
    """Ask for the runs of the workload in view. Without a prediction or the file, nothing happens."""
    attempt = _get_current()
    if attempt.guess is not None and get_workload(attempt) is not None:
        _go(replace(attempt, ran=True))


def cancel() -> None:
    """Let go of unfinished runs. Finished ones stay."""
    jobs.let_go()
    _go(replace(_get_current(), ran=False))


def take_file() -> None:
    """Read the uploaded file. If it replaces another one, the learner has to start the runs again."""
    attempt = _get_current()
    if upload.take() and attempt.workload == OWN and attempt.ran:
        _go(replace(attempt, ran=False))


def set_map_view(policy: str, moment: int) -> None:
    """Show the map of a policy at a moment (from 1)."""
    if policy in set(ServingPolicy):
        attempts.set_value(AT, f"{MAP}.{policy}.{moment}")


def choose_size(size: int) -> None:
    """Show another block_size."""
    attempt = _get_current()
    if attempt.guess is not None and size != attempt.size:
        _go(replace(attempt, size=size))


def open_section(name: str | None) -> None:
    """Show another section. The last one marks the lesson as done."""
    if name in SECTIONS:
        attempts.set_value(AT, str(name))
        attempt = _get_current()
        if name == SECTIONS[-1] and attempt.ran and attempt.guess is not None and is_mine(attempt.guess):
            record.set_done(KEY)


def resume() -> None:
    """Go on with the prediction saved in this browser. What was in view stays if it has the same workload."""
    attempt, guess = _get_current(), get_saved()
    if guess is not None:
        same = attempt.guess is not None and attempt.workload == guess.workload
        _go(replace(attempt, guess=guess) if same else MemoryAttempt(guess.workload, guess, size=attempt.size))


def start_over() -> None:
    """Leave the prediction in view, or this browser's own, and predict again."""
    attempt = _get_current()
    jobs.let_go()
    guess = attempt.guess or get_saved()
    if guess is not None:
        attempts.restart(SLOT, build_attempt(guess), _open(attempt.workload), **{AT: ""})


def _get_current() -> MemoryAttempt:
    """Return the attempt in the address, or a new one if it cannot be read."""
    try:
        return read_url()
    except LabError:
        return MemoryAttempt()


def _go(attempt: MemoryAttempt) -> None:
    shown = build_attempt(attempt.guess) if attempt.guess else _open(attempt.workload)
    attempts.show(SLOT, shown, encode_view(attempt))


def _open(workload: str) -> Attempt | None:
    """Return the attempt that begins with this workload; None for the first one, which needs no address."""
    return None if workload == MemoryAttempt().workload else Attempt(name_activity(workload))
