"""What a screen reader says of a change: in one element that is on the page before the change comes.

Streamlit puts a changed text into the page as a new element, and a new element is not announced, whatever its role.
"""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets
from lessons.state.session import get_session

_KEY = "aloud"
_mount = st.components.v2.component(
    "paged_kv_lab_aloud",
    js=read_assets("lib/after_run.js", "lib/element.js", "components/announce/announce.js"),
    isolate_styles=False,
)


def begin() -> None:
    """Nothing is to be said yet; before the page is drawn."""
    get_session()[_KEY] = []


def announce(*texts: str) -> None:
    """What stands on the page with these words is said once it is new or other than before; not as the page opens."""
    get_session().setdefault(_KEY, []).extend(text for text in texts if text)


def mount(page: str) -> None:
    """Hand over what the page had to say; after the page is drawn."""
    _mount(key="aloud", data={"page": page, "texts": list(get_session().get(_KEY, []))})
