"""Scenarios too long for a link: the address holds a digest and the log, and the browser's record holds the file."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from lab.activities.attempt import Attempt
from lab.activities.record import Record
from lab.activities.record import read_attempt as read_saved
from lab.engine.errors import InvalidLinkError
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.files import read_file, write_file
from lab.sandbox.link import build_attempt, encode_scenario, read_attempt
from lab.sandbox.scenario import Scenario, State
from lessons.state import attempts, record
from lessons.state.slots import SANDBOX

MAX_KEPT = 300_000  # characters stored in the browser; the newest scenarios stay

_NAME = "sandbox.kept."


def is_in_view() -> bool:
    """Is the state in the address too long for a link, so that only this browser can open it?"""
    found = read_saved(attempts.get_value(SANDBOX.key), SANDBOX.key)
    return found is not None and found.activity.startswith(_NAME)


def build(scenario: Scenario) -> Attempt:
    """In a callback: the attempt for the address; a scenario too long for it is stored. Raises FileTooLargeError."""
    try:
        encode_scenario(scenario)
    except LinkTooLongError:
        return _save(scenario)
    return build_attempt(scenario)


def read(attempt: Attempt) -> Scenario | None:
    """The scenario of an attempt from the address. Raises as read_attempt and _find do."""
    return _find(attempt) if attempt.activity.startswith(_NAME) else read_attempt(attempt)


def _save(scenario: Scenario) -> Attempt:
    """Store the scenario and return the attempt for the address. Raises FileTooLargeError."""
    # An author's questions stand at operations, so the file needs these; without any, it stays the same as these grow.
    file = write_file(State(scenario if scenario.script or scenario.groups else scenario.up_to(0), 0)).decode()
    digest = sha256(file.encode()).hexdigest()[:16]

    def change(record: Record) -> Record:
        others = {key: text for key, text in record.get_map("long_states").items() if key != digest}
        newest, room = [(digest, file)], MAX_KEPT - len(file)
        for key, text in reversed(others.items()):
            room -= len(str(text))
            if room < 0:
                break
            newest.append((key, text))
        return record.having(long_states=dict(reversed(newest)))

    record.update(change)
    return Attempt(f"{_NAME}{digest}", (), scenario.operations)


def _find(attempt: Attempt) -> Scenario | None:
    """Return the scenario that `_save` named; None until the browser has sent its record.

    Raises InvalidLinkError if this browser does not have it (any more), and what read_file raises.
    """
    digest = attempt.activity.removeprefix(_NAME)
    found = record.read().get_map("long_states").get(digest)
    if not isinstance(found, str):
        if not record.is_known():
            return None
        raise InvalidLinkError(part="kept", reason="in another browser, or dropped")
    return replace(read_file(found.encode("utf-8", "replace")).scenario, operations=attempt.operations)
