"""The parameters of the address. Only this file reads and writes st.query_params, once each for a run of the script.

The browser sends its address with every message. It may be outdated, if the answer to an earlier press is still on its
way or was lost with the connection. An outdated address is ignored, so that it undoes nothing. Any other address is
where the learner wants to be, and so is every address that Back or Forward led to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from lessons.state.link_repair import repair_parameters
from lessons.state.session import get_query_string, get_session, is_history_navigation

_KEY = "address"
_MOST_EARLIER = 8  # earlier addresses that the browser may still send


@dataclass(frozen=True)
class Address:
    """The parameters in view, and what is known of the browser's.

    sent      its query string in this run, and whether Back or Forward led there.
    now       the parameters in view, which may have been written since.
    browser   those that it has: what it sent, repaired, or what was sent to it since.
    earlier   outdated ones that it may still send.
    mangled   its query string if that had to be repaired, else empty.
    page      the page in view.
    """

    sent: tuple[str, bool]
    now: Mapping[str, str]
    browser: Mapping[str, str]
    earlier: tuple[Mapping[str, str], ...] = ()
    mangled: str = ""
    page: str = ""


def get() -> Address:
    """The address in this run. What the browser has sent is read once."""
    session, sent = get_session(), (get_query_string(), is_history_navigation())
    known: Address | None = session.get(_KEY)
    if known is None or known.sent != sent:
        as_sent = st.query_params.to_dict()
        found = repair_parameters(as_sent)
        known = known or Address(sent, found, found)
        is_outdated = not sent[1] and (known.now != known.browser or found in known.earlier)
        if found != known.now and not is_outdated:
            known = replace(known, now=found, earlier=())
        known = replace(known, sent=sent, browser=found, mangled=sent[0] if found != as_sent else "")
        session[_KEY] = known
    return known


def write(parameters: Mapping[str, str]) -> None:
    """Replace all parameters, as one entry of the browser's history. Call it in callbacks only.

    The browser gets them from `sync_browser`. In a run after Back or Forward nothing is written: the control that asks
    for it belongs to the page that the learner has left.
    """
    address, after = get(), dict(parameters)
    if after != address.now and not address.sent[1]:
        earlier = (*address.earlier, address.now)[-_MOST_EARLIER:]
        get_session()[_KEY] = replace(address, now=after, earlier=earlier)


def sync_browser() -> None:
    """Send the current parameters to a browser with an outdated address. Call it at the beginning of the script."""
    address = get()
    if address.now != address.browser:
        st.query_params.from_dict(dict(address.now))
        sent = get_query_string(), address.sent[1]
        get_session()[_KEY] = replace(address, sent=sent, browser=address.now, mangled="")


def set_page(page: str) -> None:
    """Set the page in view. On a new page the earlier addresses are not outdated: a link may lead to one of them."""
    address = get()
    if address.page != page:
        get_session()[_KEY] = replace(address, page=page, earlier=())
