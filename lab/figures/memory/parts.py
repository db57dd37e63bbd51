"""Parts of the pool: the owners of its blocks, and its caption with the legend."""

from __future__ import annotations

from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size, measure_text
from lab.figures.memory.layout import Layout
from lab.figures.memory.marks import Answered, Marks, build_answer_legend, build_legend, draw_badge, is_mark
from lab.figures.memory.metrics import Metrics
from lab.figures.memory.pen import CELLS, FRAMES, TEXTS
from lab.figures.phrases import count, format_owner
from lab.trace.snapshot import Snapshot

Owners = list[list[tuple[str, int]]]  # of one block: lines of (request, logical page)


def measure_owner(text: str, m: Metrics) -> float:
    """The width of an owner's name and the space after it."""
    return measure_text(text, m.label_size, True) / m.squeeze + 5


def break_owner_lines(snapshot: Snapshot, m: Metrics, columns: int) -> list[Owners]:
    """The owners of every block, in lines that fit a card. The first line leaves room for ref_count, unless that has a
    line of its own."""
    card = (m.width - m.gutter) / columns - m.gutter - 2 * m.pad
    owners: list[list[tuple[str, int]]] = [[] for _ in snapshot.blocks]
    for view in snapshot.sequences:
        for page, block_id in enumerate(view.block_table):
            owners[block_id].append((view.seq_id, page))
    result = []
    for held in owners:
        lines: Owners = [[]]
        room = card - (0 if m.brief else 2.7 if len(held) < 9 else 4.3) * m.label_size / m.squeeze
        for entry in held:
            width = measure_owner(format_owner(*entry), m)
            if lines[-1] and room < width - 5:
                lines.append([])
                room = card
            lines[-1].append(entry)
            room -= width
        result.append(lines)
    return result


@dataclass(frozen=True)
class Caption:
    """The pool's caption and legend with positions: (x, y, kind, text) from its top left corner."""

    items: tuple[tuple[float, float, str, str], ...]
    height: float


def plan_caption(
    snapshot: Snapshot, words: Words, m: Metrics, marks: Marks | None = None, answered: Answered | None = None
) -> Caption:
    """The title of the pool and a legend of the signs that occur. One line is reserved for the marks."""
    title = words.text(
        "figures.memory.pool",
        blocks=count(words, "figures.blocks", snapshot.num_blocks),
        slots=count(words, "figures.slots", snapshot.block_size),
    )
    owned = any(block.ref_count for block in snapshot.blocks)
    stale = any(block.written and not block.ref_count for block in snapshot.blocks)
    signs = [
        (kind, words.text(f"figures.memory.legend_{kind}"))
        for kind, shown in (
            ("ref", owned and not m.chips),
            ("empty", any(view.empty_slots for view in snapshot.sequences)),
            ("stale", stale),
            ("findable", any(block.findable for block in snapshot.blocks)),
        )
        if shown or not (m.wide or m.chips)  # on a phone all of them, so that a new sign does not move the rest down
    ]
    line = m.label_size + (8 if m.wide else 5)
    items = [(0.0, line / 2, "title", title)]
    x = measure_text(title, m.label_size, True) / m.squeeze + 14
    y = line / 2
    if not m.wide:
        x, y = 0.0, y + line
    right = m.width - 2 * m.gutter
    for kind, text in signs:
        width = _measure_swatch(kind, m) + measure_text(text, m.label_size) / m.squeeze
        if x and x + width > right:
            x, y = 0.0, y + line
        items.append((x, y, kind, text))
        x += width + 12
    if marks is not None:
        x, y = 0.0, y + line
        for kind, text in build_legend(marks, words):
            items.append((x, y, kind, text))
            x += _measure_swatch(kind, m) + measure_text(text, m.label_size, True) / m.squeeze + 12
    if answered is not None:
        x, y = 0.0, y + line
        for sign, text in build_answer_legend(answered, words):
            width = _measure_swatch(sign, m) + measure_text(text, m.label_size, True) / m.squeeze
            if x and x + width > right:
                x, y = 0.0, y + line
            items.append((x, y, sign, text))
            x += width + 12
    return Caption(tuple(items), y + line / 2 + 5)


def _measure_swatch(kind: str, m: Metrics) -> float:
    return m.label_size + 6 if kind in ("empty", "stale") or is_mark(kind) else 0


def draw_caption(canvas: Canvas, layout: Layout, caption: Caption) -> None:
    """Draw the caption at the bottom of the pool's panel."""
    m, theme = layout.m, canvas.theme
    for x, y, kind, text in caption.items:
        left, middle = m.gutter + x, layout.caption + y
        title = kind == "title"
        width = _measure_swatch(kind, m)
        if width:
            side = m.label_size
            box = Rect(left, middle - side / 2, left + side, middle + side / 2)
            if is_mark(kind):
                draw_badge(canvas, m, box.cx, box.cy, kind)
            elif kind == "empty":
                for stroke in build_hatching(box):
                    canvas.line(FRAMES, "legend", theme.hatch, stroke)
                canvas.line(FRAMES, "empty_legend", theme.hatch, box.outline(2), dash="3px,2px")
            else:
                canvas.fill(CELLS, "legend", theme.stale, box.outline(2))
                canvas.line(FRAMES, "stale_legend", theme.cell, box.outline(2))
        size = m.label_size
        if title:
            size = fit_size(text, (m.width - 2 * m.gutter) * m.squeeze, size, m.smallest, bold=True)
        strong = title or is_mark(kind)
        color = theme.ink if strong else theme.muted
        canvas.text(TEXTS, "caption", left + width, middle, text, size=size, color=color, anchor="left", bold=strong)
