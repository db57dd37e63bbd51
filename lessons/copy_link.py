"""A button that copies the address of the page, which holds the whole scenario."""

from __future__ import annotations

import streamlit as st

from lessons.component import asset

_mount = st.components.v2.component(
    "paged_kv_lab_copy_link", js=asset("copy_link.js"), css=asset("copy_link.css"), isolate_styles=False
)


def copy_link(
    *, key: str, label: str, done_label: str, params: dict[str, str], only: bool = False, instead: str = ""
) -> None:
    """Draw the button; after a press ``done_label`` is shown and announced.

    ``params`` are set in the copied address beside those that it has (the language, where the visitor never chose).
    ``only``: the copied address has no others. ``instead``: said after a press, where nothing can be copied.
    """
    data = {"label": label, "done_label": done_label, "params": params, "only": only, "instead": instead}
    _mount(key=key, data=data, width="content")
