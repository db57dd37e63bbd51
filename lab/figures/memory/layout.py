"""The positions of everything in the memory picture. Pages and blocks share one grid of columns.

Pages and blocks are cards of the same width, so the gutters between columns run straight from the requests through
the pool. Connectors use these gutters and never meet a text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lab.engine.words import Words
from lab.figures.canvas import Rect
from lab.figures.measure import measure_text
from lab.trace.snapshot import SequenceView, Snapshot

MAX_TOKEN_TEXTS = 128  # texts make a figure slow; above this, slots show only their colour, and then pages too


@dataclass(frozen=True)
class Metrics:
    """Sizes in pixels of one layout, wide or narrow."""

    width: float
    min_width: float  # at this width every text still fits
    max_width: float  # above this width the sides stay empty; 0: no limit
    gutter: float
    pad: float
    gap: float
    head: float
    foot: float
    label: float  # line above a row of pages
    row_gap: float
    zone: float  # between requests and pool
    stub: float  # the part of the zone where lines are still vertical
    cell_height: float
    bare_height: float  # of a cell without text
    token_size: float
    token_least: float  # smallest token size; below it, fewer cells share a row
    label_size: float
    title_size: float
    smallest: float
    brief: bool = False  # cards are too narrow for more than ids and numbers

    @property
    def line(self) -> float:
        """Height of one line of labels."""
        return self.label_size + 3

    @property
    def tag_size(self) -> float:
        """Font size of the small labels on the colour of change."""
        return max(self.smallest, self.label_size - (1 if self.wide else 0.5))

    @property
    def badge(self) -> float:
        """Size of the badge on a marked slot."""
        return self.label_size + 2

    @property
    def wide(self) -> bool:
        """Is there room for 8 columns?"""
        return self.gutter > 10

    @property
    def across(self) -> bool:
        """Does the whole queue fit in one row?"""
        return self.width > 500

    @property
    def squeeze(self) -> float:
        """The share of a width that remains when the figure is as narrow as it may be."""
        return self.min_width / self.width

    @property
    def meta(self) -> dict[str, float]:
        """Values for the page: the widths at which a figure scrolls, stops growing, and has room for 8 columns."""
        compact = self in (BESIDE, PHONE, PHONE_BRIEF)
        widths = {"min_width": self.min_width, "wide_from": (BESIDE if compact else WIDE).min_width}
        return widths | ({"max_width": self.max_width} if self.max_width else {})


WIDE = Metrics(1040, 900, 0, 18, 5, 3, 23, 22, 28, 14, 90, 13, 28, 15, 15, 13, 13, 15, 12)
NARROW = Metrics(358, 320, 640, 8, 2, 2, 18, 17, 22, 9, 62, 12, 22, 12, 12, 10.4, 11, 13, 10)
# For a picture in one view with its buttons: next to the text, or above a bar on a phone. No text below 11 pixels.
BESIDE = Metrics(708, 640, 900, 7, 1, 2, 18, 17, 22, 8, 60, 14, 19, 12, 12, 11, 11, 13, 11)
PHONE = Metrics(374, 340, 640, 8, 2, 2, 16, 15, 19, 6, 44, 14, 17, 11, 12, 11, 11, 12, 11)
PHONE_BRIEF = Metrics(374, 340, 640, 6, 1, 1, 15, 14, 17, 5, 36, 8, 14, 10, 12, 11, 11, 12, 11, brief=True)
_MOST_IN_FOURS = 12  # blocks on a phone, four in a row; more do not fit in the height


def get_metrics(columns: int) -> Metrics:
    """The sizes for that many blocks a row."""
    return WIDE if columns > 5 else NARROW


def compact_metrics(columns: int, num_blocks: int) -> tuple[Metrics, int]:
    """The sizes of a picture that shares one view with its buttons, and its number of blocks a row."""
    if columns > 5:
        return BESIDE, columns
    return (PHONE, columns) if num_blocks <= _MOST_IN_FOURS else (PHONE_BRIEF, 2 * columns)


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
) -> Layout:
    """Place everything. `owner_lines`: number of lines with owners, by block id."""
    pitch = (m.width - m.gutter) / columns
    width = pitch - m.gutter
    tokens = list_tokens_shown(snapshot)
    in_slots = len(tokens) <= MAX_TOKEN_TEXTS
    with_text = in_slots or 0 < len(list_tokens_above(snapshot)) <= MAX_TOKEN_TEXTS
    texts = {words.token(token) for token in set(tokens)} | {words.text("figures.memory.usual_token")}
    widest = max(measure_text(text, 1) for text in texts) if with_text else 0.5
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
        for i in range(snapshot.block_size):
            x = left + m.pad + i % per_row * cell_width
            y = top + m.head + i // per_row * (cell + m.gap)
            cells.append(Rect(x, y, x + cell_width - m.gap, y + cell))
        return CardBox(Rect(left, top, left + width, top + height), tuple(cells), row, column)

    places, page_rows = _place_pages(snapshot, columns)
    page_height = m.head + inner_of(page_cell) + m.foot
    row_height = m.label + page_height + m.row_gap
    pages, labels = {}, []
    for (seq_id, page), (row, column) in places.items():
        top = row * row_height + m.label
        pages[seq_id, page] = placed = card(row, column, top, page_height, page_cell)
        if page == 0 or column == 0:  # each row of a request begins with its name
            labels.append((seq_id, page == 0, Rect(placed.box.x0, top - m.label, placed.box.x1, top)))
    zone_top = page_rows * row_height - m.row_gap
    zone_height = m.zone + min(40, 2 * max(0, len(pages) - 12))
    if not pages:  # one line of text, and no connectors
        zone_top, zone_height = m.label + m.row_gap, m.gutter + m.stub
    zone = Rect(0, zone_top, m.width, zone_top + zone_height)

    blocks: list[CardBox] = []
    lines = list(owner_lines)
    top = zone.y1
    for row in range(math.ceil(snapshot.num_blocks / columns)):
        ids = range(row * columns, min(snapshot.num_blocks, (row + 1) * columns))
        foot = m.foot + (max(lines[b] for b in ids) - 1) * m.line
        height = m.head + inner_of(slot_cell) + max(m.foot, foot)
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


def _place_pages(snapshot: Snapshot, columns: int) -> tuple[dict[tuple[str, int], tuple[int, int]], int]:
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
