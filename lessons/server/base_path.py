"""Where the lab's own addresses lie below the path that it is served from."""

from __future__ import annotations

import streamlit as st
from streamlit.url_util import make_url_path


def add_base_path(path: str) -> str:
    """The path of a request for ``path``: ``server.baseUrlPath`` stands before it, where that is set.

    A proxy that strips its own prefix needs nothing here: what the page asks for is relative to the page.
    """
    return make_url_path(st.get_option("server.baseUrlPath") or "", path)
