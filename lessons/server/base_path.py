"""The lab's own routes below the path that the server is set to."""

from __future__ import annotations

import streamlit as st
from streamlit.url_util import make_url_path


def add_base_path(path: str) -> str:
    """Put ``server.baseUrlPath``, if it is set, before ``path``.

    A proxy that strips its own prefix needs no setting: pages use relative addresses.
    """
    return make_url_path(st.get_option("server.baseUrlPath") or "", path)
