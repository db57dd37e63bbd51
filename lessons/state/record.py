"""The learner's record, kept in the browser's store and nowhere else. lab.activities.record says what is in it.

Changes wait until the browser has reported its record, so that an early click cannot overwrite an older record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from secrets import token_hex
from typing import Any

from lab.activities.attempt import Attempt
from lab.activities.old_records import upgrade
from lab.activities.record import Record, clean_text
from lessons.state import url
from lessons.state.browser_store import get_last_known, is_lossy, mount_store
from lessons.state.session import get_session
from lessons.text.translations import Language

_Change = Callable[[Record], Record]


def mount(lang: Language, title: str) -> None:
    """Draw the component that keeps the record; once on each page."""
    session = get_session()
    _take(get_last_known())  # a report may just have come: apply the waiting changes to it
    if is_known():
        _apply_changes()
    write, write_id = session.get("record.write"), session.get("record.write_id", "")
    address = url.get()
    reported = mount_store(
        lang=lang, title=title, address=address.now, mangled=address.mangled, write=write, write_id=write_id
    )
    _take(reported)


def _take(reported: dict[str, Any] | None) -> None:
    """Take over the record that the browser reported, in today's shape."""
    session = get_session()
    if session.get("record.reported") is not reported or "record" not in session:
        upgraded = None if reported is None else upgrade(reported)
        session.update({"record.reported": reported, "record": upgraded})


def _apply_changes() -> None:
    """Apply the waiting changes to the record."""
    session = get_session()
    before = changed = read()
    for change in session.get("record.changes", ()):
        changed = change(changed)
    # A random id: the browser must not mistake a write of a new session for one that it has carried out.
    write = {"record": changed, "record.write": changed, "record.write_id": token_hex(8)}
    session.update({"record.changes": [], **(write if changed is not before else {})})


def read() -> Record:
    """A copy of the record as the browser has it; {} if there is none, or if it is not known yet."""
    return Record(get_session().get("record") or {})


def holds_anything() -> bool:
    """Does the browser keep anything for the lab, even if nothing of it can be read?"""
    return bool(get_session().get("record.reported") or get_session().get("record"))


def is_mine(attempt: Attempt) -> bool:
    """Were these answers given in this browser? True until it has sent its record, and if there are none."""
    return not is_known() or read().is_mine(attempt)


def add_beside(attempt: Attempt, question: str, value: str | int) -> None:
    """Save an answer beside the attempt."""
    update(lambda record: record.add_beside(attempt, question, value))


def get_text(name: str, most: int) -> str:
    """A text of the record, at most `most` characters; empty if it is not there."""
    return clean_text(read().get(name), most)


def get_done() -> frozenset[str]:
    """What this browser has finished: ids of lessons' cases, and keys of other parts' runs."""
    return frozenset(name for name in read().get_list("done") if isinstance(name, str))


def set_done(name: str) -> None:
    """Note that this part is finished."""
    update(lambda record: record.finish(name))


def is_known() -> bool:
    """Has the browser reported its record?"""
    return get_session().get("record") is not None


def must_tell_loss() -> bool:
    """Must the page warn that the record will be lost? Not after the learner has confirmed the warning."""
    return is_lossy() and not get_session().get("record.loss_told", False)


def set_loss_told() -> None:
    """The learner has confirmed the warning."""
    get_session()["record.loss_told"] = True


def put(name: str, value: Any) -> None:
    """Save a value under this name."""
    update(lambda record: record.having(**{name: value}))


def forget(kept: Collection[str] = ()) -> None:
    """Empty the record, but for the parts with these names."""
    update(lambda record: Record({name: value for name, value in record.items() if name in kept}))


def update(change: _Change) -> None:
    """Change the record when the page is drawn next, or as soon as the browser has reported it.

    A change that returns the record itself writes nothing.
    """
    get_session().setdefault("record.changes", []).append(change)
