"""The button that opens the page's tools where there is no room for them in the bar; see assets/tools_menu.css."""

from __future__ import annotations

import streamlit as st

from lessons.component import asset

_mount = st.components.v2.component(
    "paged_kv_lab_tools_menu",
    js=asset("element.js", "tools_menu.js"),
    css=asset("tools_menu.css"),
    isolate_styles=False,
)


def tools_menu(label: str, page: str) -> None:
    """Draw the button; it opens the container with the key "tools", and closes it when another ``page`` has come."""
    _mount(key="tools_menu", data={"label": label, "page": page})
