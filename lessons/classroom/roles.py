"""Who this browser is in a class: the instructor, with the key, or a participant, with a random number.

Both are kept in the browser's own record and nowhere else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from lab.activities.record import Record, clean_text
from lab.classroom.errors import NoCodeError, NoSuchClassError
from lab.classroom.phases import ClassState
from lab.classroom.tally import Vote
from lab.engine.errors import LabError
from lessons.classroom.service import find_relay, get_service
from lessons.state import attempts, notes, record
from lessons.votable import answers

KEY = "class"  # of the address: the code of the class to join
_CODE = re.compile(r"[0-9]{6}")


@dataclass(frozen=True)
class Instructor:
    """The class that this browser leads."""

    code: str
    key: str


@dataclass(frozen=True)
class Participant:
    """The class that this browser is in, under a random number."""

    code: str
    number: str


def clean_code(text: str) -> str:
    """The six digits in what somebody typed, in the digits of any script; empty if there are not six."""
    digits = "".join(str(int(sign)) for sign in text if sign.isdecimal())
    return digits if _CODE.fullmatch(digits) else ""


def get_instructor() -> Instructor | None:
    """The class that this browser leads, if it leads one."""
    saved = record.read().get("class_led")
    if not isinstance(saved, dict):
        return None
    code, key = saved.get("code"), saved.get("key")
    valid = isinstance(code, str) and isinstance(key, str) and _CODE.fullmatch(code)
    return Instructor(str(code), str(key)) if valid else None


def find_own_relay() -> str:
    """Where windows of the class that this browser leads tell each other what is presented; empty if it leads none."""
    leads = get_instructor()
    return find_relay(leads.code, leads.key) if leads else ""


def get_participant() -> Participant | None:
    """The class that this browser is in."""
    code, number = record.get_text("class_joined", 6), _read_number(record.read())
    return Participant(code, number) if number and _CODE.fullmatch(code) else None


def _read_number(saved: Record) -> str:
    """The browser's random number in its record; empty if it has never been in a class."""
    text = clean_text(saved.get("class_number"), 32)
    return text if re.fullmatch("[0-9a-f]{24}", text) else ""


# --- callbacks -----------------------------------------------------------------------------------------------------


def open_class() -> None:
    """Open a class and keep its key in this browser."""
    try:
        code, key = get_service().store.open_class()
    except LabError as refusal:
        notes.flash(refusal)
        return
    record.put("class_led", {"code": code, "key": key})


def take_key(text: str) -> None:
    """Lead a class from this browser too: `text` is its code and key, from the link for a second window."""
    code, _, key = text[:200].partition(".")
    try:
        get_service().tries.check(attempts.get_client_address() or "")
        if get_service().store.is_instructor(clean_code(code), key):
            record.put("class_led", {"code": clean_code(code), "key": key})
        else:
            get_service().tries.add_wrong(attempts.get_client_address() or "")
    except LabError as refusal:
        notes.flash(refusal)


def leave_class() -> None:
    """Forget the key: this browser leads no class any more."""
    record.put("class_led", None)


def join(text: str) -> None:
    """Join the class with the code that was typed or scanned, before the page is drawn next with the record."""
    if code := clean_code(text):
        record.update(partial(_come_in, code))
    else:
        notes.flash(NoCodeError())


def _come_in(code: str, saved: Record) -> Record:
    """The record of a browser that comes in; the record itself if it may not, or is in already."""
    place, service = attempts.get_client_address() or "", get_service()
    number = _read_number(saved) or secrets.token_hex(12)
    try:
        service.tries.check(place)
        service.store.join(code, number)
    except LabError as refusal:
        if isinstance(refusal, NoSuchClassError):
            service.tries.add_wrong(place)
        notes.flash(refusal)
        return saved
    inside = {"class_number": number, "class_joined": code}
    return saved if inside.items() <= saved.items() else saved.having(**inside)


def leave() -> None:
    """Leave the class as a participant. The number stays, so that coming back is not a second participant.

    The scanned code leaves the address, so that loading the page again is not coming back.
    """
    record.put("class_joined", "")
    attempts.set_value(KEY, "")


def keep_answer(state: ClassState, votes: Mapping[int, Vote]) -> None:
    """Save the own last answer in the browser's record, once the question is revealed."""
    if state.phase == "revealed" and votes:
        last = votes[max(votes)]
        answers.keep(f"{state.code}.{state.question}", state.spec, last.answer, last.sure)


def keep_revealed() -> None:
    """After news of the class: save the own answer if the news is that it is revealed."""
    me = get_participant()
    try:
        if me is not None:
            store = get_service().store
            state = store.get_state(me.code)
            keep_answer(state, store.get_own_votes(me.code, me.number, state.question))
    except LabError:  # the class is over; the page says so
        return
