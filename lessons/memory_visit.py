"""A visit of the memory lesson: read from the address, changed in callbacks; the prediction is kept in the record."""

from __future__ import annotations

import re
from dataclasses import replace

from lab.errors import InvalidAnswerError, LabError
from lab.prediction import parse_number
from lab.serving import FRAMES, Policy
from lab.serving_visit import BANDS, OWN, QUESTIONS, WORKLOADS, Guess, Visit, guess_text, parse_visit, visit_text
from lab.workload import Workload
from lessons import memory_file, memory_jobs, record, state

KEY, AT = "memory", "at_memory"  # in the address; KEY as well in the record, and as the mark of being done
SECTIONS = ("shares", "batch", "pool", "block_size", "prompt", "tradeoff")
MAP = "pool"  # the section whose policy and moment are in the address, too: `pool.paged.59`
PROBLEMS = "memory.problems"


# --- reading -------------------------------------------------------------------------------------------------------


def asked_for() -> Visit:
    """What the address says. Raises InvalidLinkError."""
    return parse_visit(state.value(KEY))


def kept() -> Guess | None:
    """The prediction that this browser has committed; None where there is none that can be read."""
    text = record.read().get(KEY)
    try:
        return parse_visit(text).guess if isinstance(text, str) else None
    except LabError:
        return None


def own(guess: Guess) -> bool:
    """Is this prediction this browser's? Until it has told what it holds, it counts as its own."""
    return not record.known() or kept() == guess


def section() -> str:
    """Which result is in view."""
    at = state.value(AT).partition(".")[0]
    if at and at not in SECTIONS:
        state.unread(AT)
    return at if at in SECTIONS else SECTIONS[0]


def map_view() -> tuple[Policy, int]:
    """Policy and moment (from 1) of the map. Where the address does not say: the first policy's last moment."""
    policy, moment, *more = [*state.value(AT).split("."), "", ""][1:]
    known = re.fullmatch("[1-9][0-9]?", moment) is not None and int(moment) <= FRAMES
    if (policy and policy not in set(Policy)) or (moment and not known) or any(more):
        state.unread(AT)
    return Policy(policy) if policy in set(Policy) else next(iter(Policy)), int(moment) if known else FRAMES


def workload(here: Visit) -> Workload | None:
    """The workload in view; None for one's own where no file has been read, or another one than was predicted for."""
    other = here.workload == OWN and here.guess is not None and other_file(here.guess)
    return None if other else memory_jobs.workload_of(here.workload, memory_file.lengths())


def other_file(guess: Guess) -> bool:
    """Was this predicted for one's own file, and is there another one now?"""
    file = memory_file.lengths()
    return guess.workload == OWN and file is not None and file.digest != guess.file


def widget(name: str) -> str:
    """Key of a field of the prediction; what begins like this is emptied by "forget me"."""
    return f"predict.memory.{name}"


# --- callbacks -----------------------------------------------------------------------------------------------------


def choose_workload(name: str | None) -> None:
    """Look at another workload; what runs for the one before is let go."""
    here = _current()
    if name in WORKLOADS and name != here.workload:
        memory_jobs.let_go()
        _go(replace(here, workload=str(name), ran=False))


def commit() -> None:
    """Commit what was typed, once, if all of it can be read; else keep what is off with each field."""
    here, problems = _current(), {}
    if here.guess is not None or kept() is not None:
        return
    winner, band = state.field(widget("winner")), state.field(widget("waste"))
    file, percent = memory_file.lengths(), 0
    if here.workload == OWN and file is None:
        return
    try:
        percent = parse_number(str(state.field(widget("percent")) or "").strip().rstrip("%\N{FULLWIDTH PERCENT SIGN}"))
    except InvalidAnswerError as problem:
        problems["percent"] = problem
    if percent > 100:
        problems["percent"] = InvalidAnswerError(reason="too_large")
    for name, value, known in (("winner", winner, set(Policy)), ("waste", band, set(BANDS))):
        if value not in known:
            problems[name] = InvalidAnswerError(reason="no_choice")
    state.note(PROBLEMS, {name: problems[name] for name in QUESTIONS if name in problems})
    if not problems:
        digest = file.digest if file and here.workload == OWN else ""
        guess = Guess(here.workload, Policy(winner), percent, str(band), digest)
        record.put(KEY, guess_text(guess))
        _go(replace(here, guess=guess))


def run() -> None:
    """Ask for the runs of the workload in view; without a prediction, or without its file, nothing happens."""
    here = _current()
    if here.guess is not None and workload(here) is not None:
        _go(replace(here, ran=True))


def cancel() -> None:
    """Let go of what runs; what is done already is remembered."""
    memory_jobs.let_go()
    _go(replace(_current(), ran=False))


def take_file() -> None:
    """Read what is in the uploader now; what ran for a file before it is not run again for this one by itself."""
    here = _current()
    if memory_file.take() and here.workload == OWN and here.ran:
        _go(replace(here, ran=False))


def look_at_map(policy: str, moment: int) -> None:
    """Turn the map to a policy and a moment (from 1)."""
    if policy in set(Policy):
        state.set_value(AT, f"{MAP}.{policy}.{moment}")


def choose_size(size: int) -> None:
    """Look at another block_size."""
    here = _current()
    if here.guess is not None and size != here.size:
        _go(replace(here, size=size))


def open_section(name: str | None) -> None:
    """Turn to another result."""
    if name in SECTIONS:
        state.set_value(AT, str(name))
        here = _current()
        if name == SECTIONS[-1] and here.ran and here.guess is not None and own(here.guess):
            record.add_done(KEY)


def resume() -> None:
    """Go on with the prediction that this browser has kept. What was in view stays, where it is about the same."""
    here, guess = _current(), kept()
    if guess is not None:
        same = here.guess is not None and here.workload == guess.workload
        _go(replace(here, guess=guess) if same else Visit(guess.workload, guess, size=here.size))


def start_over() -> None:
    """Away from somebody else's prediction, to one's own; or forget one's own and predict again."""
    here = _current()
    if here.guess is None or own(here.guess):
        record.put(KEY, "")
    memory_jobs.let_go()
    state.note(PROBLEMS, {})
    state.set_values(**{KEY: "" if here.workload == Visit().workload else here.workload, AT: ""})


def _current() -> Visit:
    """The visit in the address, or the beginning where it cannot be read."""
    try:
        return asked_for()
    except LabError:
        return Visit()


def _go(visit: Visit) -> None:
    state.set_value(KEY, visit_text(visit))
