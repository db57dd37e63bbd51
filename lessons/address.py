"""The parameters of the address. The only file that writes st.query_params.

The browser sends with each message the address that it has. It may be outdated: from before a press whose answer is
still on its way, or was lost with the line. That takes nothing back. Any other address is the browser's own wish, and
so is every one that Back or Forward has led to.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from lessons import mangled
from lessons.session import came_by_history, sent_address, sent_text, session

_NOW, _BEFORE, _WRITTEN, _PAGE = "address.now", "address.before", "address.written", "address.page"
_MOST = 8  # addresses that the browser may still have


def read() -> dict[str, str]:
    """The parameters. In a callback, those that the callbacks before it have written, heard of or not."""
    here = mangled.repaired(sent_address())
    return dict(session()[_NOW]) if _outdated(here) else here


def write(parameters: Mapping[str, str]) -> None:
    """Replace all of them, as one entry of the browser's history. In callbacks only: `seen` tells the browser.

    Who goes back wants nothing else: what a control on the page that is left still holds is not written.
    """
    kept, here, then = session(), read(), dict(parameters)
    if then != here and not came_by_history():
        kept.update({_BEFORE: [*kept.get(_BEFORE, ()), here][-_MOST:], _NOW: then, _WRITTEN: True})


def seen() -> None:
    """The script begins: the browser gets what was written, or what it seems not to have heard of."""
    kept, here = session(), mangled.repaired(sent_address())
    if _outdated(here):
        st.query_params.from_dict(kept[_NOW])
    elif here != kept.get(_NOW):
        kept.update({_NOW: here, _BEFORE: []})
    kept[_WRITTEN] = False


def mangled_text() -> str:
    """What the browser has as its address where that had to be repaired, else empty."""
    here = sent_address()
    return sent_text() if mangled.repaired(here) != here else ""


def turned_to(page: str) -> None:
    """The page is known. A link on another one to an address of before leads there; on this one it was outdated."""
    kept = session()
    if kept.get(_PAGE) != page:
        kept.update({_PAGE: page, _BEFORE: []})


def _outdated(here: dict[str, str]) -> bool:
    kept = session()
    if _NOW not in kept or here == kept[_NOW] or came_by_history():
        return False
    return kept.get(_WRITTEN, False) or here in kept[_BEFORE]
