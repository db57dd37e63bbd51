"""Buttons that save pictures: a figure as SVG; what the page's player shows as SVG, PNG or all of its steps.

Plotly draws them in the browser.
"""

from __future__ import annotations

import json
from typing import Any

from lessons.server import plotly_js
from lessons.server.components import declare_component
from lessons.text.translations import Translations
from lessons.widgets.plot import DEFAULT_HEIGHT

_LIBRARIES = ("colors", "after_run", "element", "figure", "live_figure", "zip")
_mount = declare_component(
    "picture_files",
    *(f"lib/{name}.js" for name in _LIBRARIES),
    *(f"components/player/player_{part}.js" for part in ("places", "film")),
    "components/picture_files/picture_files.js",
)
_mount_svg = declare_component("svg_button", "lib/colors.js", "lib/figure.js", "components/svg_button/svg_button.js")
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
