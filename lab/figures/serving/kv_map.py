"""One moment of a pool: a sample of its slots in order, the use of each, and the borders between owners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.engine.words import Words
from lab.figures.picture import Picture
from lab.figures.serving import style
from lab.figures.theme import LIGHT, Theme
from lab.serving.simulation import ServingFrame, ServingResult
from lab.trace.late_imports import pandas as pd

_CELL = 22  # pixels


def draw_kv_map(result: ServingResult, index: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8) -> Picture:
    """Frame `index` of the run. The table has all frames. Pure. Raises IndexError."""
    frame = result.frames[index]
    across = 32 if columns >= 8 else 16
    down = -(-len(frame.kinds) // across)
    traces: list[dict[str, Any]] = [_build_borders(frame.owners, across, theme)]
    for i, kind in enumerate(style.KINDS):
        cells = [cell for cell, kind_of_cell in enumerate(frame.kinds) if kind_of_cell == i]
        looks = style.look(kind, theme)
        size = {"external": 4, "internal": 9}.get(kind, 12)
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": words.text(f"memory.kind.{kind}"),
                "x": [cell % across + 0.5 for cell in cells] or [None],  # an empty kind keeps its place in the legend
                "y": [cell // across + 0.5 for cell in cells] or [None],
                "marker": {
                    "symbol": looks.symbol,
                    "size": size,
                    "color": looks.line,
                    "line": {"width": 2, "color": looks.line},
                },
                "hoverinfo": "skip",
            }
        )
    below = 96 if columns < 8 else 44
    plain = {"visible": False, "fixedrange": True, "showgrid": False, "zeroline": False}
    layout = style.build_layout(
        theme,
        down * _CELL + below,
        "serving_map",
        (4, 4, 4, below),
        xaxis={**plain, "range": [-0.1, across + 0.1]},
        yaxis={**plain, "range": [down + 0.1, -0.1]},
        showlegend=True,
        legend=style.build_legend(theme, -8 / (down * _CELL)),
    )
    shares = {kind: style.format_number(getattr(frame.shares, kind)) for kind in style.KINDS}
    sentence = words.text(
        "memory.map.sentence",
        step=f"{frame.step:,}",
        batch=frame.batch,
        policy=style.format_policy(result.settings.policy.value, words),
        **shares,
    )
    return Picture({"data": traces, "layout": layout}, sentence, lambda: _tabulate(result.frames, words))


def _build_borders(owners: Sequence[int], across: int, theme: Theme) -> dict[str, Any]:
    """A line between neighbours in a row that belong to different owners."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for cell in range(1, len(owners)):
        if cell % across and owners[cell] != owners[cell - 1]:
            xs += [cell % across, cell % across, None]
            ys += [cell // across + 0.1, cell // across + 0.9, None]
    line = {"width": 1, "color": theme.frame}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "borders",
        "x": xs,
        "y": ys,
        "line": line,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _tabulate(frames: Sequence[ServingFrame], words: Words) -> pd.DataFrame:
    names = [words.text("memory.column.step"), words.text("memory.column.batch")]
    names += [words.text("memory.column.percent", name=words.text(f"memory.kind.{kind}")) for kind in style.KINDS]
    lines = [
        (frame.step, frame.batch, *(style.format_number(getattr(frame.shares, kind)) for kind in style.KINDS))
        for frame in frames
    ]
    return pd.DataFrame(lines, columns=names)
