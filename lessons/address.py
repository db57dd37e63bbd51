"""The parameters of the address. The only file that touches st.query_params.

The browser sends with each press the address that it then had. Who presses twice within the time of an answer sends the
second press with the address from before the first: that takes back nothing of what the first one did.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

_NOW, _BEFORE = "address.now", "address.before"
_MOST = 8  # addresses that the browser may still have


def read() -> dict[str, str]:
    """The parameters. In a callback, those that the callbacks before it have written, heard of or not."""
    here = st.query_params.to_dict()
    now: dict[str, str] | None = st.session_state.get(_NOW)
    if now is not None and here != now and here in st.session_state.get(_BEFORE, ()):
        st.query_params.from_dict(now)
        return dict(now)
    return here


def write(parameters: Mapping[str, str]) -> None:
    """Replace all of them, as one entry of the browser's history. In callbacks only."""
    here, then = read(), dict(parameters)
    if then != here:
        st.session_state[_BEFORE] = [*st.session_state.get(_BEFORE, ()), here][-_MOST:]
        st.session_state[_NOW] = then
        st.query_params.from_dict(then)


def seen() -> None:
    """The script begins. Another address than the one last written is the browser's own wish: Back, Forward, a link."""
    here = st.query_params.to_dict()
    if here != st.session_state.get(_NOW):
        st.session_state.update({_NOW: here, _BEFORE: []})
