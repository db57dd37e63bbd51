"""ref_count over time, and the ledger: who holds what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from lab.figures.canvas import Canvas, Point, Rect
from lab.figures.measure import fit_size, text_width
from lab.figures.memory_layout import Metrics, metrics
from lab.figures.phrases import listed, owner
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.operations import Allocate, Append, Operation
from lab.snapshot import Snapshot
from lab.words import Words

if TYPE_CHECKING:  # the timeline brings torch; a picture needs only what a step holds
    from lab.timeline import Step

MAX_STEPS = 20
BACK, CELLS, FRAMES, TEXTS = range(4)


def refcount_picture(
    steps: Sequence[Step], cursor: int, words: Words, theme: Theme = LIGHT, *, columns: int = 8
) -> Picture:
    """ref_count of every block ever used, a column a step, the last 20 steps; the step at `cursor` is lit. Pure."""
    m = metrics(columns)
    last = min(len(steps), max(cursor, len(steps)))
    first = max(0, min(last - MAX_STEPS, cursor))
    shown = range(first, min(last, first + MAX_STEPS) + 1)  # states: 0 is the start
    blocks = blocks_ever_used(steps)
    name_width = (84 if m.wide else 58) if blocks else 0
    least = 44 if m.wide else 36
    needed = name_width + m.gutter * 2 + least * len(shown)
    width = max(m.width, needed)
    cell_width = min(84 if m.wide else 60, (width - name_width - 2 * m.gutter) / len(shown))
    canvas = Canvas(theme, width, m.label_size, "refcount")
    left, top = m.gutter + name_width, m.label_size * 4.4
    row_height = m.cell_height + 2
    grid = _Grid(canvas, words, m, (left, top), (cell_width, row_height))
    for k, state in enumerate(shown):
        grid.header(k, state, steps[state - 1] if state else None, state == cursor, len(blocks))
    for j, block in enumerate(blocks):
        y = top + (j + 0.5) * row_height
        text = words.text("figures.memory.block", block=block)
        canvas.text(TEXTS, "block_names", m.gutter, y, text, size=m.label_size, color=theme.ink, anchor="left")
        for k, state in enumerate(shown):
            before = _snapshot(steps, state - 1).blocks[block].ref_count if state else None
            grid.cell(k, j, _snapshot(steps, state), (block, before), later=state > cursor)
    if not blocks:
        empty = words.text("figures.refcount.nothing")
        y = top + row_height / 2
        canvas.text(TEXTS, "note", m.gutter, y, empty, size=m.label_size, color=theme.muted, anchor="left")
    height = top + max(1, len(blocks)) * row_height + 8
    return Picture(
        canvas.figure(height, needed if needed > m.width else m.min_width),
        _sentence(steps, cursor, blocks, words),
        _table(steps, shown, blocks, words),
    )


class _Grid:
    """Draws the cells and the heads of the columns."""

    def __init__(self, canvas: Canvas, words: Words, m: Metrics, corner: Point, cell: Point) -> None:
        self.canvas, self.words = canvas, words
        self.left, self.top = corner
        self.width, self.height = cell
        self.size, self.smallest = m.label_size, m.smallest
        self.theme = canvas.theme

    def header(self, k: int, state: int, step: Step | None, lit: bool, rows: int) -> None:
        words, theme, x = self.words, self.theme, self.left + (k + 0.5) * self.width
        box = Rect(x - self.width / 2 + 1, 2, x + self.width / 2 - 1, self.top + rows * self.height + 4)
        if lit:
            self.canvas.fill(BACK, "now", theme.panel, box.outline(6))
            self.canvas.line(FRAMES, "now", theme.lit, box.outline(6), width=2)
            badge = Rect(x - self.size * 1.3, 5, x + self.size * 1.3, 5 + self.size * 1.45)
            self.canvas.fill(CELLS, "now", theme.lit, badge.outline(6))
        y = 5 + self.size * 0.72
        color = theme.lit_ink if lit else theme.muted
        self.canvas.text(TEXTS, "steps", x, y, str(state), size=self.size, color=color, bold=lit)
        if step is None:
            verb, seq_id, color = words.text("figures.refcount.start"), "", theme.muted
        else:
            seq_id = step.operation.seq_id
            color = theme.hues[request_style(seq_id)[0]].ink
            verb = words.text(f"figures.operation.{operation_key(step.operation)}")
            if text_width(verb, self.smallest) > self.width * 0.9:
                verb = words.text(f"figures.operation_short.{operation_key(step.operation)}")
            if step.refusal is not None:
                seq_id += " " + words.text("figures.refcount.refused")
        size = fit_size(verb, self.width * 0.88, self.size, self.smallest)
        self.canvas.text(TEXTS, "operations", x, y + self.size * 1.5, verb, size=size, color=color)
        size = fit_size(seq_id, self.width * 0.88, self.size, self.smallest, bold=True)
        self.canvas.text(TEXTS, "operations", x, y + self.size * 2.7, seq_id, size=size, color=color, bold=True)

    def cell(self, k: int, j: int, snapshot: Snapshot, entry: tuple[int, int | None], *, later: bool) -> None:
        theme, (block, before) = self.theme, entry
        x, y = self.left + k * self.width, self.top + j * self.height
        box = Rect(x + 4, y + 2, x + self.width - 4, y + self.height - 2)
        count = snapshot.blocks[block].ref_count
        requests = list(dict.fromkeys(seq_id for seq_id, _ in snapshot.owners(block)))
        if count and not later:
            tints = [theme.hues[request_style(seq_id)[0]].tint for seq_id in requests]
            band = box.height / len(tints)
            for i, tint in enumerate(tints):
                part = Rect(box.x0, box.y0 + i * band, box.x1, box.y0 + (i + 1) * band)
                self.canvas.fill(CELLS, "counts", tint, part.outline())
        if before is not None and before != count:
            color, dash = (theme.frame, "3px,2px") if later else (theme.changed_line, "solid")
            self.canvas.line(FRAMES, "changed", color, box.outline(), width=1 if later else 2, dash=dash)
        elif count:
            self.canvas.line(FRAMES, "counts", theme.cell, box.outline())
        color = theme.ink if count and not later else theme.muted
        bold = bool(count) and not later
        self.canvas.text(TEXTS, "counts", box.cx, box.cy, str(count), size=self.size + 1, color=color, bold=bold)


def operation_key(operation: Operation) -> str:
    """The name of an operation among the strings."""
    if isinstance(operation, Allocate):
        return "allocate"
    return "append" if isinstance(operation, Append) else "release"


def blocks_ever_used(steps: Sequence[Step]) -> tuple[int, ...]:
    """Blocks that some request held after some step, by id."""
    used = {b for step in steps for b in step.after.used_block_ids}
    return tuple(sorted(used | (steps[0].before.used_block_ids if steps else frozenset())))


def _snapshot(steps: Sequence[Step], state: int) -> Snapshot:
    return steps[state - 1].after if state else steps[0].before


def _operation(step: Step, words: Words) -> str:
    text = f"{words.text(f'figures.operation.{operation_key(step.operation)}')} {step.operation.seq_id}"
    return text if step.refusal is None else f"{text} {words.text('figures.refcount.refused')}"


def _sentence(steps: Sequence[Step], cursor: int, blocks: Sequence[int], words: Words) -> str:
    if not blocks:
        return words.text("figures.refcount.nothing")
    counts = [(b, _snapshot(steps, cursor).blocks[b].ref_count) for b in blocks]
    numbers = listed(words, (words.text("figures.refcount.one", block=b, ref=n) for b, n in counts))
    operation = _operation(steps[cursor - 1], words) if cursor else words.text("figures.refcount.start")
    return words.text("figures.refcount.sentence", step=cursor, operation=operation, counts=numbers)


def _table(steps: Sequence[Step], shown: range, blocks: Sequence[int], words: Words) -> pd.DataFrame:
    names = [words.text("figures.refcount.step"), words.text("figures.refcount.operation")]
    names += [words.text("figures.memory.block", block=b) for b in blocks]
    rows = []
    for state in shown if steps else ():
        operation = _operation(steps[state - 1], words) if state else words.text("figures.refcount.start")
        rows.append([state, operation, *(_snapshot(steps, state).blocks[b].ref_count for b in blocks)])
    return pd.DataFrame(rows, columns=names)


def ledger(snapshot: Snapshot, words: Words) -> pd.DataFrame:
    """Who holds what: a row for each entry of each block_table. Pure."""
    names = ("request", "page", "block", "slots", "tokens", "empty", "ref", "shared_with")
    rows = []
    for view in snapshot.sequences:
        for page, block in enumerate(view.block_table):
            tokens = view.page(page)
            others = [owner(*entry) for entry in snapshot.owners(block) if entry != (view.seq_id, page)]
            first = block * snapshot.block_size
            last = first + len(tokens) - 1
            rows.append(
                (
                    view.seq_id,
                    page,
                    block,
                    f"{first}–{last}" if last > first else str(first),
                    " ".join(words.token(token) for token in tokens),
                    snapshot.block_size - len(tokens),
                    snapshot.blocks[block].ref_count,
                    listed(words, others),
                )
            )
    return pd.DataFrame(rows, columns=[words.text(f"figures.ledger.{name}") for name in names])
