"""The positions of everything in the memory picture. Pages and blocks share one grid of columns.

Pages and blocks are cards of the same width, so the gutters between columns run straight from the requests through
the pool. Connectors use these gutters and never meet a text.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Rect
from lab.figures.measure import measure_text
from lab.figures.memory.metrics import Metrics
from lab.trace.snapshot import SequenceView, Snapshot

MAX_TOKEN_TEXTS = 128  # texts make a figure slow; above this, slots show only their colour, and then pages too


@dataclass(frozen=True)
class CardBox:
    """A page or a block: its frame and its cells, in order of slot."""

    box: Rect
    cells: tuple[Rect, ...]
    row: int
    column: int


@dataclass(frozen=True)
class Layout:
    """The whole picture's geometry."""

    m: Metrics
    columns: int
    pitch: float
    pages: dict[tuple[str, int], CardBox]
    labels: tuple[tuple[str, bool, Rect], ...]  # request, is this its first row, box
    page_rows: int
    zone: Rect  # free of text
    blocks: tuple[CardBox, ...]
    panel: Rect  # around the pool, caption included
    caption: float  # top of the caption inside the panel
    queue_top: float
    page_texts: bool
    slot_texts: bool
    token_size: float

    def gutter(self, column: int) -> tuple[float, float]:
        """Left and right edge of the gutter to the left of a column; `columns` stands for the gutter after the last."""
        left = column * self.pitch
        return left, left + self.m.gutter


def count_pages(view: SequenceView) -> int:
    """Number of pages to draw: those in the table and those that tokens wait for."""
    return max(view.num_blocks, len(view.block_table))


def list_tokens_above(snapshot: Snapshot) -> list[int]:
    """Token ids to be written in the requests' pages, with repetition."""
    return [token for view in snapshot.sequences for token in view.token_ids]


def list_tokens_shown(snapshot: Snapshot) -> list[int]:
    """Token ids to be written anywhere in the picture, with repetition."""
    return list_tokens_above(snapshot) + [
        slot[0] for block in snapshot.blocks for slot in block.slots if slot is not None
    ]


def lay_out(
    snapshot: Snapshot,
    words: Words,
    m: Metrics,
    columns: int,
    owner_lines: Iterable[int],
    *,
    caption_height: float,
    idle: Container[int] = (),
    more_tokens: Iterable[int] = (),
) -> Layout:
    """Place everything.

    owner_lines        number of lines with owners, by block id.
    idle, more_tokens  see Detail.
    """
    pitch = (m.width - m.gutter) / columns
    width = pitch - m.gutter
    tokens = list_tokens_shown(snapshot)
    in_slots = len(tokens) <= MAX_TOKEN_TEXTS and not m.bare
    with_text = (in_slots or 0 < len(list_tokens_above(snapshot)) <= MAX_TOKEN_TEXTS) and not m.bare
    texts = {words.token(token) for token in {*tokens, *more_tokens}} | {words.text("figures.memory.usual_token")}
    widest = max(measure_text(text, 1) for text in texts) if with_text else 0.3 if m.chips else 0.5
    per_row, size = _fit_cells_per_row(snapshot.block_size, width - 2 * m.pad, widest, m)
    rows = math.ceil(snapshot.block_size / per_row)

    def height_of(texts: bool) -> float:
        cell = m.cell_height if texts else m.bare_height
        return min(cell, size + (3 if m.brief else 8)) if rows > 4 else cell

    def inner_of(cell: float) -> float:
        return rows * (cell + m.gap) - m.gap

    page_cell, slot_cell = height_of(with_text), height_of(in_slots)

    def card(row: int, column: int, top: float, height: float, cell: float) -> CardBox:
        left = m.gutter + column * pitch
        cell_width = (width - 2 * m.pad + m.gap) / per_row
        cells = []
        for i in range(snapshot.block_size if height > m.head else 0):
            x = left + m.pad + i % per_row * cell_width
            y = top + m.head + i // per_row * (cell + m.gap)
            cells.append(Rect(x, y, x + cell_width - m.gap, y + cell))
        return CardBox(Rect(left, top, left + width, top + height), tuple(cells), row, column)

    places, page_rows = place_pages(snapshot, columns)
    page_height = m.head if m.chips else m.head + inner_of(page_cell) + m.foot
    row_height = m.label + page_height + m.row_gap
    pages, labels = {}, []
    for (seq_id, page), (row, column) in places.items():
        top = row * row_height + m.label
        pages[seq_id, page] = placed = card(row, column, top, page_height, page_cell)
        if page == 0 or column == 0:  # each row of a request begins with its name
            labels.append((seq_id, page == 0, Rect(placed.box.x0, top - m.label, placed.box.x1, top)))
    zone_top = page_rows * row_height - m.row_gap
    zone_height = m.zone + (0 if m.chips else min(40, 2 * max(0, len(pages) - 12)))
    if not pages:  # one line of text, and no connectors
        zone_top, zone_height = m.label + m.row_gap, m.gutter + m.stub
    zone = Rect(0, zone_top, m.width, zone_top + zone_height)

    blocks: list[CardBox] = []
    lines = list(owner_lines)
    top = zone.y1
    for row in range(math.ceil(snapshot.num_blocks / columns)):
        ids = range(row * columns, min(snapshot.num_blocks, (row + 1) * columns))
        foot = m.foot + (max(lines[b] for b in ids) - 1) * m.line
        height = m.head if all(b in idle for b in ids) else m.head + inner_of(slot_cell) + max(m.foot, foot)
        blocks += [card(row, b % columns, top, height, slot_cell) for b in ids]
        top += height + m.row_gap
    caption = top - m.row_gap + 6
    panel = Rect(2, zone.y1 - m.gutter * 0.7, m.width - 2, caption + caption_height)
    return Layout(
        m=m,
        columns=columns,
        pitch=pitch,
        pages=pages,
        labels=tuple(labels),
        page_rows=page_rows,
        zone=zone,
        blocks=tuple(blocks),
        panel=panel,
        caption=caption,
        queue_top=panel.y1 + (16 if m.wide else 6),
        page_texts=with_text,
        slot_texts=in_slots,
        token_size=size,
    )


