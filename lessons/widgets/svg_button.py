"""A button that saves a figure as an SVG file. Plotly makes the file in the browser."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from lessons.server import plotly_js
from lessons.server.asset_files import read_assets
from lessons.widgets.plot import DEFAULT_HEIGHT

_mount = st.components.v2.component(
    "paged_kv_lab_svg_button",
    js=read_assets("lib/colors.js", "lib/figure.js", "components/svg_button/svg_button.js"),
    css=read_assets("lib/button.css", "components/svg_button/svg_button.css"),
    isolate_styles=False,
)


def draw_svg_button(figure: dict[str, Any], *, key: str, label: str, file_name: str) -> None:
    """Draw the button. `figure` is Plotly's dict in light colours, with its height in the layout."""
    data = {
        "figure": json.dumps(figure, ensure_ascii=False),
        "height": figure["layout"].get("height") or DEFAULT_HEIGHT,
        "url": plotly_js.get_url(),
        "label": label,
        "file_name": file_name,
    }
    _mount(key=key, data=data, width="content")
