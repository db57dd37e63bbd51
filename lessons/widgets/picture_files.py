"""Buttons that save pictures: a figure as SVG; what the page's player shows as SVG, PNG or all of its steps.

Plotly draws them in the browser.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from lessons.server import plotly_js
from lessons.server.asset_files import read_assets
from lessons.text.translations import Translations
from lessons.widgets.plot import DEFAULT_HEIGHT

_LIBRARIES = ("colors", "after_run", "element", "figure", "live_figure", "zip")
_mount = st.components.v2.component(
    "paged_kv_lab_picture_files",
    js=read_assets(
        *(f"lib/{name}.js" for name in _LIBRARIES),
        *(f"components/player/player_{part}.js" for part in ("places", "film")),
        "components/picture_files/picture_files.js",
    ),
    css=read_assets("lib/button.css", "components/picture_files/picture_files.css"),
    isolate_styles=False,
)
_mount_svg = st.components.v2.component(
    "paged_kv_lab_svg_button",
    js=read_assets("lib/colors.js", "lib/figure.js", "components/svg_button/svg_button.js"),
    css=read_assets("lib/button.css", "components/svg_button/svg_button.css"),
    isolate_styles=False,
)
_WORDS = {"svg": (), "png": (), "all": (), "drawing": ("done", "total"), "done": ("total",), "missing": ("missing",)}


def draw_picture_files(name: str, words: Translations) -> None:
    """Draw the buttons. `name`: the beginning of the files' names."""
    texts = {
        key: words.text(f"player.files.{key}", **{field: f"{{{field}}}" for field in fields})
        for key, fields in _WORDS.items()
    }
    _mount(key="picture_files", data={"name": name, "words": texts})


def draw_svg_button(figure: dict[str, Any], *, key: str, label: str, file_name: str) -> None:
    """Draw the button. `figure` is Plotly's dict in light colours, with its height in the layout."""
    data = {
        "figure": json.dumps(figure, ensure_ascii=False),
        "height": figure["layout"].get("height") or DEFAULT_HEIGHT,
        "url": plotly_js.get_url(),
        "label": label,
        "file_name": file_name,
    }
    _mount_svg(key=key, data=data, width="content")
