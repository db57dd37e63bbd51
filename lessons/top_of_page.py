"""A new page begins at its top, wherever the one before it was scrolled to."""

from __future__ import annotations

import streamlit as st

from lessons.component import asset

_mount = st.components.v2.component("paged_kv_lab_top_of_page", js=asset("top_of_page.js"), isolate_styles=False)


def top_of_page(page: str) -> None:
    """Go to the top when ``page`` is another one than before; after the page is drawn."""
    _mount(key="top_of_page", data={"page": page})
