"""Internal fragmentation: the slots of a request's blocks that hold no token."""

from __future__ import annotations

from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size
from lab.figures.memory.metrics import get_metrics
from lab.figures.phrases import count, format_percent
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import Snapshot

CELLS, HATCH, FRAMES, TEXTS = range(4)


@dataclass(frozen=True)
class Usage:
    """Slots of some blocks: used by a token, or empty. `seq_id` is None for all blocks together."""

    seq_id: str | None
    used: int
    empty: int

    @property
    def slots(self) -> int:
        """All slots of these blocks."""
        return self.used + self.empty


def measure_usage(snapshot: Snapshot) -> tuple[Usage, ...]:
    """Each request's own blocks, then all held blocks together; a shared block counts once in the total. Pure."""
    rows = [Usage(view.seq_id, view.used_slots, view.empty_slots) for view in snapshot.sequences]
    used = {slot for view in snapshot.sequences for slot in view.slots}
    held = {block for view in snapshot.sequences for block in view.block_table}
    return (*rows, Usage(None, len(used), len(held) * snapshot.block_size - len(used)))


def draw_fragmentation(snapshot: Snapshot, words: Words, theme: Theme = LIGHT, *, columns: int = 8) -> Picture:
    """A bar for each request and one in total: used slots solid, empty slots hatched, numbers at the side. Pure."""
    m = get_metrics(columns)
    rows = measure_usage(snapshot)
    canvas = Canvas(theme, m.width, m.label_size, "fragmentation")
    left = m.gutter + (150 if m.wide else 0)
    right = m.width - m.gutter - (310 if m.wide else 0)
    scale = (right - left) / max(1, *(row.slots for row in rows))
    y = 8.0
    for row in rows:
        y = _draw_bar(canvas, row, words, Rect(left, y, right, y), block_size=snapshot.block_size, scale=scale)
    sentence = words.text("figures.gap").join(_describe_row(row, words) for row in rows)
    if not rows[-1].slots:
        sentence = words.text("figures.fragmentation.nothing")
    return Picture(canvas.spec(y, m.meta), sentence, lambda: _tabulate(rows, words))


def _draw_bar(canvas: Canvas, row: Usage, words: Words, room: Rect, *, block_size: int, scale: float) -> float:
    """Draw one bar with its name and numbers; returns the top of the next bar."""
    theme, m = canvas.theme, get_metrics(8 if canvas.width > 500 else 4)
    total = row.seq_id is None
    hue = None if row.seq_id is None else theme.hues[request_style(row.seq_id)[0]]
    dash = "solid" if row.seq_id is None else request_style(row.seq_id)[1]
    ink, line, tint = (hue.ink, hue.line, hue.tint) if hue else (theme.ink, theme.ink, theme.stale)
    name = words.text("figures.fragmentation.total") if row.seq_id is None else row.seq_id
    numbers = words.text("figures.fragmentation.no_block")
    if row.slots:
        numbers = words.text(
            "figures.fragmentation.numbers",
            used=row.used,
            empty=count(words, "figures.empty_slots", row.empty),
            percent=format_percent(row.empty, row.slots),
        )
    height = 30 if m.wide else 22
    y = room.y0 + (10 if total else 0)
    if total:
        canvas.line(FRAMES, "rule", theme.panel_line, [(m.gutter, y - 5), (m.width - m.gutter, y - 5)])
    top = y if m.wide else y + m.label_size * 1.7
    label_y = top + height / 2 if m.wide else y + m.label_size * 0.9
    size = fit_size(name, (150 if m.wide else 120) * m.squeeze - 8, m.title_size, m.smallest, bold=True)
    canvas.text(TEXTS, "names", m.gutter, label_y, name, size=size, color=ink, anchor="left", bold=True)
    x = room.x1 + 14 if m.wide else m.width - m.gutter
    canvas.text(
        TEXTS, "numbers", x, label_y, numbers, size=m.label_size, color=theme.ink, anchor="left" if m.wide else "right"
    )
    middle = room.x0 + row.used * scale
    used = Rect(room.x0, top, middle, top + height)
    empty = Rect(middle, top, room.x0 + row.slots * scale, top + height)
    if row.used:
        canvas.fill(CELLS, "used", tint, used.outline())
        x = room.x0 + min(used.width, block_size * scale) / 2  # inside the first block, so that no line crosses it
        if x - room.x0 > 11:
            canvas.text(TEXTS, "used", x, used.cy, str(row.used), size=m.title_size, color=theme.ink, bold=True)
    for stroke in build_hatching(empty) if row.empty else ():
        canvas.line(HATCH, "hatch", theme.hatch, stroke)
    if row.slots:
        for k in range(1, row.slots // block_size):
            edge = room.x0 + k * block_size * scale
            canvas.line(FRAMES, "blocks", line, [(edge, top), (edge, top + height)], width=1, opacity=0.7)
        whole = Rect(used.x0, top, empty.x1, top + height)
        canvas.line(FRAMES, "bars", line, whole.outline(), width=2, dash=dash)
    return top + height + (12 if m.wide else 10)


def _describe_row(row: Usage, words: Words) -> str:
    if not row.slots:
        return words.text("figures.fragmentation.sentence_none", seq=row.seq_id)
    key = "total_sentence" if row.seq_id is None else "sentence"
    return words.text(
        f"figures.fragmentation.{key}",
        seq=row.seq_id,
        used=row.used,
        slots=count(words, "figures.slots", row.slots),
        empty=count(words, "figures.empty_slots", row.empty),
        percent=format_percent(row.empty, row.slots),
    )


def _tabulate(rows: tuple[Usage, ...], words: Words) -> pd.DataFrame:
    names = ("request", "slots", "used", "empty", "used_percent", "empty_percent")
    return pd.DataFrame(
        [
            (
                words.text("figures.fragmentation.total") if row.seq_id is None else row.seq_id,
                row.slots,
                row.used,
                row.empty,
                format_percent(row.used, row.slots),
                format_percent(row.empty, row.slots),
            )
            for row in rows
        ],
        columns=[words.text(f"figures.fragmentation.{name}") for name in names],
    )
