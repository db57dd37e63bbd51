"""The learner's attempts: the only owner of the address and of the attempts in the record.

The address holds the attempt in view, one parameter for each activity that may be open (its slot), so that each change
is one step of the browser's Back button; a second parameter holds the place in it that is in view. The record holds the
longest attempt at each activity. Only callbacks change either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import streamlit as st

from lab.activities import old_links
from lab.activities.attempt import Attempt, encode
from lessons.state import notes, record, url
from lessons.state.session import get_session
from lessons.state.slots import Slot
from lessons.text.translations import LANGUAGES, Language

_Option = TypeVar("_Option", bound=str)

# Prefixes of the keys of the learner's own fields; "forget me" empties them with the record.
_ABOUT_THE_LEARNER = (
    *("own.", "predict.", "check.", "again.", "try.", "intuition.", "quiz_answer."),
    *("explanation", "report_name", "kept."),
)
WRITTEN = "written"  # in the record: digests of texts that were written here
SCENARIO_PARTS = ("scenarios", "long_states", WRITTEN)  # of the record
_ONLY_HERE = ("class", "window")  # parameters that belong to one page: links to others do not pass them on
_FORGOTTEN, _EMPTYING, _UNREAD = "forgotten", "emptying", "unread"


# --- reading the address -------------------------------------------------------------------------------------------


def read(slot: Slot) -> tuple[Attempt | None, str]:
    """The attempt in the address, None without one, and the place that is in view. Raises LabError."""
    text = get_value(slot.key)
    attempt, place = old_links.read(text, slot.key) if text else (None, "")
    return attempt, get_value(slot.at) or place


def get_language() -> Language:
    """The address's language, else the browser's, else English."""
    locale = (st.context.locale or "").lower()
    usual: Language = next((code for code in LANGUAGES if locale.startswith(code)), "en")
    return get_choice("lang", LANGUAGES) or usual


def get_time_zone() -> str | None:
    """The name of the browser's time zone; None if the browser does not send it."""
    return st.context.timezone


def get_page_address() -> str:
    """The page's address as the browser has it, without parameters; empty if the browser does not send it."""
    return st.context.url or ""


def get_client_address() -> str | None:
    """The IP address of the browser's machine or of a proxy; None if it is the server's machine."""
    return st.context.ip_address


def get_value(key: str) -> str:
    """A parameter of the address; empty if it is not there."""
    return url.get().now.get(key, "")


def get_choice(key: str, options: Iterable[_Option]) -> _Option | None:
    """Which of these a parameter of the address is; None if it is not there or, as the page then reports, another."""
    text = get_value(key)
    found = next((option for option in options if option == text), None)
    if text and found is None:
        add_unread(key)
    return found


def add_unread(key: str) -> None:
    """Note that this parameter could not be read and is being ignored, so that the page reports it."""
    get_session().setdefault(_UNREAD, {})[key] = get_value(key)


def pop_unread() -> dict[str, str]:
    """Return and drop the parameters that could not be read, with their texts, which are untrusted."""
    unread: dict[str, str] = get_session().pop(_UNREAD, {})
    return unread


def get_link() -> dict[str, str]:
    """The query parameters that every link to another page must pass on."""
    return {key: text for key, text in url.get().now.items() if key not in _ONLY_HERE} | {"lang": get_language()}


# --- changing: callbacks only --------------------------------------------------------------------------------------


def show(slot: Slot, attempt: Attempt | None, place: str = "", **others: str) -> None:
    """Write the attempt in view and the place in it, with other parameters, as one entry of the browser's history."""
    set_values(**{slot.key: encode(attempt) if attempt else "", slot.at: place, **others})


def seek(slot: Slot, place: str) -> None:
    """Show another place of the attempt in view."""
    set_values(**{slot.at: place})


def commit(slot: Slot, attempt: Attempt, place: str = "") -> None:
    """Show an attempt with new answers and save it, unless this browser has answered otherwise or further already."""
    show(slot, attempt, place)
    record.update(lambda kept: kept.keep(attempt))


def resume(slot: Slot, activity: str) -> None:
    """Go on with this browser's attempt at the activity."""
    if (attempt := record.read().find(activity)) is not None:
        show(slot, attempt)


def restart(slot: Slot, attempt: Attempt, fresh: Attempt | None, **others: str) -> None:
    """Start over: show the fresh attempt. The one in view and this browser's own become earlier ones."""
    record.update(lambda kept: kept.put_away(attempt, fresh))
    show(slot, fresh, **others)


def set_value(key: str, text: str) -> None:
    """Write a parameter of the address, as one entry of the browser's history; an empty text removes it."""
    set_values(**{key: text})


def set_values(**texts: str) -> None:
    """Write several parameters, as one entry of the browser's history; empty texts remove them."""
    others = {key: text for key, text in url.get().now.items() if key not in texts}
    url.write({**others, **{key: text for key, text in texts.items() if text}})


def forget_everything(*, keep_scenarios: bool = False) -> None:
    """Empty the learner's record, the notes of this session and, at the next drawing, the learner's fields.

    The address stays, but for the class that a scanned code names: loading the page again is not joining again.
    With `keep_scenarios` so do the scenarios that were kept or written here.
    """
    record.forget(SCENARIO_PARTS if keep_scenarios else ())
    set_value("class", "")
    session = get_session()
    session.update({_FORGOTTEN: count_forgotten() + 1, _EMPTYING: True})
    for name in [name for name in session if name.startswith("note.")]:
        note = session.pop(name)
        if isinstance(note, notes.Releasable):
            note.let_go()


def empty_fields() -> None:
    """After "forget me" empty the fields that the learner has filled in. Call it before the page is drawn."""
    if get_session().get(_EMPTYING):
        for key, value in list(st.session_state.items()):
            if key == "quiz" or (isinstance(key, str) and key.startswith(_ABOUT_THE_LEARNER)):
                notes.set_field(key, {str: "", bool: False}.get(type(value)))
        get_session()[_EMPTYING] = False


def count_forgotten() -> int:
    """How often "forget me" was pressed in this session. A widget that cannot be emptied has it in its key."""
    return int(get_session().get(_FORGOTTEN, 0))
