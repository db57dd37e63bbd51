"""The parameters of the address. Only this file writes st.query_params.

The browser sends its address with every message. It may be outdated, if the answer to an earlier press is still on its
way or was lost with the connection. An outdated address is ignored, so that it undoes nothing. Any other address is
where the learner wants to be, and so is every address that Back or Forward led to.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from lessons.state import link_repair
from lessons.state.session import get_sent_address, get_sent_text, get_session, is_history_navigation

_NOW, _BEFORE, _WRITTEN, _PAGE = "address.now", "address.before", "address.written", "address.page"
_MOST_EARLIER = 8  # earlier addresses that the browser may still send


def read() -> dict[str, str]:
    """The current parameters, including those that were written but have not reached the browser yet."""
    sent = link_repair.repair_parameters(get_sent_address())
    return dict(get_session()[_NOW]) if _is_outdated(sent) else sent


def write(parameters: Mapping[str, str]) -> None:
    """Replace all parameters, as one entry of the browser's history. Call it in callbacks only.

    The browser gets them from `sync_browser`. In a run after Back or Forward nothing is written: the control that asks
    for it belongs to the page that the learner has left.
    """
    session, before, after = get_session(), read(), dict(parameters)
    if after != before and not is_history_navigation():
        earlier = [*session.get(_BEFORE, ()), before][-_MOST_EARLIER:]
        session.update({_BEFORE: earlier, _NOW: after, _WRITTEN: True})


def sync_browser() -> None:
    """Send the written parameters to a browser with an outdated address, else take over the browser's address.

    Call it at the beginning of the script.
    """
    session, sent = get_session(), link_repair.repair_parameters(get_sent_address())
    if _is_outdated(sent):
        st.query_params.from_dict(session[_NOW])
    elif sent != session.get(_NOW):
        session.update({_NOW: sent, _BEFORE: []})
    session[_WRITTEN] = False


def get_mangled_text() -> str:
    """The browser's query string if it had to be repaired, else empty."""
    sent = get_sent_address()
    return get_sent_text() if link_repair.repair_parameters(sent) != sent else ""


def set_page(page: str) -> None:
    """Set the page in view. On a new page the earlier addresses are not outdated: a link may lead to one of them."""
    session = get_session()
    if session.get(_PAGE) != page:
        session.update({_PAGE: page, _BEFORE: []})


def _is_outdated(sent: dict[str, str]) -> bool:
    session = get_session()
    if _NOW not in session or sent == session[_NOW] or is_history_navigation():
        return False
    return session.get(_WRITTEN, False) or sent in session[_BEFORE]
