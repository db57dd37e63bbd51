"""Scenarios that a learner saves under a name, in this browser's record and nowhere else: in order, a lecture.

The record holds a list of [name, file text] (an object would move names like "7" to the front). The
record is untrusted: an entry that is not such a pair, or whose file cannot be read, is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from lab.activities.record import Record
from lab.engine.errors import LabError
from lab.sandbox.files import MAX_NAME, MAX_SCENARIOS, read_file, write_file
from lab.sandbox.scenario import State
from lab.sandbox.tokens import clean_text
from lessons.state import record

PART = "scenarios"  # in the record
MAX_KEPT = MAX_SCENARIOS
MAX_CHARACTERS = 100_000  # of all files together: the record travels with every rerun


class SavedFullError(LabError):
    """The browser already has the maximum number of saved scenarios. Numbers: `limit`."""

    code = "shelf_full"
    message = "{limit} scenarios are kept already"


class SavedTooLargeError(LabError):
    """The saved files would be too large for the record. Numbers: `kilobytes`, `limit` (both KB)."""

    code = "shelf_too_small"
    message = "{kilobytes} KB together, at most {limit}"


@dataclass(frozen=True)
class SavedScenario:
    """A state under a name. Both are untrusted: typed, or edited in the browser's storage."""

    name: str
    file: str

    @property
    def state(self) -> State:
        """The state in the file. Raises LabError if the file cannot be read."""
        return read_file(self.file.encode("utf-8", "replace"))


def get_saved() -> list[SavedScenario]:
    """Return the scenarios saved in this browser, in the order of the lecture: a new one is the last. Runs nothing."""
    return _read_entries(record.read())


def clean_name(name: str) -> str:
    """Return the name without control characters, cut to MAX_NAME. May be empty."""
    return clean_text(name[: 4 * MAX_NAME].encode("utf-8", "replace").decode())[:MAX_NAME].strip()


def save(name: str, state: State) -> str:
    """In a callback: save a state and return its name. If another state has the name, a number is added to it.

    Saving the same state under the same name again changes nothing. Raises SavedFullError, SavedTooLargeError and
    FileTooLargeError.
    """
    saved, new = get_saved(), SavedScenario(clean_name(name), write_file(state).decode())
    save_all([(name, state)])
    return new.name if new in saved else _find_unused(new.name, saved)


def save_all(scenarios: Iterable[tuple[str, State]]) -> None:
    """In a callback: save several states in order, as `save` does; all of them, or none. Raises as `save` does."""
    new = [SavedScenario(clean_name(name), write_file(state).decode()) for name, state in scenarios]

    def change(entries: list[SavedScenario]) -> list[SavedScenario]:
        for each in new:
            if each not in entries:
                entries = [*entries, SavedScenario(_find_unused(each.name, entries), each.file)]
        return entries[-MAX_KEPT:]

    _check_room([*(each for each in get_saved() if each not in new), *new])
    _update(change)


def shift(old: SavedScenario, by: int) -> None:
    """In a callback: move a saved scenario by so many places in the order."""

    def change(entries: list[SavedScenario]) -> list[SavedScenario]:
        others = [each for each in entries if each != old]
        if len(others) == len(entries):
            return entries
        at = min(max(entries.index(old) + by, 0), len(others))
        return [*others[:at], old, *others[at:]]

    _update(change)


def rename(old: SavedScenario, name: str) -> None:
    """In a callback: rename a saved scenario, with a number as in `save`. An empty name changes nothing."""
    wanted = clean_name(name)
    if not wanted or wanted == old.name:
        return

    def change(entries: list[SavedScenario]) -> list[SavedScenario]:
        others = [each for each in entries if each != old]
        return [SavedScenario(_find_unused(wanted, others), old.file) if each == old else each for each in entries]

    _update(change)


def remove(old: SavedScenario) -> None:
    """In a callback: remove a saved scenario."""
    _update(lambda entries: [each for each in entries if each != old])


def _check_room(entries: list[SavedScenario]) -> None:
    if len(entries) > MAX_KEPT:
        raise SavedFullError(limit=MAX_KEPT)
    characters = sum(len(each.file) for each in entries)
    if characters > MAX_CHARACTERS:
        raise SavedTooLargeError(kilobytes=-(-characters // 1000), limit=MAX_CHARACTERS // 1000)


def _find_unused(name: str, entries: Iterable[SavedScenario]) -> str:
    """Return the name, with a number from 2 if it is taken."""
    taken = {each.name for each in entries}
    number, found = 1, name
    while found in taken:
        number += 1
        end = f" {number}"
        found = name[: MAX_NAME - len(end)].rstrip() + end
    return found


def _update(change: Callable[[list[SavedScenario]], list[SavedScenario]]) -> None:
    """Apply the change to the record as it is when written: another tab may have changed it."""
    record.update(lambda kept: kept.having(**{PART: [[each.name, each.file] for each in change(_read_entries(kept))]}))


def _read_entries(kept: Record) -> list[SavedScenario]:
    """Return the readable entries, oldest first, each name once."""
    entries: dict[str, SavedScenario] = {}
    characters = 0
    for each in kept.get_list(PART)[-4 * MAX_KEPT :]:
        if not (isinstance(each, list) and len(each) == 2 and all(isinstance(text, str) for text in each)):
            continue
        one = SavedScenario(each[0], each[1])
        characters += len(one.file)
        if characters > MAX_CHARACTERS or not one.name or clean_name(one.name) != one.name:
            continue
        with suppress(LabError):
            _ = one.state
            entries.setdefault(one.name, one)
    return list(entries.values())[-MAX_KEPT:]
