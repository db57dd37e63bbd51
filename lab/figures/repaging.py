"""The same tokens at another block_size: only the pages of the memory picture, from a run of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from lab.engine.words import Words
from lab.figures.canvas import Canvas
from lab.figures.memory.layout import Layout, lay_out
from lab.figures.memory.memory_picture import NO_CHANGE
from lab.figures.memory.metrics import get_metrics
from lab.figures.memory.pages import draw_pages
from lab.figures.memory.pen import Pen
from lab.figures.phrases import count
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import SequenceView, Snapshot


def draw_repaging(
    snapshots: Sequence[Snapshot], shown: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """The pages of every request in `snapshots[shown]`, as high as the highest of all, so that nothing moves. Pure."""
    snapshot = snapshots[shown]
    layout = _lay_out(snapshot, words, columns)
    canvas = Canvas(theme, layout.m.width, layout.m.label_size, "memory", ())
    draw_pages(Pen(canvas, layout, snapshot, words, NO_CHANGE))
    highest = max(_lay_out(each, words, columns).zone.y0 for each in snapshots)
    sentences = [_describe(view, words) for view in snapshot.sequences] or [words.text("figures.memory.no_requests")]
    sentence = words.text("figures.gap").join(sentences)
    return Picture(
        canvas.spec(highest + layout.m.gutter / 2, layout.m.meta), sentence, lambda: _tabulate(snapshot, words)
    )


def _lay_out(snapshot: Snapshot, words: Words, columns: int) -> Layout:
    return lay_out(snapshot, words, get_metrics(columns), columns, [1] * snapshot.num_blocks, caption_height=0)


def _describe(view: SequenceView, words: Words) -> str:
    return words.text(
        "figures.paged_anew.sentence",
        seq=view.seq_id,
        tokens=count(words, "figures.tokens", view.num_tokens),
        size=view.block_size,
        pages=view.num_blocks,
        last=view.last_block_num_tokens,
    )


def _tabulate(snapshot: Snapshot, words: Words) -> pd.DataFrame:
    names = [words.text(f"figures.paged_anew.{name}") for name in ("page", "block", "tokens")]
    rows = [
        (i, block_id, " ".join(map(words.token, view.page(i))))
        for view in snapshot.sequences
        for i, block_id in enumerate(view.block_table)
    ]
    return pd.DataFrame(rows, columns=names)
