"""The session's data in one plain dict, and what the browser sent with the current run.

Streamlit may stop a callback at any access to st.session_state or st.query_params, if another message has come or the
connection is cut. So the changes that belong together touch only the plain dict: a press changes both the address and
the record, or neither. Form fields, which are in st.session_state, are emptied last.
"""

from __future__ import annotations

import threading
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

KEY = "lab"
_thread = threading.local()  # a thread serves one session: Streamlit starts a thread for one run or a few in a row


def get_session() -> dict[str, Any]:
    """The lab's own dict in st.session_state; the values of widgets are not in it."""
    context = get_script_run_ctx()
    if context is None or getattr(_thread, "context", None) is not context:
        if KEY not in st.session_state:
            st.session_state[KEY] = {}
        _thread.session, _thread.context = st.session_state[KEY], context
    session: dict[str, Any] = _thread.session
    return session


def get_query_string() -> str:
    """The browser's query string as it was when it asked for this run, or as this run has written it since."""
    context = get_script_run_ctx()
    return context.query_string if context else ""


def is_history_navigation() -> bool:
    """Did Back or Forward ask for this run?"""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def get_event(key: str, name: str) -> Any:
    """In a callback of the component ``key``: the value that the browser just sent as ``name``, else None.

    A client can send anything over the websocket, so the caller must check the type.
    """
    values = st.session_state.get(key)
    return values.get(name) if isinstance(values, dict) else None
