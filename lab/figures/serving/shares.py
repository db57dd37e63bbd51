"""The use of the pool's slots: a bar for each policy, next to the paper's bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lab.engine.words import Words
from lab.figures.picture import Picture
from lab.figures.serving import style
from lab.figures.theme import LIGHT, Theme
from lab.serving.paper import PaperComparison
from lab.serving.simulation import ServingResult
from lab.trace.late_imports import pandas as pd

OURS, PAPER = "ours", "paper"
_BAR, _GAP = 30, 34  # pixels: a bar with its margin; the line with the policy's name
Parts = dict[str, float | None]


class ShareBar(NamedTuple):
    """One bar. `parts`: percent of all slots by kind of style.KINDS; `unsplit`: what its source does not split."""

    policy: str
    source: str
    parts: Parts
    unsplit: float


def build_bars(runs: Sequence[ServingResult] | Sequence[PaperComparison]) -> list[ShareBar]:
    """Bars from top to bottom: ours, and the paper's after it if there is a comparison. Pure."""
    bars = []
    for run in runs:
        result = run.result if isinstance(run, PaperComparison) else run
        policy = result.settings.policy.value
        ours: Parts = {kind: getattr(result.shares, kind) for kind in style.KINDS}
        bars.append(ShareBar(policy, OURS, ours, 0.0))
        if isinstance(run, PaperComparison):
            paper: Parts = {kind: getattr(run.paper, kind) for kind in style.KINDS}
            left = 100 - sum(value or 0 for value in paper.values())
            bars.append(ShareBar(policy, PAPER, paper, left if paper["external"] is None else 0.0))
    return bars


def draw_shares(
    runs: Sequence[ServingResult] | Sequence[PaperComparison], words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """Stacked bars of one hundred percent, with patterns and numbers. Pure."""
    bars = build_bars(runs)
    places, notes, y, last = [], [], 0.0, ""
    for bar in bars:
        if bar.policy != last:
            notes.append(style.note(f"<b>{style.format_policy(bar.policy, words)}</b>", 0, y + _GAP * 0.6, theme))
            y, last = y + _GAP, bar.policy
        places.append(y + _BAR / 2)
        y += _BAR
    narrow = columns < 8
    kinds = (*style.KINDS, "unsplit") if any(bar.unsplit for bar in bars) else style.KINDS
    traces = [_trace(kind, bars, places, words, theme, fits=12 if narrow else 6) for kind in kinds]
    below = 148 if narrow else 100
    height = y + below
    spec: dict[str, Any] = {
        "data": traces,
        "layout": style.build_layout(
            theme,
            height,
            "serving_shares",
            (58 if narrow else 70, 26, 0, below),  # on the right, room for half of "100%"
            barmode="stack",
            bargap=0.18,
            uniformtext={"mode": "show", "minsize": 11},
            xaxis=style.build_axis(
                theme,
                range=[0, 100.2],
                ticksuffix="%",
                dtick=20,
                title=style.build_title(words.text("memory.shares.axis"), theme),
            ),
            yaxis=style.build_axis(
                theme,
                range=[y, 0],
                tickvals=places,
                ticktext=[words.text(f"memory.{b.source}") for b in bars],
                ticks="",
            ),
            annotations=notes,
            showlegend=True,
            legend=style.build_legend(theme, -58 / y),
        ),
    }
    return Picture(spec, _describe(bars, words), lambda: _tabulate(bars, words))


def _trace(
    kind: str, bars: Sequence[ShareBar], places: list[float], words: Words, theme: Theme, *, fits: float
) -> dict[str, Any]:
    shares = [bar.unsplit if kind == "unsplit" else bar.parts[kind] or 0.0 for bar in bars]
    return {
        "type": "bar",
        "orientation": "h",
        "name": words.text(f"memory.kind.{kind}"),
        "x": shares,
        "y": places,
        "width": _BAR * 0.82,
        "marker": style.build_marker(kind, theme),
        "text": [f"<b>{share:.1f}</b>" if share >= fits else "" for share in shares],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "none",
        "cliponaxis": False,
        "textfont": {"size": style.SMALL, "color": style.look(kind, theme).ink},
        "hoverinfo": "skip",
    }


def _describe(bars: Sequence[ShareBar], words: Words) -> str:
    phrases = []
    for bar in bars:
        name, tokens = style.format_policy(bar.policy, words), style.format_number(bar.parts["tokens"])
        if bar.source == OURS:
            phrases.append(words.text("memory.shares.ours", policy=name, tokens=tokens))
        else:
            phrases[-1] = words.text("memory.shares.both", said=phrases[-1], tokens=tokens)
    return words.text("memory.shares.sentence", said=words.text("memory.semicolon").join(phrases))


def _tabulate(bars: Sequence[ShareBar], words: Words) -> pd.DataFrame:
    names = [words.text("memory.column.policy"), words.text("memory.column.source")]
    names += [words.text("memory.column.percent", name=words.text(f"memory.kind.{kind}")) for kind in style.KINDS]
    lines = [
        (
            style.format_policy(bar.policy, words),
            words.text(f"memory.{bar.source}"),
            *(style.format_number(bar.parts[kind]) for kind in style.KINDS),
        )
        for bar in bars
    ]
    return pd.DataFrame(lines, columns=names)
