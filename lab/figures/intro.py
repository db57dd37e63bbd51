"""A small drawing for newcomers: one token and its KV, its logical page, its block and its slot."""

from __future__ import annotations

from dataclasses import replace

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size, wrap
from lab.figures.memory.metrics import Metrics, get_metrics
from lab.figures.phrases import locate_token
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import SequenceView, Snapshot

LINES, CARDS, CELLS, HATCH, FRAMES, EDGES, TEXTS = range(7)


def draw_intro(
    snapshot: Snapshot, seq_id: str, position: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """Follow one token from its text to its slot. Pure. Raises ValueError if it has no slot."""
    view, values = locate_token(snapshot, seq_id, position, words)
    values["position"] = position
    m = _choose_metrics(columns)
    canvas = Canvas(theme, m.width, m.label_size, "intro")
    panels = _Panels(canvas, view, position, words, values)
    bottom = panels.wide() if m.wide else panels.narrow()
    rows = [
        (words.text(f"figures.intro.{part}.name", **values), words.text(f"figures.intro.{part}.note", **values))
        for part in ("token", "page", "block")
    ]
    heads = [words.text("figures.intro.what"), words.text("figures.intro.where")]
    sentence = words.text("figures.intro.sentence", **values)
    return Picture(canvas.spec(bottom, m.meta), sentence, lambda: pd.DataFrame(rows, columns=heads))


def _choose_metrics(columns: int) -> Metrics:
    """The expander around it has 34 pixels of padding, so it may be that much narrower than the memory picture."""
    m = get_metrics(columns)
    return replace(m, min_width=m.min_width - 40)


class _Panels:
    """The three steps, side by side or below each other."""

    def __init__(
        self, canvas: Canvas, view: SequenceView, position: int, words: Words, values: dict[str, object]
    ) -> None:
        self.canvas, self.view, self.position, self.words, self.values = canvas, view, position, words, values
        self.theme = canvas.theme
        self.m = _choose_metrics(8 if canvas.width > 500 else 4)
        self.hue = self.theme.hues[request_style(view.seq_id)[0]]
        self.page, self.offset = divmod(position, view.block_size)

    def wide(self) -> float:
        m = self.m
        gap = 62.0
        width = (m.width - 2 * m.gutter - 2 * gap) / 3
        bottoms = []
        for i, part in enumerate(("token", "page", "block")):
            left = m.gutter + i * (width + gap)
            bottoms.append(self._panel(part, Rect(left, 8, left + width, 8)))
            if i:
                self._arrow((left - gap + 10, 96), (left - 12, 96), "triangle-right")
        return max(bottoms) + 8

    def narrow(self) -> float:
        m = self.m
        y = 6.0
        for i, part in enumerate(("token", "page", "block")):
            if i:
                self._arrow((m.width / 2, y + 2), (m.width / 2, y + 22), "triangle-down")
                y += 30
            y = self._panel(part, Rect(m.gutter, y, m.width - m.gutter, y))
        return y + 6

    def _arrow(self, start: tuple[float, float], end: tuple[float, float], symbol: str) -> None:
        self.canvas.line(LINES, "arrows", self.theme.muted, [start, end], width=2.5)
        self.canvas.marker(EDGES, end, symbol, self.theme.muted, 12)

    def _panel(self, part: str, room: Rect) -> float:
        """Name, drawing and note, from the top of the room down; returns the bottom edge."""
        m, canvas = self.m, self.canvas
        name = self.words.text(f"figures.intro.{part}.name", **self.values)
        size = fit_size(name, room.width * m.squeeze, m.title_size, m.smallest, bold=True)
        y = room.y0 + m.title_size * 0.8
        canvas.text(TEXTS, "names", room.cx, y, name, size=size, color=self.theme.ink, bold=True)
        top = y + m.title_size * 0.8 + 6
        box = Rect(room.x0, top, room.x1, top + (92 if m.wide else 76))
        if part == "token":
            self._token(box)
        else:
            self._cells(box, part == "block")
        y = box.y1 + 8
        for line in wrap(
            self.words.text(f"figures.intro.{part}.note", **self.values), room.width * m.squeeze, m.label_size
        ):
            y += m.label_size * 1.35
            middle = y - m.label_size * 0.6
            canvas.text(TEXTS, "notes", room.cx, middle, line, size=m.label_size, color=self.theme.muted)
        return y + 4

    def _token(self, box: Rect) -> None:
        canvas, theme, m = self.canvas, self.theme, self.m
        cell = Rect(box.x0 + 10, box.y0 + 20, box.x0 + box.width * 0.42, box.y1 - 20)
        canvas.fill(CELLS, "token", self.hue.tint, cell.outline(4))
        canvas.line(FRAMES, "token", self.hue.line, cell.outline(4), width=2)
        text = str(self.values["token"])
        size = fit_size(text, cell.width * m.squeeze - 8, m.title_size + 5, m.smallest, bold=True)
        canvas.text(TEXTS, "token", cell.cx, cell.cy, text, size=size, color=theme.ink, bold=True)
        canvas.line(LINES, "kv", theme.muted, [(cell.x1, cell.cy), (box.x0 + box.width * 0.52, cell.cy)], width=2)
        middle = box.cy
        for key, color, y0, y1 in (
            ("key", theme.key, box.y0 + 6, middle - 3),
            ("value", theme.value, middle + 3, box.y1 - 6),
        ):
            part = Rect(box.x0 + box.width * 0.54, y0, box.x1 - 10, y1)
            canvas.fill(CELLS, key, color, part.outline(4))
            canvas.line(FRAMES, "kv", theme.frame, part.outline(4), width=1.5)
            text = self.words.text(f"figures.intro.{key}")
            canvas.text(TEXTS, "kv", part.cx, part.cy, text, size=m.title_size, color=theme.ink, bold=True)

    def _cells(self, box: Rect, physical: bool) -> None:
        canvas, theme, m = self.canvas, self.theme, self.m
        fill = theme.panel if physical else theme.card
        canvas.fill(CARDS, "cards", fill, box.outline(7))
        canvas.line(FRAMES, "cards", self.hue.line, box.outline(7), width=2.4)
        size = self.view.block_size
        per_row = size if size <= (6 if m.wide else 5) else -(-size // (2 if size <= 10 else 3))
        rows = -(-size // per_row)
        inner = box.grow(-9)
        width, height = (inner.width + 4) / per_row, (inner.height + 4) / rows
        tokens = self.view.page(self.page)
        first = self.view.block_table[self.page] * size
        for i in range(size):
            x, y = inner.x0 + i % per_row * width, inner.y0 + i // per_row * height
            cell = Rect(x, y, x + width - 4, y + height - 4)
            lit = i == self.offset
            if i >= len(tokens):
                for stroke in build_hatching(cell):
                    canvas.line(HATCH, "hatch", theme.hatch, stroke)
                if physical and rows == 1:  # no cell borders behind the slot's number
                    ground = Rect(cell.cx - 16, cell.cy + 4, cell.cx + 16, cell.cy + 22)
                    canvas.fill(FRAMES, "ground", fill, ground.outline(4))
            else:
                canvas.fill(CELLS, "cells", theme.changed if lit else self.hue.tint, cell.outline())
            line, thick = (theme.changed_line, 2.6) if lit else (self.hue.line, 1.2)
            canvas.line(EDGES if lit else FRAMES, "cells", line, cell.outline(), width=thick)
            token = self.words.token(tokens[i]) if i < len(tokens) else ""
            room = cell.width * m.squeeze - 3
            ink = theme.changed_ink if lit else theme.ink
            if not physical or rows > 1:
                text = str(first + i) if physical else token
                if text:
                    font = fit_size(text, room, m.title_size, m.smallest - 1)
                    canvas.text(TEXTS, "cells", cell.cx, cell.cy, text, size=font, color=ink, bold=lit)
                continue
            if token:
                font = fit_size(token, room, m.title_size, m.smallest - 1)
                canvas.text(TEXTS, "cells", cell.cx, cell.cy - 10, token, size=font, color=ink, bold=lit)
            font = fit_size(str(first + i), room, m.label_size, m.smallest - 1)
            canvas.text(TEXTS, "slots", cell.cx, cell.cy + 13, str(first + i), size=font, color=ink)
