"""What every figure function returns."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go


@dataclass(frozen=True)
class Picture:
    """A figure, and the same facts in words: one sentence (its aria label) and a table."""

    figure: go.Figure
    sentence: str
    table: pd.DataFrame
