"""Lines from each logical page to its physical block, only in the gutters and in the zone between pages and blocks.

A line leaves a page of the last row at the bottom, and a page of another row at its side into the gutter. It enters a
block of the first row at the top, and a block of another row at its side from the gutter. So no line meets a text.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from lab.figures.canvas import Point
from lab.figures.memory.layout import Layout


@dataclass(frozen=True)
class Connector:
    """One line, from page to block; `down`: the line enters the block at the top."""

    seq_id: str
    page: int
    block_id: int
    points: tuple[Point, ...]
    down: bool


def route_connectors(layout: Layout, tables: Sequence[tuple[str, Sequence[int]]]) -> tuple[Connector, ...]:
    """The lines of every table entry. `tables`: request and its block_table, in order."""
    entries = [(seq_id, page, block) for seq_id, table in tables for page, block in enumerate(table)]
    leaving = _leave(layout, entries)
    entering = _enter(layout, entries)
    lines = []
    for i, (seq_id, page, block) in enumerate(entries):
        upper, lower = leaving[i], entering[i]
        points = [*upper, *_build_curve(upper[-1], lower[0]), *lower]
        lines.append(Connector(seq_id, page, block, tuple(points), layout.blocks[block].row == 0))
    return tuple(lines)


def _spread_evenly(low: float, high: float, count: int, widest: float) -> list[float]:
    """`count` positions around the middle, at most `widest` apart."""
    step = min(widest, (high - low) / count)
    first = (low + high) / 2 - step * (count - 1) / 2
    return [first + step * i for i in range(count)]


def _leave(layout: Layout, entries: list[tuple[str, int, int]]) -> list[list[Point]]:
    """From each page down into the zone, vertical past the marks below the pages."""
    gutters: dict[int, list[int]] = defaultdict(list)
    result: list[list[Point]] = [[] for _ in entries]
    bottom = layout.zone.y0 + layout.m.stub
    for i, (seq_id, page, _) in enumerate(entries):
        card = layout.pages[seq_id, page]
        if card.row == layout.page_rows - 1:
            result[i] = [(card.box.cx, card.box.y1), (card.box.cx, bottom)]
        else:
            gutters[card.column].append(i)
    for column, members in gutters.items():
        # Upper rows take the outer lanes, so that they do not cross the lines of lower pages.
        members.sort(key=lambda i: -layout.pages[entries[i][:2]].row)
        low, high = layout.gutter(column + 1)
        for i, x in zip(members, _spread_evenly(low + 2, high - 2, len(members), 4), strict=True):
            card = layout.pages[entries[i][:2]]
            y = card.box.y1 - layout.m.foot / 2
            result[i] = [*_round_corner((card.box.x1, y), (x, y), (x, bottom))]
    return result


def _enter(layout: Layout, entries: list[tuple[str, int, int]]) -> list[list[Point]]:
    """From the bottom of the zone to each block."""
    tops: dict[int, list[int]] = defaultdict(list)
    gutters: dict[int, list[int]] = defaultdict(list)
    sides: dict[int, list[int]] = defaultdict(list)
    result: list[list[Point]] = [[] for _ in entries]
    start = layout.panel.y0
    for i, (_, _, block) in enumerate(entries):
        card = layout.blocks[block]
        if card.row == 0:
            tops[block].append(i)
        else:
            gutters[card.column].append(i)
            sides[block].append(i)
    for block, members in tops.items():
        members.sort(key=lambda i: layout.pages[entries[i][:2]].box.cx)
        box = layout.blocks[block].box
        for i, x in zip(members, _spread_evenly(box.x0 + 8, box.x1 - 8, len(members), 10), strict=True):
            result[i] = [(x, start), (x, box.y0 - 1)]
    heights: dict[int, float] = {}
    for block, members in sides.items():
        box = layout.blocks[block].box
        heights |= zip(members, _spread_evenly(box.y0 + 4, box.y1 - 4, len(members), 7), strict=True)
    for column, members in gutters.items():
        # Lower blocks take the outer lanes, so that they do not cross the lines into upper blocks.
        members.sort(key=lambda i: (-layout.blocks[entries[i][2]].row, -heights[i]))
        low, high = layout.gutter(column)
        for i, x in zip(members, _spread_evenly(low + 2, high - 5, len(members), 4), strict=True):
            y = heights[i]
            box = layout.blocks[entries[i][2]].box
            result[i] = [(x, start), *_round_corner((x, start), (x, y), (box.x0 - 1, y))]
    return result


def _round_corner(a: Point, corner: Point, b: Point, radius: float = 5) -> list[Point]:
    """a -> corner -> b with the corner rounded; both legs are parallel to the axes."""

    def toward(end: Point) -> Point:
        dx, dy = end[0] - corner[0], end[1] - corner[1]
        length = abs(dx) + abs(dy)
        r = min(radius, length)
        return (corner[0] + dx / (length or 1) * r, corner[1] + dy / (length or 1) * r)

    p, q = toward(a), toward(b)
    middle = tuple(0.25 * p[k] + 0.5 * corner[k] + 0.25 * q[k] for k in (0, 1))
    return [a, p, (middle[0], middle[1]), q, b]


def _build_curve(start: Point, end: Point, steps: int = 22) -> list[Point]:
    """An S-curve, vertical at both ends and inside the box that the two points span."""
    (x0, y0), (x1, y1) = start, end
    if abs(x1 - x0) < 0.5:
        return []
    points = []
    for i in range(1, steps):
        t = (1 - math.cos(math.pi * i / steps)) / 2  # closer together where it turns
        ease = 3 * t * t - 2 * t**3  # x of the Bezier curve with vertical handles
        y = 3 * (1 - t) ** 2 * t * 0.55 + 3 * (1 - t) * t * t * 0.45 + t**3
        points.append((x0 + (x1 - x0) * ease, y0 + (y1 - y0) * y))
    return points
