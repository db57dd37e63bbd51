"""The button that opens the page's tools if the bar has no room for them; see tools_menu.css."""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets

_mount = st.components.v2.component(
    "paged_kv_lab_tools_menu",
    js=read_assets("lib/element.js", "components/tools_menu/tools_menu.js"),
    css=read_assets("lib/button.css", "components/tools_menu/tools_menu.css"),
    isolate_styles=False,
)


def mount_tools_menu(label: str, page: str) -> None:
    """Draw the button. It opens the container with the key "tools"; a change of ``page`` closes it."""
    _mount(key="tools_menu", data={"label": label, "page": page})
