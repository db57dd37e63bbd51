"""Picture, the return value of every figure function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lab.trace.late_imports import graph_objects as go
from lab.trace.late_imports import pandas as pd


@dataclass(frozen=True)
class Picture:
    """A figure, and its content in words: one sentence (its aria label) and a table.

    `spec` is the figure as Plotly's own dict, `{"data": [...], "layout": {...}}`. Building and copying Plotly's objects
    takes longer than drawing, so pages send the dict, and `figure` builds the object on demand. The table is also built
    on demand, because most tables are never opened.
    """

    spec: dict[str, Any]
    sentence: str
    tabulate: Callable[[], pd.DataFrame]

    @cached_property
    def table(self) -> pd.DataFrame:
        """The content of the figure, row by row."""
        return self.tabulate()

    @cached_property
    def figure(self) -> go.Figure:
        """The figure as a plotly Figure."""
        return go.Figure(self.spec, _validate=False)
