"""A live Plotly figure: redrawn in place, in the colours of the page's theme, with clickable markers."""

from __future__ import annotations

import json
from typing import Any

from lab.trace.late_imports import graph_objects as go
from lessons.server.components import declare_component
from lessons.widgets.live_figure import OnClick, OnColumns, build_figure_data, build_figure_handlers

DEFAULT_HEIGHT = 360  # of assets/lib/live_figure.js

_mount = declare_component(
    "plot", "lib/colors.js", "lib/after_run.js", "lib/figure.js", "lib/live_figure.js", "components/plot/plot.js"
)


def _dump_figure(figure: dict[str, Any] | go.Figure | str) -> str:
    if isinstance(figure, str):
        return figure
    return json.dumps(figure, ensure_ascii=False) if isinstance(figure, dict) else str(figure.to_json(validate=False))


def draw(
    figure: dict[str, Any] | go.Figure | str,
    *,
    key: str,
    label: str,
    dark_colors: dict[str, str],
    on_click: OnClick = None,
    on_columns: OnColumns = None,
    columns: int = 8,
) -> None:
    """Draw ``figure``; a later call with the same ``key`` redraws it in the same node.

    figure       Plotly's dict, object or JSON, in light colours. A clickable marker has a string ``customdata``.
                 ``layout.height`` is the height. In ``layout.meta``, in pixels: below ``min_width`` the figure scrolls
                 in its own box, above ``max_width`` it is centred, from ``wide_from`` on it has room for 8 columns.
                 ``scroll_end``: a figure that scrolls begins at its right end.
    label        the sentence that describes the figure to a screen reader.
    dark_colors  light colour -> dark colour. The browser swaps them, so that a change of theme needs no rerun.
    on_click     called with the customdata of the clicked marker.
    on_columns   called with 8 or 4 if the figure has room for another number of columns than ``columns``.
    """
    _mount(
        key=key,
        data={
            "figure": _dump_figure(figure),
            "label": label,
            "dark_colors": dark_colors,
            **build_figure_data(on_click, on_columns, columns),
        },
        **build_figure_handlers(key, on_click, on_columns),
    )
