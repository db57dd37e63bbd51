"""Scenarios too long for a link: the address holds a digest and the log, and the browser's record holds the file."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from lab.activities.attempt import Attempt
from lab.engine.errors import InvalidLinkError
from lab.sandbox.files import read_file, write_file
from lab.sandbox.scenario import Scenario, State
from lessons.state import notes, record

MAX_KEPT = 300_000  # characters stored in the browser; the newest scenarios stay

_NAME = "sandbox.kept."


def is_name(attempt: Attempt) -> bool:
    """Whether this attempt from an address names a scenario that only a browser has stored."""
    return attempt.activity.startswith(_NAME)


def save(scenario: Scenario) -> Attempt:
    """In a callback: store the scenario and return the attempt for the address. Raises FileTooLargeError."""
    # An author's questions stand at operations, so the file needs these; without any, it stays the same as these grow.
    file = write_file(State(scenario if scenario.script or scenario.groups else scenario.up_to(0), 0)).decode()
    digest = sha256(file.encode()).hexdigest()[:16]

    def change(record: dict[str, Any]) -> dict[str, Any]:
        saved = record.get("long_states")
        others = {key: text for key, text in saved.items() if key != digest} if isinstance(saved, dict) else {}
        newest, room = [(digest, file)], MAX_KEPT - len(file)
        for key, text in reversed(others.items()):
            room -= len(str(text))
            if room < 0:
                break
            newest.append((key, text))
        return {**record, "long_states": dict(reversed(newest))}

    record.update(change)
    return Attempt(f"{_NAME}{digest}", (), scenario.operations)


def find(attempt: Attempt) -> Scenario | None:
    """Return the scenario that `save` named; None until the browser has sent its record.

    Raises InvalidLinkError if this browser does not have it (any more), and what read_file raises.
    """
    digest = attempt.activity.removeprefix(_NAME)
    saved = record.read().get("long_states")
    found = saved.get(digest) if isinstance(saved, dict) else None
    if not isinstance(found, str):
        if not record.is_known():
            return None
        raise InvalidLinkError(part="kept", reason="in another browser, or dropped")
    read: tuple[str, Scenario] | None = notes.get_note("sandbox.read")
    if read is None or read[0] != found:
        read = found, read_file(found.encode("utf-8", "replace")).scenario
        notes.set_note("sandbox.read", read)
    return replace(read[1], operations=attempt.operations)
