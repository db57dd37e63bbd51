"""The component that listens to a class: it shows a new phase at once and has the page drawn for it.

While the database does not answer, a page says so and is drawn again by the same news once it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from lab.classroom.errors import DatabaseAwayError
from lab.classroom.phases import PHASES, ClassState
from lessons.classroom.service import EVENTS, get_service
from lessons.server.components import declare_component
from lessons.state.session import get_event
from lessons.text.sentences import format_error
from lessons.text.translations import Translations

_mount = declare_component("classroom", "lib/after_run.js", "components/classroom/classroom.js")
_KEY = "class_events"


def listen(
    state: ClassState | None,
    words: Translations,
    *,
    counts: bool = False,
    live: bool = False,
    on_key: Callable[[str], None] | None = None,
    on_news: Callable[[], None] = lambda: None,
) -> None:
    """Follow a class. `state` is what the page is drawn for; None follows nothing.

    counts  show how many have answered.
    live    have the page drawn again for new answers too, at most once a second.
    on_news called when the page is drawn for a new phase.
    on_key  called with the instructor's key if the page was opened by the link for a second window.
    """

    def take_key() -> None:
        text = get_event(_KEY, "key")
        if on_key is not None and isinstance(text, str):
            on_key(text)

    events = f"{EVENTS.strip('/')}/{state.code}{'/counts' * counts}" if state else ""
    told = {phase: words.text(f"classroom.now.{phase}") for phase in (*PHASES, "ended", "away")}
    count = {
        phase: words.text(
            "classroom.in" if phase in ("lobby", "read") else "classroom.answered", people="{people}", votes="{votes}"
        )
        for phase in PHASES
    }
    data = {
        "events": events,
        "seen": f"{state.phase}.{state.question}" if state else "",
        "phases": told,
        "count": count if counts else None,
        "live": live,
        "unsent": words.text("classroom.unsent", answer="{answer}"),
        "takes_key": on_key is not None,
    }
    _mount(key=_KEY, data=data, on_news_change=on_news, on_key_change=take_key)


@contextmanager
def tell_if_away(words: Translations, code: str) -> Iterator[None]:
    """Draw a part of a page; if the database is away, draw a sentence that says so instead of the rest.

    The part is drawn again when the class `code` can be read again. Until then only the server asks the database.
    """
    try:
        yield
    except DatabaseAwayError as problem:
        st.warning(format_error(problem, words))
        if code:
            get_service().hub.tell(code)  # whose latest news may be from before
            data = {"events": f"{EVENTS.strip('/')}/{code}", "seen": "away.0", "phases": {}, "unsent": ""}
            _mount(key="class_away", data=data, on_news_change=lambda: None)
