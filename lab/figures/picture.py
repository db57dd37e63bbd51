"""What every figure function returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lab.trace.late_imports import graph_objects as go
from lab.trace.late_imports import pandas as pd


@dataclass(frozen=True)
class Picture:
    """A figure, and the same facts in words: one sentence (its aria label) and a table.

    `spec` is the figure as Plotly's own dict, `{"data": [...], "layout": {...}}`: building and copying Plotly's objects
    would take longer than drawing needs, so a page sends the dict and only those who want an object ask for one. The
    table, too, is made when it is asked for: most are never opened.
    """

    spec: dict[str, Any]
    sentence: str
    tabulate: Callable[[], pd.DataFrame]

    @cached_property
    def table(self) -> pd.DataFrame:
        """What the figure shows, row by row."""
        return self.tabulate()

    @cached_property
    def figure(self) -> go.Figure:
        """The same as a plotly Figure."""
        return go.Figure(self.spec, _validate=False)
