"""Keeps what is chosen in a form when the language changes. What was not yet sent is known in the browser only."""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets

_mount = st.components.v2.component(
    "paged_kv_lab_keep_choices",
    js=read_assets("lib/after_run.js", "components/keep_choices/keep_choices.js"),
    isolate_styles=False,
)


def keep_choices(key: str, language: str) -> None:
    """Draw nothing; call it beside the form, not in it."""
    _mount(key=key, data={"language": language})
