"""The browser components of the lab, with their scripts served as files.

Streamlit sends a component's script and style as text to every browser with every run: a hundred kilobytes for a press
on the task. So the text that it sends only imports the script. The styles are in the page, see index_page.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from lessons.server.asset_files import read_assets
from lessons.server.hashed_files import serve_file


def declare_component(name: str, *files: str) -> Callable[..., None]:
    """Declare a component whose module consists of these files of ``assets/``, in this order; helpers come first.

    Returns what mounts it: with its `key`, its `data`, and callbacks.

    Call it once, as its module is imported. Its styles are not isolated: Plotly's own do not reach into a shadow root.
    """
    address = serve_file(f"{name}.js", read_assets(*files).encode())
    script = read_assets("lib/import_component.js").replace("ADDRESS", json.dumps(address))
    mount_in_streamlit = st.components.v2.component(f"paged_kv_lab_{name}", js=script, isolate_styles=False)

    def mount(*, key: str, data: Mapping[str, object], **given: Any) -> None:
        # In a tuple: among the values of a mapping Streamlit looks for tables, which takes longer than all the rest.
        mount_in_streamlit(key=key, data=(data,), **given)

    return mount
