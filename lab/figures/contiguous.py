"""A contiguous pool: its slots in rows, each request's one piece in them, and the holes between the pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Point, Rect, build_hatching
from lab.figures.contiguous_words import (
    count_totals,
    describe_contiguous,
    find_holder,
    format_refusal,
    tabulate_contiguous,
)
from lab.figures.measure import fit_size, measure_text, wrap
from lab.figures.memory.layout import MAX_TOKEN_TEXTS
from lab.figures.memory.metrics import Metrics, compact_metrics, get_metrics
from lab.figures.phrases import count
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Hue, Theme, request_style
from lab.trace.contiguous import ContiguousSnapshot, NoHoleError, Reservation, Segment

PANEL, CELLS, HATCH, FRAMES, EDGES, TEXTS = range(6)


@dataclass(frozen=True)
class Grid:
    """The positions of the slots: `per_row` cells a row, a line of labels above each row."""

    m: Metrics
    num_slots: int

    @property
    def per_row(self) -> int:
        """Slots a row: twice as many for a large pool, so that the picture stays low."""
        return (16 if self.m.across else 8) * (2 if self.num_slots > 64 else 1)

    @property
    def left(self) -> float:
        """Left edge of the cells; the number of each row's first slot is to the left of it."""
        return self.m.gutter + (36 if self.m.wide else 24)

    @property
    def row_height(self) -> float:
        """Height of the labels, the cells and the space below."""
        return self.m.line + 4 + self.m.cell_height + (10 if self.m.wide else 7)

    @property
    def rows(self) -> int:
        """Number of rows; the last may not be full."""
        return -(-self.num_slots // self.per_row)

    @property
    def bottom(self) -> float:
        """Bottom edge of the rows."""
        return 8 + self.rows * self.row_height

    def span(self, first: int, last: int) -> Rect:
        """The box around the cells first..last of one row."""
        pitch = (self.m.width - self.m.gutter - self.left) / self.per_row
        row = first // self.per_row
        top = 8 + row * self.row_height + self.m.line + 4
        x = self.left + first % self.per_row * pitch
        return Rect(x, top, x + (last - first + 1) * pitch, top + self.m.cell_height)

    def cell(self, slot: int) -> Rect:
        """One slot, inside the frame of its piece."""
        return self.span(slot, slot).grow(-self.m.gap / 2 - 0.5)

    def parts(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """The slots first..end-1 row by row: (first, last) of each part."""
        while first < end:
            last = min(end, (first // self.per_row + 1) * self.per_row) - 1
            yield first, last
            first = last + 1


def draw_contiguous(
    snapshot: ContiguousSnapshot, words: Words, theme: Theme = LIGHT, *, columns: int = 8, compact: bool = False
) -> Picture:
    """Draw one state of a pool of up to 128 slots; if an operation was just refused, give the reason. Pure.

    A used slot shows its token. Empty slots are hatched once if a token will still come, and crossed if none ever will.
    The slots of holes are plain. columns: 8 for a wide figure, 4 on a phone; compact: as in draw_memory.
    """
    m = compact_metrics(columns, 0, 0)[0] if compact else get_metrics(columns)
    grid = Grid(m, snapshot.num_slots)
    canvas = Canvas(theme, m.width, m.label_size, "contiguous")
    caption = _wrap_caption(snapshot, words, m)
    legend = _lay_out_legend(words, m)
    height = grid.bottom + len(caption) * (m.line + 2) + _count_legend_rows(legend) * (m.line + 7) + 8
    panel = Rect(2, 2, m.width - 2, height).outline(8)
    canvas.fill(PANEL, "panel", theme.panel, panel)
    canvas.line(PANEL, "panel", theme.panel_line, panel)
    for row in range(grid.rows):
        x, y, size = grid.left - 7, grid.cell(row * grid.per_row).cy, max(m.smallest, m.label_size - 1)
        canvas.text(TEXTS, "slots", x, y, str(row * grid.per_row), size=size, color=theme.muted, anchor="right")
    token_size = _fit_token_size(snapshot, words, grid)
    for segment in snapshot.segments:
        view = find_holder(snapshot, segment)
        if view is None:
            _draw_hole(canvas, grid, segment, snapshot)
        else:
            _draw_piece(canvas, grid, view, words, token_size)
        _label(canvas, grid, segment, view, words)
    y = grid.bottom
    for line in caption:
        y += m.line + 2
        at = y - m.line / 2
        canvas.text(TEXTS, "caption", m.gutter, at, line, size=m.label_size, color=theme.ink, anchor="left", bold=True)
    _draw_legend(canvas, legend, y + 4, m)
    bottom = height + 6
    if snapshot.refusal is not None:
        bottom = _draw_refusal(canvas, format_refusal(snapshot, words), bottom, m)
    return Picture(
        canvas.spec(bottom, m.meta), describe_contiguous(snapshot, words), lambda: tabulate_contiguous(snapshot, words)
    )


def _get_hue(theme: Theme, seq_id: str) -> Hue:
    return theme.hues[request_style(seq_id)[0]]


def _fit_token_size(snapshot: ContiguousSnapshot, words: Words, grid: Grid) -> float | None:
    """The font size of the tokens; None if there are too many, or if they are too wide for their cells."""
    tokens = [words.token(token) for view in snapshot.requests for token in view.token_ids]
    if len(tokens) > MAX_TOKEN_TEXTS:
        return None
    room = grid.cell(0).width * grid.m.squeeze
    size = min(fit_size(text, room, grid.m.token_size, 0) for text in tokens) if tokens else 0
    return size if size >= grid.m.smallest - 1 else None


def _draw_piece(canvas: Canvas, grid: Grid, view: Reservation, words: Words, token_size: float | None) -> None:
    """A request's slots: used, empty for a later token, empty for ever; one frame, open where a row continues."""
    theme, hue = canvas.theme, _get_hue(canvas.theme, view.request.seq_id)
    used_end = view.start + view.used
    later_end, end = used_end + view.later, view.start + view.reserved
    for slot in range(view.start, end):
        cell = grid.cell(slot)
        if slot < used_end:
            canvas.fill(CELLS, "used", hue.tint, cell.outline())
            canvas.line(FRAMES, f"used:{view.request.seq_id}", hue.line, cell.outline())
            if token_size is not None:
                text = words.token(view.token_ids[slot - view.start])
                canvas.text(TEXTS, "tokens", cell.cx, cell.cy, text, size=token_size, color=theme.ink)
        else:
            _empty(canvas, cell, never=slot >= later_end)
    for first, last in grid.parts(view.start, end):
        canvas.fill(PANEL, "pieces", theme.card, grid.span(first, last).outline())
        for points in _outline_row(grid.span(first, last), open_left=first > view.start, open_right=last < end - 1):
            dash = request_style(view.request.seq_id)[1]
            canvas.line(EDGES, f"pieces:{view.request.seq_id}", hue.line, points, width=2.4, dash=dash)


def _empty(canvas: Canvas, cell: Rect, *, never: bool) -> None:
    """An empty slot that a request owns."""
    kind = "never" if never else "later"
    _draw_hatch(canvas, kind, cell, 9 if never else 7, crossed=never)
    canvas.line(FRAMES, kind, canvas.theme.hatch, cell.outline(), dash="3px,2px")


def _draw_hatch(canvas: Canvas, name: str, box: Rect, step: float, *, crossed: bool) -> None:
    """Strokes rising to the right, and also their mirror image if crossed."""
    for stroke in build_hatching(box, step):
        canvas.line(HATCH, name, canvas.theme.hatch, stroke)
        if crossed:
            canvas.line(HATCH, name, canvas.theme.hatch, [(box.x0 + box.x1 - x, y) for x, y in stroke])


def _outline_row(box: Rect, *, open_left: bool, open_right: bool) -> list[list[Point]]:
    """The outline of one row of a piece, without the sides where the piece continues."""
    top, bottom = [(box.x0, box.y0), (box.x1, box.y0)], [(box.x0, box.y1), (box.x1, box.y1)]
    if not open_left and not open_right:
        return [box.outline()]
    if open_left and open_right:
        return [top, bottom]
    return [[*reversed(top), *bottom]] if open_right else [[*top, *reversed(bottom)]]


def _draw_hole(canvas: Canvas, grid: Grid, hole: Segment, snapshot: ContiguousSnapshot) -> None:
    """Free slots, plain; the largest hole is marked if it was too small for the refused request."""
    for slot in range(hole.start, hole.end):
        canvas.line(FRAMES, "holes", canvas.theme.frame, grid.cell(slot).outline())
    if isinstance(snapshot.refusal, NoHoleError) and hole.length == snapshot.largest_hole:
        for first, last in grid.parts(hole.start, hole.end):
            outline = grid.span(first, last).outline()
            canvas.line(EDGES, "largest", canvas.theme.changed_line, outline, width=2.4, dash="5px,3px")


def _label(canvas: Canvas, grid: Grid, segment: Segment, view: Reservation | None, words: Words) -> None:
    """Name and numbers above the first row of a segment if there is room, and only the name above its other rows."""
    m, theme = grid.m, canvas.theme
    slots = count(words, "figures.slots", segment.length)
    if view is None:
        options = [words.text("figures_contiguous.hole", slots=slots), str(segment.length)]
        name, again, color = "", "", theme.muted
    else:
        name, color = view.request.seq_id, _get_hue(theme, view.request.seq_id).ink
        values = {"seq": name, "reserved": slots, "all": segment.length, "used": view.used}
        options = [words.text(f"figures_contiguous.{key}", **values) for key in ("request", "request_short")]
        again = words.text("figures_contiguous.continued", seq=name)
    parts = [(grid.span(first, last), first) for first, last in grid.parts(segment.start, segment.end)]

    def fits(text: str, box: Rect) -> bool:
        return measure_text(text, m.label_size, True) <= box.width * m.squeeze - 2

    chosen = next(((text, first) for text in options for box, first in parts if fits(text, box)), ("", -1))
    for box, first in parts:
        text = chosen[0] if first == chosen[1] else name if first == segment.start else again
        if text and fits(text, box):
            y = box.y0 - m.line / 2 - 1
            canvas.text(TEXTS, "labels", box.x0 + 1, y, text, size=m.label_size, color=color, anchor="left", bold=True)


def _wrap_caption(snapshot: ContiguousSnapshot, words: Words, m: Metrics) -> list[str]:
    pool = count(words, "figures.slots", snapshot.num_slots)
    text = words.text("figures_contiguous.caption", pool=pool, **count_totals(snapshot))
    return wrap(text, (m.width - 2 * m.gutter) * m.squeeze / 1.1, m.label_size)


def _lay_out_legend(words: Words, m: Metrics) -> list[tuple[str, str, float, int]]:
    """(kind, text, x, row) of each sign."""
    x, row, items = 0.0, 0, []
    for kind in ("used", "later", "never", "hole"):
        text = words.text(f"figures_contiguous.legend_{kind}")
        width = m.label_size + 6 + measure_text(text, m.label_size) / m.squeeze
        if x and x + width > m.width - 2 * m.gutter:
            x, row = 0.0, row + 1
        items.append((kind, text, x, row))
        x += width + 14
    return items


def _count_legend_rows(legend: list[tuple[str, str, float, int]]) -> int:
    return legend[-1][3] + 1


def _draw_legend(canvas: Canvas, legend: list[tuple[str, str, float, int]], top: float, m: Metrics) -> None:
    theme, side = canvas.theme, m.label_size
    for kind, text, x, row in legend:
        left, middle = m.gutter + x, top + (row + 0.5) * (m.line + 7)
        box = Rect(left, middle - side / 2, left + side, middle + side / 2)
        if kind in ("later", "never"):
            _draw_hatch(canvas, "legend", box, 5, crossed=kind == "never")
        elif kind == "used":
            canvas.fill(CELLS, "legend", theme.stale, box.outline())
        canvas.line(FRAMES, "legend", theme.frame, box.outline())
        canvas.text(TEXTS, "legend", left + side + 6, middle, text, size=side, color=theme.muted, anchor="left")


def _draw_refusal(canvas: Canvas, text: str, top: float, m: Metrics) -> float:
    """The refusal in the colour of changes, below the pool; returns its bottom edge."""
    theme, y = canvas.theme, top + 6
    lines = wrap(text, (m.width - 4 * m.gutter) * m.squeeze / 1.1, m.label_size)
    box = Rect(2, top, m.width - 2, top + len(lines) * (m.line + 2) + 12)
    canvas.fill(PANEL, "refusal", theme.changed, box.outline(6))
    for line in lines:
        at = y + (m.line + 2) / 2
        y += m.line + 2
        color = theme.changed_ink
        canvas.text(TEXTS, "refusal", m.gutter, at, line, size=m.label_size, color=color, anchor="left", bold=True)
    return box.y1 + 4
