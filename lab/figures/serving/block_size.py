"""What block_size decides: the waste in the requests' own pages, the length of their tables, the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.engine.words import Words
from lab.figures.picture import Picture
from lab.figures.serving import style
from lab.figures.theme import LIGHT, Theme
from lab.serving.simulation import ServingResult
from lab.serving.studies import measure_table_entries, measure_waste
from lab.trace.late_imports import pandas as pd

HEIGHT = 320


def draw_waste(
    results: Sequence[ServingResult], chosen: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """Waste against block_size, with the chosen size marked. Pure. Raises KeyError if `chosen` was not run."""
    runs = {result.settings.block_size: result for result in results}
    here = measure_waste(runs[chosen])
    sizes = [str(size) for size in runs]
    wastes = [measure_waste(run) for run in runs.values()]
    mine, line = theme.hues[1], theme.hues[0].line
    small = columns < 8
    shown = {str(chosen), *(sizes[::2] if small else sizes)}  # numbers that have room
    spec: dict[str, Any] = {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers+text",
                "x": sizes,
                "y": wastes,
                "text": [
                    "" if size == str(chosen) or size not in shown else f"{y:.1f}"
                    for size, y in zip(sizes, wastes, strict=True)
                ],
                "textposition": "top center",
                "textfont": {"size": style.SMALL, "color": theme.ink},
                "line": {"color": line, "width": 2},
                "marker": {"size": 8, "color": line},
                "cliponaxis": False,
                "hoverinfo": "skip",
            },
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [str(chosen)],
                "y": [here],
                "text": [f"<b>{here:.1f}%</b>"],
                "textposition": "top center",
                "textfont": {"size": 16, "color": mine.ink},
                "marker": {"size": 16, "symbol": "diamond", "color": mine.line},
                "cliponaxis": False,
                "hoverinfo": "skip",
            },
        ],
        "layout": style.build_layout(
            theme,
            HEIGHT,
            "serving_block_size",
            (52, 24, 28, 52),
            xaxis=style.build_axis(theme, type="category", title=style.build_title("block_size", theme)),
            yaxis=style.build_axis(
                theme,
                range=[-0.03 * max(wastes, default=1), max(*wastes, 1) * 1.2],
                ticksuffix="%",
                nticks=6,
                title=style.build_title(words.text("memory.waste.axis"), theme),
            ),
        ),
    }
    sentence = words.text(
        "memory.waste.sentence",
        size=chosen,
        waste=style.format_number(here),
        first=sizes[0],
        first_waste=style.format_number(wastes[0]),
        last=sizes[-1],
        last_waste=style.format_number(wastes[-1]),
    )
    return Picture(spec, sentence, lambda: _tabulate(runs, words))


def _tabulate(runs: dict[int, ServingResult], words: Words) -> pd.DataFrame:
    names = [
        "block_size",
        *(words.text(f"memory.column.{n}") for n in ("waste", "entries", "mean_batch", "preemptions")),
    ]
    lines = [
        (
            size,
            style.format_number(measure_waste(run)),
            style.format_number(measure_table_entries(run)),
            style.format_number(run.mean_batch),
            run.preemptions,
        )
        for size, run in runs.items()
    ]
    return pd.DataFrame(lines, columns=names)
