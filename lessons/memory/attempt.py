"""The learner's attempt at the memory lesson: what only its prediction and runs mean. See lessons.state.attempts."""

from __future__ import annotations

import re
from dataclasses import replace

from lab.activities.answer import encode_value
from lab.activities.attempt import Answer, Attempt
from lab.activities.question import Value
from lab.engine.errors import LabError
from lab.serving.guess import KIND, OWN, QUESTIONS, WORKLOADS, MemoryView, get_predicted, name_activity
from lab.serving.simulation import FRAMES, ServingPolicy
from lab.serving.workload import Workload
from lessons.memory import jobs, upload
from lessons.state import attempts, record
from lessons.state.slots import ACTIVITIES

SLOT = ACTIVITIES[KIND]
KEY, AT = SLOT.key, "at_memory"  # KEY also marks the lesson as done; AT is the section in view
SECTIONS = ("shares", "batch", "pool", "block_size", "prompt", "tradeoff")
MAP = "pool"  # the section with a policy and a moment in the address: `pool.paged.59`


# --- reading -------------------------------------------------------------------------------------------------------


def find_saved() -> Attempt | None:
    """Return the newest prediction committed in this browser, or None if there is none that can be read."""
    kept = record.read()
    mine = (kept.find_as(each.activity, MemoryView.read) for each in reversed(kept.list_of_kind(KIND)))
    return next((each.attempt for each in mine if each and each.attempt.answers), None)


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


def get_workload(view: MemoryView) -> Workload | None:
    """Return the workload in view; None for an uploaded one if the file is missing or not the predicted one."""
    other = view.workload == OWN and is_other_file(view.attempt)
    return None if other else jobs.get_workload(view.workload, upload.get_lengths())


def is_other_file(attempt: Attempt) -> bool:
    """Whether the prediction was for an uploaded file and another file has replaced it."""
    file = upload.get_lengths()
    if file is None or not attempt.answers or get_predicted(attempt) != OWN:
        return False
    return attempt.activity != name_activity(OWN, file.digest)


# --- callbacks -----------------------------------------------------------------------------------------------------


def choose_workload(name: str | None) -> None:
    """Show another workload and let go of the runs of the previous one."""
    view = _get_current()
    if name in WORKLOADS and name != view.workload:
        jobs.let_go()
        _go(replace(view, workload=str(name), ran=False))


def commit(*values: Value) -> None:
    """Commit the prediction with these answers to QUESTIONS, once."""
    view, file = _get_current(), upload.get_lengths()
    if view.attempt.answers or find_saved() is not None or (view.workload == OWN and file is None):
        return
    digest = file.digest if file and view.workload == OWN else ""
    given = zip(QUESTIONS, values, strict=True)
    answers = tuple(Answer(encode_value(question, value)) for question, value in given)
    after = replace(view, attempt=Attempt(name_activity(view.workload, digest), answers))
    attempts.commit(SLOT, after.attempt, after.place)


def run() -> None:
    """Ask for the runs of the workload in view. Without a prediction or the file, nothing happens."""
    view = _get_current()
    if view.attempt.answers and get_workload(view) is not None:
        _go(replace(view, ran=True))


def cancel() -> None:
    """Let go of unfinished runs. Finished ones stay."""
    jobs.let_go()
    _go(replace(_get_current(), ran=False))


def take_file() -> None:
    """Read the uploaded file. If it replaces another one, the learner has to start the runs again."""
    view = _get_current()
    if upload.take() and view.workload == OWN and view.ran:
        _go(replace(view, ran=False))


def set_map_view(policy: str, moment: int) -> None:
    """Show the map of a policy at a moment (from 1)."""
    if policy in set(ServingPolicy):
        attempts.set_value(AT, f"{MAP}.{policy}.{moment}")


def choose_size(size: int) -> None:
    """Show another block_size."""
    view = _get_current()
    if view.attempt.answers and size != view.size:
        _go(replace(view, size=size))


def open_section(name: str | None) -> None:
    """Show another section. The last one marks the lesson as done."""
    if name in SECTIONS:
        attempts.set_value(AT, str(name))
        view = _get_current()
        if name == SECTIONS[-1] and view.ran and view.attempt.answers and record.is_mine(view.attempt):
            record.set_done(KEY)


def resume() -> None:
    """Go on with the prediction saved in this browser. What was in view stays if it has the same workload."""
    view, mine = _get_current(), find_saved()
    if mine is not None:
        workload = get_predicted(mine)
        same = view.attempt.answers and view.workload == workload
        _go(replace(view, attempt=mine) if same else MemoryView(mine, workload, size=view.size))


def start_over() -> None:
    """Leave the prediction in view, or this browser's own, and predict again."""
    view = _get_current()
    jobs.let_go()
    left = view.attempt if view.attempt.answers else find_saved()
    if left is not None:
        attempts.restart(SLOT, left, _open(view.workload), **{AT: ""})


def _get_current() -> MemoryView:
    """Return the attempt in the address, or a new one if it cannot be read."""
    try:
        attempt, place = attempts.read(SLOT)
        return MemoryView.read(attempt, place) if attempt else MemoryView()
    except LabError:
        return MemoryView()


def _go(view: MemoryView) -> None:
    attempts.show(SLOT, view.attempt if view.attempt.answers else _open(view.workload), view.place)


def _open(workload: str) -> Attempt | None:
    """Return the attempt that begins with this workload; None for the first one, which needs no address."""
    return None if workload == MemoryView().workload else Attempt(name_activity(workload))
