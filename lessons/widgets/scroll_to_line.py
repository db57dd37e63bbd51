"""Keeps a line of the source in sight while one steps through what happened."""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets

_mount = st.components.v2.component(
    "paged_kv_lab_follow",
    js=read_assets("lib/after_run.js", "components/scroll_to_line/scroll_to_line.js"),
    isolate_styles=False,
)


def follow(*, key: str, line: int, stamp: str, focus: bool = False, top: bool = False) -> None:
    """Scroll the box around that line of the file to it, once for each new ``stamp``.

    ``focus``: somebody asked for it, so the keyboard goes there as well, to the name of the method.
    ``top``: the line comes to the top of the box, not to its middle.
    """
    _mount(key=key, data={"line": line, "stamp": stamp, "focus": focus, "top": focus or top})
