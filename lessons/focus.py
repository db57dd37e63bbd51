"""Takes the keyboard and the eye to what a press has brought: what was pressed is gone with what it stood under."""

from __future__ import annotations

import streamlit as st

from lessons.component import asset

_mount = st.components.v2.component("paged_kv_lab_focus", js=asset("after_run.js", "focus.js"), isolate_styles=False)


def focus_on(target: str, *, key: str, stamp: str, view: str = "", look: str = "", opens: bool = False) -> None:
    """Focus the heading in the container of that key, whenever ``stamp`` has changed; not when the page opens.

    view   the container that is to stand at the window's top then, its scroll-margin above it; without one, what is
           focused is only brought into sight.
    look   when it changes, and where it ``opens`` with the page, the window is moved as well, but not the keyboard.
    """
    _mount(key=key, data={"target": target, "stamp": stamp, "view": view, "look": look, "opens": opens})
