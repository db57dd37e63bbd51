"""Takes the keyboard to what a press has brought, since the pressed button is gone with what it stood under."""

from __future__ import annotations

import streamlit as st

from lessons.component import asset

_mount = st.components.v2.component("paged_kv_lab_focus", js=asset("after_run.js", "focus.js"), isolate_styles=False)


def focus_on(target: str, *, key: str, stamp: str) -> None:
    """Focus the heading in the container of that key, whenever ``stamp`` has changed; not when the page opens."""
    _mount(key=key, data={"target": target, "stamp": stamp})
