"""The sizes of the memory picture, for each width that it is drawn in."""

from __future__ import annotations

from dataclasses import dataclass, replace


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
    bare: bool = False  # no token's text
    chips: bool = False  # a page is one line: its number and its block

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
        compact = self.smallest == BESIDE.smallest
        widths = {"min_width": self.min_width, "wide_from": (BESIDE if compact else WIDE).min_width}
        return widths | ({"max_width": self.max_width} if self.max_width else {})


WIDE = Metrics(1040, 900, 0, 18, 5, 3, 23, 22, 28, 14, 90, 13, 28, 15, 15, 13, 13, 15, 12)
NARROW = Metrics(358, 320, 640, 8, 2, 2, 18, 17, 22, 9, 62, 12, 22, 12, 12, 10.4, 11, 13, 10)
# For a picture in one view with its buttons: next to the text, or above a bar on a phone. No text below 11 pixels.
BESIDE = Metrics(708, 640, 900, 7, 1, 2, 18, 17, 22, 8, 60, 14, 19, 12, 12, 11, 11, 13, 11)
# With room for two words beside each other in a cell, so that pages of 8 slots are not higher than pages of 4.
BESIDE_TIGHT = replace(BESIDE, gutter=5, gap=1, zone=32)
PHONE = Metrics(374, 340, 640, 8, 1.5, 2, 16, 15, 19, 6, 44, 14, 17, 11, 12, 11, 11, 12, 11)
PHONE_BRIEF = Metrics(374, 340, 640, 6, 1, 1, 15, 14, 17, 5, 36, 8, 14, 10, 12, 11, 11, 12, 11, brief=True)
# For a projector, with sixteen blocks in a row: see detail.py.
BESIDE_BRIEF = Metrics(708, 640, 900, 5, 1, 1, 15, 14, 17, 5, 34, 8, 14, 9, 11, 11, 11, 13, 11, brief=True, bare=True)
BESIDE_CHIPS = replace(BESIDE_BRIEF, label=14, row_gap=2, zone=22, bare_height=4, chips=True)
PHONE_CHIPS = replace(PHONE_BRIEF, bare_height=4, bare=True, chips=True)
_MOST_ROOMY = 4  # slots of a block; of larger ones two rows would be too high
_MOST_IN_FOURS = 12  # blocks on a phone, four in a row; more do not fit in the height


def get_metrics(columns: int) -> Metrics:
    """The sizes for that many blocks a row."""
    return WIDE if columns > 5 else NARROW


def compact_metrics(columns: int, num_blocks: int, block_size: int) -> tuple[Metrics, int]:
    """The sizes of a picture that shares one view with its buttons, and its number of blocks a row."""
    if columns > 5:
        return BESIDE_TIGHT if num_blocks > columns and block_size > _MOST_ROOMY else BESIDE, columns
    return (PHONE, columns) if num_blocks <= _MOST_IN_FOURS else (PHONE_BRIEF, 2 * columns)


@dataclass(frozen=True)
class Detail:
    """How much of a state is drawn.

    columns  blocks a row.
    idle     blocks that nobody uses: a row of nothing else has no cells.
    tokens   tokens that other states of the run show: a cell has room for them too.
    """

    m: Metrics
    columns: int
    idle: frozenset[int] = frozenset()
    tokens: frozenset[int] = frozenset()
