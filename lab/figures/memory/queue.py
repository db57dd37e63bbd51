"""The free queue of the memory picture: a strip of ids, head first."""

from __future__ import annotations

from lab.figures.canvas import Rect
from lab.figures.measure import fit_size, measure_text, shorten
from lab.figures.memory.pen import CELLS, FRAMES, HALO, TEXTS, Pen
from lab.figures.phrases import count, describe_queue_changes, find_returned_first

_MOST_IN_A_ROW = 12  # blocks on a phone


def draw_queue(pen: Pen) -> float:
    """Draw the free queue, head first; returns its bottom edge."""
    m, theme, canvas, words, snapshot = pen.m, pen.theme, pen.canvas, pen.words, pen.snapshot
    top = pen.layout.queue_top
    line = m.label_size + (8 if m.wide else 6)
    free = snapshot.free_block_ids
    title = words.text("figures.memory.queue", free=count(words, "figures.free_blocks", len(free)))
    size = fit_size(title, (m.width - 2 * m.gutter) * m.squeeze, m.title_size, m.smallest, bold=True)
    canvas.text(TEXTS, "queue", m.gutter, top + line / 2, title, size=size, color=theme.ink, anchor="left", bold=True)
    if pen.change.taken or pen.change.returned:
        x = m.gutter + measure_text(title, size, True) / m.squeeze + 14
        note = _note(pen, m.width - m.gutter - x) if m.across else ""
        if not note:
            x, top = m.gutter, top + line
            note = _note(pen, m.width - m.gutter - x - 8) or _note(pen, m.width - m.gutter - x - 8, cut=True)
        width = measure_text(note, m.label_size, True) / m.squeeze + 10
        box = Rect(x - 2, top + 1, x - 2 + width, top + line - 1)
        canvas.fill(CELLS, "tags", theme.changed, box.outline(4))
        canvas.text(TEXTS, "tags", box.cx, box.cy, note, size=m.label_size, color=theme.changed_ink, bold=True)
    elif not m.across:
        top += line  # room for the note, so that the strip does not move
    top += line + (8 if m.wide else 5)
    return _strip(pen, top)


def _note(pen: Pen, room: float, cut: bool = False) -> str:
    """What left and what joined, with as many ids as fit; "" if even a few do not, unless `cut` allows an ellipsis."""
    m, between, note = pen.m, pen.words.text("figures.semicolon"), ""
    for most in (64, 12, 6, 3):
        note = between.join(describe_queue_changes(pen.snapshot, pen.words, pen.change, most))
        if measure_text(note, m.label_size, True) / m.squeeze <= room:
            return note
    return shorten(note, room * m.squeeze / 1.1, m.label_size) if cut else ""  # 1.1: bold text


def _strip(pen: Pen, top: float) -> float:
    """The ids in order, in rows; the head is marked, and also the tail if a block joined."""
    m, theme, canvas, snapshot = pen.m, pen.theme, pen.canvas, pen.snapshot
    free, returned = snapshot.free_block_ids, set(pen.change.returned)
    few = not m.across and snapshot.num_blocks <= _MOST_IN_A_ROW
    # 16 blocks and both marks fill whole rows; so do 64, with two places for a mark.
    per_row = (34 if m.bare else 18) if m.across else _MOST_IN_A_ROW + 2 if few else 9
    first = 2 if per_row > 18 else 1
    lead = 8 if few else 0  # "head" is wider than an id
    pitch, height = (m.width - m.gutter - lead) / per_row, 16 if m.chips else max(18, m.cell_height + 2)
    row_gap = 8 if m.wide else 4 if m.chips else 6

    def box(i: int) -> Rect:
        x, y = m.gutter + lead + i % per_row * pitch, top + i // per_row * (height + row_gap)
        return Rect(x, y, x + pitch - (6 if m.wide else 4), y + height)

    def mark(i: int, key: str, anchor: str) -> None:
        x, text = box(i).x1 if anchor == "right" else box(i).x0, pen.words.text(f"figures.memory.{key}")
        size, color = m.label_size, theme.ink
        canvas.text(TEXTS, "queue", x, box(i).cy, text, size=size, color=color, anchor=anchor, bold=True)

    if free:
        mark(first - 1, "head", "right")
    else:
        mark(0, "queue_empty", "left")
    if returned - set(find_returned_first(snapshot, pen.change)):
        mark(len(free) + first, "tail", "left")
    for i, block_id in enumerate(free):
        cell = box(i + first)
        canvas.fill(CELLS, "queue", theme.stale if snapshot.blocks[block_id].written else theme.card, cell.outline(4))
        color, width = (theme.frame, 1.0) if i else (theme.ink, 2.6)
        canvas.line(FRAMES, "queue", color, cell.outline(4), width=width)
        if block_id in returned:
            halo = cell.grow(3).outline(6)
            canvas.fill(HALO, "changed", theme.changed, halo)
            canvas.line(HALO, "changed", theme.changed_line, halo, width=1.2)
        text = str(block_id)
        canvas.text(TEXTS, "queue_ids", cell.cx, cell.cy, text, size=m.title_size, color=theme.ink, bold=i == 0)
        canvas.hit(cell.cx, cell.cy, height, f"queue:{block_id}")
    # As if all were free, so that the figure keeps its height.
    rows = (snapshot.num_blocks + 2 * first - 1) // per_row + 1
    return top + rows * (height + row_gap) + 4
