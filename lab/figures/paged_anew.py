"""The same tokens at another block_size: the memory picture's pages alone, as a run of the engine left them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lab.figures.canvas import Canvas
from lab.figures.memory import NO_CHANGE
from lab.figures.memory_layout import Layout, lay_out, metrics
from lab.figures.memory_pages import draw_pages
from lab.figures.memory_pen import Pen
from lab.figures.phrases import count
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.snapshot import SequenceView, Snapshot
from lab.words import Words


def paged_anew(
    snapshots: Sequence[Snapshot], shown: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """The pages of every request in one of the snapshots, as high as the highest of them all: nothing moves. Pure."""
    snapshot = snapshots[shown]
    layout = _layout(snapshot, words, columns)
    canvas = Canvas(theme, layout.m.width, layout.m.label_size, "memory", ())
    draw_pages(Pen(canvas, layout, snapshot, words, NO_CHANGE))
    highest = max(_layout(each, words, columns).zone.y0 for each in snapshots)
    told = [_sentence(view, words) for view in snapshot.sequences] or [words.text("figures.memory.no_requests")]
    sentence = words.text("figures.gap").join(told)
    return Picture(canvas.spec(highest + layout.m.gutter / 2, layout.m.meta), sentence, lambda: _table(snapshot, words))


def _layout(snapshot: Snapshot, words: Words, columns: int) -> Layout:
    return lay_out(snapshot, words, metrics(columns), columns, [1] * snapshot.num_blocks, caption_height=0)


def _sentence(view: SequenceView, words: Words) -> str:
    return words.text(
        "figures.paged_anew.sentence",
        seq=view.seq_id,
        tokens=count(words, "figures.tokens", view.num_tokens),
        size=view.block_size,
        pages=view.num_blocks,
        last=view.last_block_num_tokens,
        empty=view.empty_slots,
    )


def _table(snapshot: Snapshot, words: Words) -> pd.DataFrame:
    names = [words.text(f"figures.paged_anew.{name}") for name in ("page", "block", "tokens")]
    rows = [
        (i, block_id, " ".join(map(words.token, view.page(i))))
        for view in snapshot.sequences
        for i, block_id in enumerate(view.block_table)
    ]
    return pd.DataFrame(rows, columns=names)
