"""What every component with live figures sends and hears (assets/lib/live_figure.js): clicks, and room for columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lessons.server import plotly_js
from lessons.state import presenting
from lessons.state.session import get_event

OnClick = Callable[[str], None] | None
OnColumns = Callable[[int], None] | None


def build_figure_data(on_click: OnClick, on_columns: OnColumns, columns: int) -> dict[str, Any]:
    """The data for the component's figures, drawn with this many columns."""
    return {
        "columns": columns,
        "clickable": on_click is not None,
        "wants_columns": on_columns is not None,
        "url": plotly_js.get_url(),
        **presenting.get_figure_data(),
    }


def build_figure_handlers(key: str, on_click: OnClick, on_columns: OnColumns) -> dict[str, Any]:
    """The callbacks to mount the component `key` with. What a browser sends is untrusted."""

    def handle_click() -> None:
        point = get_event(key, "click")
        if on_click is not None and isinstance(point, str):
            on_click(point)

    def handle_columns() -> None:
        fitting = get_event(key, "columns")
        if on_columns is not None and fitting in (4, 8):
            on_columns(int(fitting))

    return {"on_click_change": handle_click, "on_columns_change": handle_columns}
