"""From the position of one token to its slot in three steps: its page, the page's block, the slot in the block."""

from __future__ import annotations

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size
from lab.figures.memory.metrics import get_metrics
from lab.figures.phrases import locate_token
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import SequenceView, Snapshot

LINES, CARDS, CELLS, HATCH, FRAMES, EDGES, TEXTS = range(7)
MOST_CELLS = 12  # of the pages shown around the token's own page
STEPS = ("page", "block", "slot")


def draw_slot_steps(
    snapshot: Snapshot, seq_id: str, position: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """Look up the slot of one token, step by step. Pure. Raises ValueError if it has no slot."""
    view, values = locate_token(snapshot, seq_id, position, words)
    values["pos"] = position
    m = get_metrics(columns)
    canvas = Canvas(theme, m.width, m.label_size, "slot_steps")
    bottom = _Rows(canvas, view, position, words, values).draw()
    sentences = [words.text(f"slots.step_{step}", **values) for step in STEPS]
    names = [words.text(f"slots.step_name_{step}") for step in STEPS]
    heads = [words.text("slots.step"), words.text("slots.how")]
    return Picture(
        canvas.spec(bottom, m.meta),
        words.text("slots.steps", **values),
        lambda: pd.DataFrame(zip(names, sentences, strict=True), columns=heads),
    )


class _Rows:
    """Three rows below each other; the result of each step is framed and linked to the next row."""

    def __init__(
        self, canvas: Canvas, view: SequenceView, position: int, words: Words, values: dict[str, object]
    ) -> None:
        self.canvas, self.view, self.position, self.words, self.values = canvas, view, position, words, values
        self.m = m = get_metrics(8 if canvas.width > 500 else 4)
        self.theme, self.hue = canvas.theme, canvas.theme.hues[request_style(view.seq_id)[0]]
        self.page, self.offset = divmod(position, view.block_size)
        self.height = m.cell_height + 4
        count = max(1, MOST_CELLS // view.block_size)
        first = min(max(0, self.page - count // 2), max(0, len(view.block_table) - count))
        self.pages = range(first, min(first + count, len(view.block_table)))
        room = m.width - 2 * m.gutter - 22 * (len(self.pages) < len(view.block_table))
        self.gap = 12 if m.wide else 8
        widest = 62.0 if m.wide else 44.0
        self.pitch = min(widest, ((room + self.gap) / len(self.pages) - self.gap) / view.block_size)

    def draw(self) -> float:
        """Draw every row; returns the bottom edge of the last one."""
        y = self._label("page", 4)
        chosen = self._pages(y)
        y = self._link(chosen, y + self.height + 4)
        y = self._label("block", y)
        entry = self._table(y)
        y = self._link(entry, y + self.height)
        y = self._label("slot", y)
        self._block(y)
        return y + self.height + 8

    def _label(self, step: str, top: float) -> float:
        m, text = self.m, self.words.text(f"slots.step_{step}", **self.values)
        size = fit_size(text, (m.width - 2 * m.gutter) * m.squeeze, m.title_size, m.smallest - 1, bold=True)
        y = top + m.title_size * 0.7
        self.canvas.text(TEXTS, "steps", m.gutter, y, text, size=size, color=self.theme.ink, anchor="left", bold=True)
        return top + m.title_size * 1.4 + 6

    def _page_box(self, page: int, top: float) -> Rect:
        """The box of a page's cells in the first row, and of its block_table entry below them."""
        left = self.m.gutter + 3 + (page - self.pages[0]) * (self.pitch * self.view.block_size + self.gap)
        left += 18 * (self.pages[0] > 0)
        return Rect(left, top, left + self.pitch * self.view.block_size, top + self.height)

    def _pages(self, top: float) -> Rect:
        """The positions of the tokens, page by page; returns the box of the token's page."""
        view, m = self.view, self.m
        for page in self.pages:
            box = self._page_box(page, top)
            for offset in range(view.block_size):
                x = box.x0 + offset * self.pitch
                cell, position = Rect(x, box.y0, x + self.pitch - 2, box.y1), page * view.block_size + offset
                if position < view.num_tokens:
                    self._cell(cell, str(position), lit=position == self.position)
                else:
                    self._empty(cell)
        middle, size = top + self.height / 2, m.title_size
        if self.pages[0] > 0:
            self.canvas.text(TEXTS, "more", m.gutter + 8, middle, "…", size=size, color=self.theme.muted)
        if self.pages[-1] < len(view.block_table) - 1:
            x = self._page_box(self.pages[-1], top).x1 + 8
            self.canvas.text(TEXTS, "more", x, middle, "…", size=size, color=self.theme.muted)
        chosen = self._page_box(self.page, top)
        frame = Rect(chosen.x0 - 3, chosen.y0 - 3, chosen.x1 + 1, chosen.y1 + 3)
        self.canvas.line(EDGES, "chosen", self.hue.line, frame.outline(4), width=2.4)
        return frame

    def _table(self, top: float) -> Rect:
        """block_table, each entry below its page; returns the box of the page's entry."""
        for page in self.pages:
            box = self._page_box(page, top)
            box = Rect(box.x0 - 3, box.y0, box.x1 + 1, box.y1)
            lit = page == self.page
            self.canvas.fill(CARDS, "entries", self.theme.changed if lit else self.theme.card, box.outline(4))
            color, width = (self.theme.changed_line, 2.4) if lit else (self.theme.frame, 1.0)
            self.canvas.line(EDGES if lit else FRAMES, "entries", color, box.outline(4), width=width)
            ink = self.theme.changed_ink if lit else self.theme.ink
            text, size = str(self.view.block_table[page]), self.m.title_size
            self.canvas.text(TEXTS, "entries", box.cx, box.cy, text, size=size, color=ink, bold=lit)
        chosen = self._page_box(self.page, top)
        return Rect(chosen.x0 - 3, chosen.y0, chosen.x1 + 1, chosen.y1)

    def _block(self, top: float) -> None:
        """The slots of the block, below its table entry."""
        view, page_box = self.view, self._page_box(self.page, top)
        first = view.slots[self.position] - self.offset
        widest = max(self.pitch, 30.0 if view.block_size <= 8 else 0.0)  # room for a slot's number
        width = widest * view.block_size
        left = min(max(page_box.cx - width / 2, self.m.gutter), self.m.width - self.m.gutter - width)
        for offset in range(view.block_size):
            x = left + offset * widest
            cell = Rect(x, top, x + widest - 2, top + self.height)
            if self.page * view.block_size + offset < view.num_tokens:
                self._cell(cell, str(first + offset), lit=offset == self.offset)
            else:
                self._empty(cell, str(first + offset))

    def _cell(self, cell: Rect, text: str, *, lit: bool) -> None:
        self.canvas.fill(CELLS, "cells", self.theme.changed if lit else self.hue.tint, cell.outline())
        color, width = (self.theme.changed_line, 2.4) if lit else (self.hue.line, 1.0)
        self.canvas.line(EDGES if lit else FRAMES, "cells", color, cell.outline(), width=width)
        size = fit_size(text, cell.width * self.m.squeeze, self.m.label_size, self.m.smallest - 1, bold=lit)
        ink = self.theme.changed_ink if lit else self.theme.ink
        self.canvas.text(TEXTS, "cells", cell.cx, cell.cy, text, size=size, color=ink, bold=lit)

    def _empty(self, cell: Rect, text: str = "") -> None:
        for stroke in build_hatching(cell):
            self.canvas.line(HATCH, "hatch", self.theme.hatch, stroke)
        self.canvas.line(FRAMES, "empty", self.theme.hatch, cell.outline(), dash="3px,2px")
        if text:  # no hatching behind the text
            half = min(cell.width / 2 - 2, self.m.label_size)
            ground = Rect(cell.cx - half, cell.cy - 8, cell.cx + half, cell.cy + 8)
            self.canvas.fill(FRAMES, "ground", self.theme.background, ground.outline(3))
            size = fit_size(text, cell.width * self.m.squeeze, self.m.label_size, self.m.smallest - 1)
            self.canvas.text(TEXTS, "cells", cell.cx, cell.cy, text, size=size, color=self.theme.muted)

    def _link(self, box: Rect, top: float) -> float:
        """An arrow from the box down to the next row."""
        end = top + (18 if self.m.wide else 14)
        self.canvas.line(LINES, "links", self.hue.line, [(box.cx, box.y1), (box.cx, end - 6)], width=2.4)
        self.canvas.marker(EDGES, (box.cx, end - 4), "triangle-down", self.hue.line, 10)
        return end
