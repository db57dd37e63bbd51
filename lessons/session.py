"""What this session keeps, in one plain dict, and what the browser sent with the run that is under way.

Streamlit ends a callback in the middle when the next message is there already, or the line is cut: at whatever it then
touches of st.session_state and st.query_params. So neither is touched between two changes that belong together: what
a press does to the address and the record is done as a whole or not at all. What a form holds is emptied last.
"""

from __future__ import annotations

import threading
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

KEY = "lab"
_thread = threading.local()  # one session's: Streamlit starts a thread for each run, or for a few in a row


def session() -> dict[str, Any]:
    """The lab's own part of st.session_state. What widgets hold is not in it."""
    context = get_script_run_ctx()
    if context is None or getattr(_thread, "context", None) is not context:
        if KEY not in st.session_state:
            st.session_state[KEY] = {}
        _thread.kept, _thread.context = st.session_state[KEY], context
    kept: dict[str, Any] = _thread.kept
    return kept


def sent_address() -> dict[str, str]:
    """The parameters of the browser's address when it asked for this run; once written, those that were written."""
    context = get_script_run_ctx()
    asked = context.query_string if context else ""
    if getattr(_thread, "address", (None,))[0] != asked:
        _thread.address = asked, st.query_params.to_dict()
    return dict(_thread.address[1])


def sent_text() -> str:
    """The same as the text that the browser has behind the question mark."""
    context = get_script_run_ctx()
    return context.query_string if context else ""


def came_by_history() -> bool:
    """Did Back or Forward ask for this run?"""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation
