"""Empty slots against block_size: one length's saw-tooth beside the average over many lengths."""

from __future__ import annotations

from lab.activities.block_size_runs import LENGTHS, SIZES, compute_mean_empty, measure_use
from lab.engine.words import Words
from lab.figures.phrases import count, format_percent
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.trace.late_imports import graph_objects as go
from lab.trace.late_imports import pandas as pd

HEIGHT, LABEL, TITLE = 300, 12, 13  # pixels


def draw_block_size(num_tokens: int, chosen: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8) -> Picture:
    """A request of `num_tokens` right after allocate at every block_size, with the chosen one marked. Pure."""
    empty = [measure_use(num_tokens, size).empty for size in SIZES]
    average = [compute_mean_empty(size) for size in SIZES]
    numbers = measure_use(num_tokens, chosen)
    mine, others = theme.hues[0], theme.hues[1]
    values: dict[str, object] = {"tokens": num_tokens, "first": LENGTHS[0], "last": LENGTHS[-1]}
    names = [words.text(f"figures.block_size.{name}", **values) for name in ("this", "average")]
    axis = {
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "linecolor": theme.frame,
        "tickfont": {"size": LABEL, "color": theme.ink},
    }
    figure = go.Figure(
        [
            go.Scatter(
                x=list(SIZES), y=average, name=names[1], mode="lines", line={"color": others.line, "dash": "6px,4px"}
            ),
            go.Scatter(
                x=list(SIZES),
                y=empty,
                name=names[0],
                mode="lines+markers+text",
                text=[str(value) for value in empty],
                textposition="top center",
                textfont={"size": LABEL, "color": mine.ink},
                line={"color": mine.line, "width": 2},
                marker={"size": 9, "color": mine.line},
                cliponaxis=False,
            ),
            go.Scatter(
                x=[chosen],
                y=[numbers.empty],
                mode="markers",
                showlegend=False,
                marker={"size": 19, "symbol": "circle-open", "color": theme.changed_line, "line": {"width": 3}},
                cliponaxis=False,
            ),
        ]
    )
    figure.update_traces(hoverinfo="skip")
    figure.update_layout(
        template="none",
        height=HEIGHT,
        margin={"l": 44, "r": 12, "t": 44, "b": 44},
        xaxis={
            **axis,
            "title": _build_title("block_size", theme),
            "dtick": 1 if columns > 4 else 2,
            "range": [0.5, 16.5],
        },
        yaxis={
            **axis,
            "title": _build_title(words.text("figures.block_size.empty"), theme),
            "range": [-0.4, max(*empty, *average) + 1.6],
            "dtick": 2,
        },
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.0,
            "yanchor": "bottom",
            "font": {"size": LABEL, "color": theme.ink},
        },
    )
    sentence = words.text(
        "figures.block_size.sentence",
        empty=count(words, "figures.empty_slots", numbers.empty),
        percent=format_percent(numbers.empty, numbers.slots),
        average=f"{compute_mean_empty(chosen):.1f}",
        **values,
    )
    columns_ = [
        words.text(f"figures.block_size.{name}", **values) for name in ("blocks", "empty", "percent", "average")
    ]
    rows = [
        (size, run.blocks, run.empty, format_percent(run.empty, run.slots), f"{compute_mean_empty(size):.1f}")
        for size in SIZES
        for run in (measure_use(num_tokens, size),)
    ]
    return Picture(figure.to_plotly_json(), sentence, lambda: pd.DataFrame(rows, columns=["block_size", *columns_]))


def _build_title(text: str, theme: Theme) -> dict[str, object]:
    return {"text": text, "font": {"size": TITLE, "color": theme.ink}, "standoff": 8}
