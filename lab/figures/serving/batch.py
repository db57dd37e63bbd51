"""How many requests run at once: by policy, next to the paper, and with and without a shared system prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lab.engine.words import Words
from lab.figures.picture import Picture
from lab.figures.serving import style
from lab.figures.theme import LIGHT, Theme
from lab.serving.paper import PaperComparison
from lab.serving.simulation import ServingResult
from lab.trace.late_imports import pandas as pd

_BAR, _GAP = 28, 32  # pixels


def draw_batch(
    runs: Sequence[ServingResult] | Sequence[PaperComparison], words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """A bar for the mean batch of each policy, with the paper's below it; the table also has the peak. Pure."""
    groups: list[tuple[str, list[tuple[str, float, str]]]] = []
    lines, phrases = [], []
    for run in runs:
        result = run.result if isinstance(run, PaperComparison) else run
        name = style.format_policy(result.settings.policy.value, words)
        bars = [(words.text("memory.ours"), result.mean_batch, "tokens")]
        paper = run.paper.batch if isinstance(run, PaperComparison) else None
        if paper is not None:
            bars.append((words.text("memory.paper"), paper, "paper"))
        groups.append((name, bars))
        mean = style.format_number(result.mean_batch)
        phrases.append(words.text("memory.batch.one", policy=name, mean=mean, peak=result.peak_batch))
        if paper is not None:
            phrases[-1] = words.text("memory.batch.both", said=phrases[-1], paper=style.format_number(paper, 2))
        lines.append(
            (name, mean, style.format_number(paper, 2), result.peak_batch, result.preemptions, result.recomputed)
        )
    names = ("policy", "mean_batch", "paper_batch", "peak_batch", "preemptions", "recomputed")
    table = pd.DataFrame(lines, columns=[words.text(f"memory.column.{name}") for name in names])
    if not any(isinstance(run, PaperComparison) for run in runs):
        table = table.drop(columns=words.text("memory.column.paper_batch"))
    sentence = words.text("memory.batch.sentence", said=words.text("memory.semicolon").join(phrases))
    return Picture(_build_spec(groups, words, theme, "serving_batch", columns), sentence, lambda: table)


def draw_prompt_sharing(
    alone: ServingResult, shared: ServingResult, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """The mean batch if each request stores the system prompt, and if it is stored once. Pure."""
    runs = {"alone": alone, "shared": shared}
    names = {name: words.text(f"memory.prompt.{name}") for name in runs}
    bars = [(names[name], [("", run.mean_batch, "tokens")]) for name, run in runs.items()]
    sentence = words.text(
        "memory.prompt.sentence",
        tokens=alone.settings.prefix,
        alone=style.format_number(alone.mean_batch),
        shared=style.format_number(shared.mean_batch),
        saved=style.format_number(shared.shared, 0),
    )
    columns_ = ("prompt", "mean_batch", "peak_batch", "saved", "preemptions")
    table = pd.DataFrame(
        [
            (
                names[name],
                style.format_number(run.mean_batch),
                run.peak_batch,
                style.format_number(run.shared),
                run.preemptions,
            )
            for name, run in runs.items()
        ],
        columns=[words.text(f"memory.column.{name}") for name in columns_],
    )
    return Picture(_build_spec(bars, words, theme, "serving_prompt", columns), sentence, lambda: table)


def _build_spec(
    groups: Sequence[tuple[str, Sequence[tuple[str, float, str]]]], words: Words, theme: Theme, name: str, columns: int
) -> dict[str, Any]:
    """Bars in groups: a name above each group, a label before each bar, its number after it."""
    traces: list[dict[str, Any]] = []
    notes, places, labels, y = [], [], [], 0.0
    for group, bars in groups:
        notes.append(style.note(f"<b>{group}</b>", 0, y + _GAP * 0.6, theme))
        y += _GAP
        for label, value, kind in bars:
            places.append(y + _BAR / 2)
            labels.append(label)
            y += _BAR
            traces.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "x": [value],
                    "y": [places[-1]],
                    "width": _BAR * 0.8,
                    "marker": style.build_marker(kind, theme),
                    "text": [f"<b>{value:.1f}</b>"],
                    "textposition": "outside",
                    "cliponaxis": False,
                    "textfont": {"size": style.LABEL, "color": theme.ink},
                    "hoverinfo": "skip",
                }
            )
    most = max(trace["x"][0] for trace in traces)
    left = (58 if columns < 8 else 70) if any(labels) else 14
    layout = style.build_layout(
        theme,
        y + 52,
        name,
        (left, 14, 0, 52),
        barmode="overlay",
        xaxis=style.build_axis(
            theme,
            range=[0, most * 1.15],
            title=style.build_title(words.text("memory.column.mean_batch"), theme),
            nticks=6,
        ),
        yaxis=style.build_axis(theme, range=[y, 0], tickvals=places, ticktext=labels, ticks=""),
        annotations=notes,
    )
    return {"data": traces, "layout": layout}
