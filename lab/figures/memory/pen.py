"""The elements of the memory picture: cards, halos, tags, cells and their texts."""

from __future__ import annotations

from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size, measure_text, shorten
from lab.figures.memory.layout import Layout
from lab.figures.memory.metrics import Metrics
from lab.figures.theme import Hue, Theme, request_style
from lab.trace.snapshot import Difference, Snapshot

# Layers, lowest first.
PANEL, HALO, LINES, CARDS, CELLS, HATCH, FRAMES, EDGES, OUTLINES, TEXTS, BADGES, SIGNS = range(12)


@dataclass(frozen=True)
class Pen:
    """What to draw, and with what.

    slot_numbers  each block shows its slot numbers.
    hide_tokens   the pool does not show which token is in which slot.
    block_badges  a mark's badge may be in a block's corner.
    """

    canvas: Canvas
    layout: Layout
    snapshot: Snapshot
    words: Words
    change: Difference
    slot_numbers: bool = False
    hide_tokens: bool = False
    block_badges: bool = False

    @property
    def theme(self) -> Theme:
        """The colours."""
        return self.canvas.theme

    @property
    def m(self) -> Metrics:
        """The sizes."""
        return self.layout.m

    def hue(self, seq_id: str) -> Hue:
        """A request's colour."""
        return self.theme.hues[request_style(seq_id)[0]]

    def label(self, name: str, box: Rect, y: float, text: str, *, color: str, bold: bool = False) -> None:
        """A line of text as wide as a card."""
        size = fit_size(text, box.width * self.m.squeeze - 3, self.m.label_size, self.m.smallest, bold)
        self.canvas.text(TEXTS, name, box.cx, y, text, size=size, color=color, bold=bold)

    def card(self, box: Rect, color: str, width: float, dash: str = "solid") -> None:
        """The frame of a page or a block."""
        self.canvas.fill(CARDS, "cards", self.theme.card, box.outline(5))
        self.canvas.line(FRAMES, "cards", color, box.outline(5), width=width, dash=dash)

    def halo(self, box: Rect) -> None:
        """Draw the halo of a changed card."""
        halo = box.grow(5 if self.m.wide else 3.5)
        self.canvas.fill(HALO, "changed", self.theme.changed, halo.outline(8))
        self.canvas.line(HALO, "changed", self.theme.changed_line, halo.outline(8), width=1.2)

    def mark(self, cell: Rect) -> None:
        """Outline a changed cell."""
        self.canvas.line(EDGES, "changed_cells", self.theme.changed_line, cell.grow(0.5).outline(), width=2.4)

    def tag(self, right: float, y: float, text: str) -> None:
        """Draw a small label in the colour of changes, ending at `right`."""
        size = self.m.tag_size
        box = Rect(right - self.tag_width(text), y - size * 0.72, right, y + size * 0.72)
        self.canvas.fill(EDGES, "tags", self.theme.changed, box.outline(4))
        self.canvas.text(TEXTS, "tags", box.cx, y, text, size=size, color=self.theme.changed_ink, bold=True)

    def tag_width(self, text: str) -> float:
        """The width of such a label."""
        return measure_text(text, self.m.tag_size, True) / self.m.squeeze + 5

    def live(self, cell: Rect, seq_ids: list[str], *, filled: bool) -> None:
        """A cell of live tokens, with a band for each request; not `filled`: it waits for a page or for its KV."""
        band = cell.height / len(seq_ids)
        for i, seq_id in enumerate(seq_ids if filled else ()):
            stripe = Rect(cell.x0, cell.y0 + i * band, cell.x1, cell.y0 + (i + 1) * band)
            self.canvas.fill(CELLS, f"cells:{seq_id}", self.hue(seq_id).tint, stripe.outline())
        name, line = f"cells:{seq_ids[0]}", self.hue(seq_ids[0]).line
        if len(seq_ids) > 1:
            name, line = "cells:shared", self.theme.ink
        self.canvas.line(FRAMES, name, line, cell.outline(), dash="solid" if filled else "2px,3px")

    def stale(self, cell: Rect) -> None:
        """A slot with KV that no request needs any more."""
        self.canvas.fill(CELLS, "stale", self.theme.stale, cell.outline())

    def empty(self, cell: Rect) -> None:
        """An empty slot: hatched, in pages and blocks alike."""
        for stroke in build_hatching(cell):
            self.canvas.line(HATCH, "hatch", self.theme.hatch, stroke, width=1.0)
        self.canvas.line(FRAMES, "empty", self.theme.hatch, cell.outline(), dash="3px,2px")

    def token(self, name: str, cell: Rect, token_id: int, color: str) -> None:
        """A token's text, unless the picture has too many tokens."""
        if not (self.layout.page_texts if name == "page_tokens" else self.layout.slot_texts):
            return
        size = self.layout.token_size
        text = shorten(self.words.token(token_id), cell.width * self.m.squeeze + 1, size)
        self.canvas.text(TEXTS, name, cell.cx, cell.cy, text, size=size, color=color)

    def hit(self, cell: Rect, target: str) -> None:
        """Make a cell clickable, about as wide as it is."""
        self.canvas.hit(cell.cx, cell.cy, min(cell.width, 1.4 * cell.height), target)

    def hit_line(self, box: Rect, y: float, height: float, target: str) -> None:
        """Make a card's line of text clickable, left and right."""
        for x in (box.x0 + box.width / 4, box.x1 - box.width / 4):
            self.canvas.hit(x, y, height, target)
