"""What every figure function returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go


@dataclass(frozen=True)
class Picture:
    """A figure, and the same facts in words: one sentence (its aria label) and a table.

    `spec` is the figure as Plotly's own dict, `{"data": [...], "layout": {...}}`: building and copying Plotly's objects
    would take longer than drawing needs, so a page sends the dict and only those who want an object ask for one.
    """

    spec: dict[str, Any]
    sentence: str
    table: pd.DataFrame

    @cached_property
    def figure(self) -> go.Figure:
        """The same as a plotly Figure."""
        return go.Figure(self.spec, _validate=False)
