"""A new page starts at its top, wherever the page before was scrolled to."""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets

_mount = st.components.v2.component(
    "paged_kv_lab_top_of_page", js=read_assets("components/top_of_page/top_of_page.js"), isolate_styles=False
)


def scroll_to_top(page: str) -> None:
    """Scroll to the top if ``page`` has changed. Call it after the page is drawn."""
    _mount(key="top_of_page", data={"page": page})