def _fit_cells_per_row(block_size: int, width: float, widest: float, m: Metrics) -> tuple[int, float]:
    """How many cells in a row leave room for the widest token, and the font size for it."""
    room = width * m.squeeze

    def cell(count: int) -> float:
        return (room + m.gap) / count - m.gap

    fitting = next((k for k in range(block_size, 1, -1) if cell(k) >= widest * m.token_least), 1)
    balanced = math.ceil(block_size / math.ceil(block_size / fitting))
    divisor = next(k for k in range(fitting, 0, -1) if block_size % k == 0)
    if block_size // divisor <= math.ceil(block_size / fitting) + 1:
        balanced = divisor
    size = math.floor(10 * min(m.token_size, (cell(balanced) - m.gap + 1) / widest)) / 10
    return balanced, max(m.token_least if fitting > 1 else m.smallest, size)


def place_pages(snapshot: Snapshot, columns: int) -> tuple[dict[tuple[str, int], tuple[int, int]], int]:
    """(row, column) of every page. Requests begin at fixed columns, so that a new page rarely moves the others."""
    requests = len(snapshot.sequences)
    step = columns // 2 if requests > 3 else columns
    if columns > 5:
        step = columns // 4 if requests > 4 else columns // 2
    step = max(1, step)
    home = {"A": 0, "B": step}  # two requests keep their halves when one of them ends
    if columns > 5 and all(view.seq_id in home and count_pages(view) <= step for view in snapshot.sequences):
        return {(v.seq_id, i): (0, home[v.seq_id] + i) for v in snapshot.sequences for i in range(count_pages(v))}, 1
    places: dict[tuple[str, int], tuple[int, int]] = {}
    cursor = 0
    for view in snapshot.sequences:
        count = count_pages(view)
        reserved = math.ceil(count / step) * step
        if cursor % columns and cursor % columns + reserved > columns:
            cursor = math.ceil(cursor / columns) * columns
        for page in range(count):
            places[view.seq_id, page] = divmod(cursor + page, columns)
        cursor += reserved
    return places, max(1, math.ceil(cursor / columns))
