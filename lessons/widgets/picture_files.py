"""Buttons that save what the page's player shows as pictures. Plotly draws them in the browser."""

from __future__ import annotations

import streamlit as st

from lessons.server.asset_files import read_assets
from lessons.text.translations import Translations

_LIBRARIES = ("colors", "after_run", "element", "figure", "live_figure", "zip")
_mount = st.components.v2.component(
    "paged_kv_lab_picture_files",
    js=read_assets(
        *(f"lib/{name}.js" for name in _LIBRARIES),
        *(f"components/player/player_{part}.js" for part in ("places", "film")),
        "components/picture_files/picture_files.js",
    ),
    css=read_assets("components/picture_files/picture_files.css"),
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
