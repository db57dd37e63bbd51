"""A ruler of one request's tokens: positions grouped in pages, len(seq) as a pointer, and the last token's slot."""

from __future__ import annotations

from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect, build_hatching
from lab.figures.measure import fit_size, measure_text, wrap
from lab.figures.memory.metrics import Metrics, get_metrics
from lab.figures.phrases import count
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Hue, Theme, request_style
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import SequenceView, Snapshot

CELLS, HATCH, FRAMES, EDGES, TEXTS = range(5)
_MOST = {True: 24, False: 12}  # positions in a row, wide or narrow; a longer request shows its end


@dataclass(frozen=True)
class _Ruler:
    """What to draw and where. `first`: the page at the left end; `was`: the earlier number of tokens, if it changed."""

    canvas: Canvas
    m: Metrics
    view: SequenceView
    words: Words
    first: int
    was: int | None

    @property
    def theme(self) -> Theme:
        return self.canvas.theme

    @property
    def hue(self) -> Hue:
        return self.theme.hues[request_style(self.view.seq_id)[0]]

    @property
    def pages(self) -> range:
        """The pages shown."""
        return range(self.first, self.view.num_blocks)

    def x(self, position: int) -> float:
        """Left end of a position. There is a small gap between pages."""
        size, cells = self.view.block_size, len(self.pages) * self.view.block_size
        part = self.m.gutter / 2
        room = self.m.width - 2 * self.m.gutter - part * (len(self.pages) - 1)
        width = min(room / cells, 90 if self.m.wide else 48)
        shown = position - self.first * size
        gaps = min(shown // size, len(self.pages) - 1)
        return self.m.gutter + shown * width + gaps * part

    def width(self) -> float:
        """Width of one position."""
        start = self.first * self.view.block_size
        return self.x(start + 1) - self.x(start) if self.view.block_size > 1 else self.x_end(start) - self.x(start)

    def x_end(self, position: int) -> float:
        """Right end of a position."""
        page = position // self.view.block_size
        part = self.m.gutter / 2 if position % self.view.block_size == self.view.block_size - 1 else 0
        return self.x(position + 1) - (part if page + 1 < self.view.num_blocks else 0)


def draw_ruler(
    snapshot: Snapshot,
    seq_id: str,
    words: Words,
    theme: Theme = LIGHT,
    *,
    before: Snapshot | None = None,
    columns: int = 8,
) -> Picture | None:
    """Draw one live request; None if it is not live. Pure.

    before   the state before the operation or event in view: the pointer also shows len(seq) of that state.
    columns  8 wide, 4 on a phone, as in the memory picture beside it.
    """
    view = snapshot.sequence(seq_id)
    if view is None:
        return None
    old = before.sequence(seq_id) if before else None
    was = old.num_tokens if old and old.num_tokens != view.num_tokens else None
    m = get_metrics(columns)
    shown = max(1, _MOST[m.wide] // view.block_size)
    canvas = Canvas(theme, m.width, m.label_size, "ruler")
    ruler = _Ruler(canvas, m, view, words, max(0, view.num_blocks - shown), was)
    top = m.label * 1.1 + 2 * m.line
    _name(ruler)
    for page in ruler.pages:
        _draw_page(ruler, page, top)
    bottom = _draw_pointer(ruler, top + m.cell_height + m.line)
    return Picture(canvas.spec(bottom + 4, m.meta), _describe(ruler), lambda: _tabulate(view, words))


def _name(ruler: _Ruler) -> None:
    m, view = ruler.m, ruler.view
    tokens = count(ruler.words, "figures.tokens", view.num_tokens)
    text = ruler.words.text("figures_ruler.title", seq=view.seq_id, tokens=tokens)
    x, y = m.gutter, m.label * 0.5
    ruler.canvas.text(TEXTS, "title", x, y, text, size=m.title_size, color=ruler.hue.ink, anchor="left", bold=True)


def _draw_page(ruler: _Ruler, page: int, top: float) -> None:
    """Its name and block above, its positions below; dashed while it has no block."""
    m, view, theme, size = ruler.m, ruler.view, ruler.theme, ruler.view.block_size
    start = page * size
    real = page < len(view.block_table)
    box = Rect(ruler.x(start), top, ruler.x_end(start + size - 1), top + m.cell_height)
    names = [ruler.words.text("figures.memory.page", page=page), ruler.words.text("figures.memory.no_page")]
    if real:
        names[1] = ruler.words.text("figures.memory.goes_to", block=view.block_table[page])
    for i, text in enumerate(names):
        fitted = fit_size(text, box.width * m.squeeze, m.label_size, m.smallest, bold=i == 1)
        color = ruler.hue.ink if i else theme.muted
        y = top - (1.6 - i) * m.line
        ruler.canvas.text(TEXTS, "pages", box.cx, y, text, size=fitted, color=color, bold=i == 1)
    for position in range(start, start + size):
        cell = Rect(ruler.x(position), top, ruler.x_end(position), top + m.cell_height)
        _draw_cell(ruler, position, cell, real=real)
    dash = request_style(view.seq_id)[1] if real else "3px,4px"
    ruler.canvas.line(EDGES, "pages", ruler.hue.line, box.outline(3), width=2.0 if real else 1.5, dash=dash)


def _draw_cell(ruler: _Ruler, position: int, cell: Rect, *, real: bool) -> None:
    """A token, filled once its KV is written; an empty slot; or nothing; below it the position."""
    m, view, theme = ruler.m, ruler.view, ruler.theme
    here = position < view.num_tokens
    if here and _is_written(view, position):
        ruler.canvas.fill(CELLS, "written", ruler.hue.tint, cell.outline())
    elif not here and real:
        for stroke in build_hatching(cell):
            ruler.canvas.line(HATCH, "empty", theme.hatch, stroke)
    line = ruler.hue.line if here else theme.cell
    dash = "solid" if here and _is_written(view, position) else "3px,2px"
    ruler.canvas.line(FRAMES, "cells", line, cell.outline(), width=1.0, dash=dash)
    if here:
        text = ruler.words.token(view.token_ids[position])
        if measure_text(text, m.smallest) < cell.width * m.squeeze:
            fitted = fit_size(text, cell.width * m.squeeze - 2, m.label_size, m.smallest)
            ruler.canvas.text(TEXTS, "tokens", cell.cx, cell.cy, text, size=fitted, color=theme.ink)
    color, y = (theme.ink if here else theme.muted), cell.y1 + m.line * 0.7
    ruler.canvas.text(TEXTS, "positions", cell.cx, y, str(position), size=m.label_size, color=color)


def _draw_pointer(ruler: _Ruler, top: float) -> float:
    """len(seq) below the end of the last token, with its old value; then the slot of that token."""
    m, view, theme = ruler.m, ruler.view, ruler.theme
    x, y = ruler.x_end(view.num_tokens - 1), top + m.line * 0.55
    if ruler.was:
        old = ruler.x_end(ruler.was - 1)
        ruler.canvas.line(FRAMES, "grown", theme.changed_line, [(old, y), (x - 7, y)], width=2, dash="4px,3px")
    ruler.canvas.marker(EDGES, (x, y), "triangle-up", theme.ink, 11 if m.wide else 9)
    key = "len_changed" if ruler.was else "len"
    text = ruler.words.text(f"figures_ruler.{key}", n=view.num_tokens, was=ruler.was)
    y += m.line * 1.15
    half = measure_text(text, m.label_size, bold=True) / m.squeeze / 2
    middle = min(max(x, m.gutter + half), m.width - m.gutter - half)
    ruler.canvas.text(TEXTS, "len", middle, y, text, size=m.label_size, color=theme.ink, bold=True)
    y += m.line * 1.35
    lines = wrap(_place(ruler), (m.width - 2 * m.gutter) * m.squeeze, m.label_size)
    for i, line in enumerate(lines):
        at = y + i * m.line * 1.1
        ruler.canvas.text(TEXTS, "place", m.gutter, at, line, size=m.label_size, color=theme.ink, anchor="left")
    return y + (len(lines) - 1) * m.line * 1.1 + m.line * 0.6


def _is_written(view: SequenceView, position: int) -> bool:
    return not (view.waiting and position == view.num_tokens - 1)


def _place(ruler: _Ruler) -> str:
    """Page, offset and slot of the last token."""
    view = ruler.view
    position = view.num_tokens - 1
    values = {"position": position, "page": view.num_blocks - 1, "offset": view.last_block_num_tokens - 1}
    placed = len(view.slots) == view.num_tokens
    key = "no_slot" if not placed else "waiting" if view.waiting else "written"
    return ruler.words.text(f"figures_ruler.{key}", slot=view.slots[-1] if placed else "", **values)


def _describe(ruler: _Ruler) -> str:
    view, words = ruler.view, ruler.words
    tokens = count(words, "figures.tokens", view.num_tokens)
    key = "len_changed" if ruler.was else "len"
    length = words.text(f"figures_ruler.{key}", n=view.num_tokens, was=ruler.was)
    return words.text("figures_ruler.sentence", seq=view.seq_id, tokens=tokens, length=length, place=_place(ruler))


def _tabulate(view: SequenceView, words: Words) -> pd.DataFrame:
    """Each token: position, page, block, slot, and whether its KV is written."""
    rows = []
    for position, token in enumerate(view.token_ids):
        page = position // view.block_size
        real = position < len(view.slots)
        rows.append(
            (
                str(position),
                words.token(token),
                str(page),
                str(view.block_table[page]) if real else words.text("figures.memory.no_page"),
                str(view.slots[position]) if real else words.text("figures_ruler.none"),
                words.text(f"figures_ruler.kv_{'yes' if _is_written(view, position) else 'no'}"),
            )
        )
    names = ("position", "token", "page", "block", "slot", "kv")
    return pd.DataFrame(rows, columns=[words.text(f"figures_ruler.column_{name}") for name in names])
