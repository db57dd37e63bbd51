"""The browser components of the lab, with their scripts served as files.

Streamlit sends a component's script and style as text to every browser with every run: a hundred kilobytes for a press
on the task. So the text that it sends only imports the script. The styles are in the page, see index_page.py.
"""

from __future__ import annotations

import json

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from lessons.server.asset_files import read_assets
from lessons.server.hashed_files import serve_file


def declare_component(name: str, *files: str) -> ComponentRenderer:
    """Declare a component whose module consists of these files of ``assets/``, in this order; helpers come first.

    Call it once, as its module is imported. Its styles are not isolated: Plotly's own do not reach into a shadow root.
    """
    address = serve_file(f"{name}.js", read_assets(*files).encode())
    script = read_assets("lib/import_component.js").replace("ADDRESS", json.dumps(address))
    return st.components.v2.component(f"paged_kv_lab_{name}", js=script, isolate_styles=False)
