"""The life cycle of a physical block as a ring of stages; the current stages are highlighted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Point, Rect
from lab.figures.measure import fit_size, wrap
from lab.figures.memory.metrics import Metrics, get_metrics
from lab.figures.phrases import format_list
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.trace.events import (
    AllocateChecked,
    AppendChecked,
    BlockFreed,
    BlockHashed,
    BlockShared,
    BlockTaken,
    Event,
    HashForgotten,
    KVWritten,
    PageHasRoom,
    ReferenceDropped,
)
from lab.trace.late_imports import pandas as pd

STAGES = ("free_queue", "allocate", "block_table", "can_append", "may_append", "deallocate", "ref_zero", "tail")
LINES, CARDS, FRAMES, TEXTS = range(4)


def find_stages(event: Event) -> tuple[str, ...]:  # noqa: PLR0911 - one line an event
    """The stages of a block's life that an event belongs to; empty if the event concerns no block. Pure."""
    match event:
        case AllocateChecked():
            return ("allocate",)
        case BlockShared():
            return ("free_queue", "allocate", "block_table") if event.was_free else ("allocate", "block_table")
        case BlockTaken():
            return ("free_queue", event.by, "block_table")
        case HashForgotten():
            return ("free_queue",)
        case KVWritten() | BlockHashed():
            return ("block_table",)
        case AppendChecked():
            return ("can_append",)
        case PageHasRoom():
            return ("may_append", "block_table")
        case ReferenceDropped():
            return ("deallocate",) if event.ref_after else ("deallocate", "ref_zero")
        case BlockFreed():
            return ("ref_zero", "tail")
        case _:
            return ()


def draw_lifecycle(lit: str | Iterable[str], words: Words, theme: Theme = LIGHT, *, columns: int = 8) -> Picture:
    """The ring with the stages in `lit` highlighted (a name, or the result of find_stages). Pure."""
    return _draw_ring(frozenset({lit} if isinstance(lit, str) else lit), words, theme, columns)


@lru_cache(maxsize=64)  # nearly every page has one
def _draw_ring(now: frozenset[str], words: Words, theme: Theme, columns: int) -> Picture:
    m = get_metrics(columns)
    across = 4 if m.wide else 2
    canvas = Canvas(theme, m.width, m.label_size, "lifecycle")
    gap = 44 if m.wide else 18
    width = (m.width - 2 * m.gutter - (across - 1) * gap) / across
    line = m.label_size * 1.35
    size = width * m.squeeze - 14
    notes = {s: wrap(words.text(f"figures.lifecycle.{s}.note"), size, m.label_size) for s in STAGES}
    height = 16 + m.title_size * 1.4 + max(len(lines) for lines in notes.values()) * line
    boxes = _lay_out_ring(across, m, width, height, gap)
    for box, following in zip(boxes, [*boxes[1:], boxes[0]], strict=True):
        _draw_arrow(canvas, box, following)
    _draw_return(canvas, boxes[STAGES.index("may_append")], boxes[STAGES.index("block_table")])
    for i, stage in enumerate(STAGES):
        box, on = boxes[i], stage in now
        canvas.fill(CARDS, "lit" if on else "stages", theme.lit if on else theme.card, box.outline(9))
        canvas.line(FRAMES, "stages", theme.lit if on else theme.frame, box.outline(9), width=3 if on else 1.2)
        color = theme.lit_ink if on else theme.ink
        name = words.text(f"figures.lifecycle.{stage}.name")
        title = fit_size(name, size, m.title_size, m.smallest, bold=True)
        y = box.y0 + 8 + m.title_size * 0.7
        canvas.text(TEXTS, "names", box.cx, y, name, size=title, color=color, bold=True)
        for k, text in enumerate(notes[stage]):
            y = box.y0 + 8 + m.title_size * 1.4 + (k + 0.5) * line
            shade = theme.lit_ink if on else theme.muted
            canvas.text(TEXTS, "notes", box.cx, y, text, size=m.label_size, color=shade)
    names = [words.text(f"figures.lifecycle.{stage}.name") for stage in STAGES if stage in now]
    key = "sentence" if names else "sentence_none"
    bottom = max(box.y1 for box in boxes) + 8
    sentence = words.text(f"figures.lifecycle.{key}", stages=format_list(words, names))
    return Picture(canvas.spec(bottom, m.meta), sentence, lambda: _tabulate(now, words))


def _tabulate(now: Collection[str], words: Words) -> pd.DataFrame:
    rows = [
        (
            words.text(f"figures.lifecycle.{stage}.name"),
            words.text(f"figures.lifecycle.{stage}.note"),
            words.text("figures.lifecycle.now") if stage in now else "",
        )
        for stage in STAGES
    ]
    return pd.DataFrame(
        rows, columns=[words.text(f"figures.lifecycle.{name}") for name in ("stage", "meaning", "current")]
    )


def _lay_out_ring(across: int, m: Metrics, width: float, height: float, gap: float) -> list[Rect]:
    """Wide: to the right above, to the left below. Narrow: down on the right, up on the left, from the top left."""
    down = 46 if m.wide else 20
    if across > 2:
        places = [(0, k) for k in range(4)] + [(1, 3 - k) for k in range(4)]
    else:
        places = [(0, 0), (0, 1), (1, 1), (2, 1), (3, 1), (3, 0), (2, 0), (1, 0)]
    boxes = []
    for row, column in places:
        x, y = m.gutter + column * (width + gap), 6 + row * (height + down)
        boxes.append(Rect(x, y, x + width, y + height))
    return boxes


def _draw_arrow(canvas: Canvas, a: Rect, b: Rect) -> None:
    """A line with a head from one box to its neighbour."""
    if abs(a.cy - b.cy) < 1:
        way, start, end = (1, a.x1, b.x0) if b.cx > a.cx else (-1, a.x0, b.x1)
        points: list[Point] = [(start, a.cy), (end - 3 * way, a.cy)]
        tip, symbol = (end - 5.0 * way, a.cy), "triangle-right" if way > 0 else "triangle-left"
    else:
        way, start, end = (1, a.y1, b.y0) if b.cy > a.cy else (-1, a.y0, b.y1)
        points = [(a.cx, start), (a.cx, end - 3 * way)]
        tip, symbol = (a.cx, end - 5.0 * way), "triangle-down" if way > 0 else "triangle-up"
    canvas.line(LINES, "arrows", canvas.theme.muted, points, width=2)
    canvas.marker(FRAMES, tip, symbol, canvas.theme.muted, 10)


def _draw_return(canvas: Canvas, a: Rect, b: Rect) -> None:
    """The arrow back from may_append to block_table, one turn for every page."""
    color = canvas.theme.muted
    if a.cx == b.cx:  # below each other: along the right edge
        x = a.x1 + 5
        points: list[Point] = [(a.x1, a.cy), (x, a.cy), (x, b.cy), (b.x1 + 2, b.cy)]
        tip, symbol = (b.x1 + 4, b.cy), "triangle-left"
    else:
        y = (a.y0 + b.y1) / 2
        points = [(a.x0 + 30, a.y0), (a.x0 + 30, y), (b.x1 - 30, y), (b.x1 - 30, b.y1 + 3)]
        tip, symbol = (b.x1 - 30, b.y1 + 5), "triangle-up"
    canvas.line(LINES, "again", color, points, width=2, dash="4px,3px")
    canvas.marker(FRAMES, tip, symbol, color, 10 if a.cx != b.cx else 7)
