"""Announces changes to screen readers, through one element that stays on the page.

Streamlit shows a changed text as a new element, and screen readers do not announce a new element, whatever its role.
"""

from __future__ import annotations

from lessons.server.components import declare_component
from lessons.state.session import get_session

_KEY = "aloud"
_mount = declare_component("aloud", "lib/after_run.js", "lib/element.js", "components/announce/announce.js")


def begin() -> None:
    """Drop the texts of the last run. Call it before the page is drawn."""
    get_session()[_KEY] = []


def announce(*texts: str) -> None:
    """Announce these texts, which are also on the page, if they have changed. Nothing is announced as a page opens."""
    get_session().setdefault(_KEY, []).extend(text for text in texts if text)


def mount(page: str) -> None:
    """Send the texts to the browser. Call it after the page is drawn."""
    _mount(key="aloud", data={"page": page, "texts": list(get_session().get(_KEY, []))})
