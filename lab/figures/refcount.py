"""ref_count over time, and the ledger: which request holds which block."""

from __future__ import annotations

from collections.abc import Sequence

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Point, Rect
from lab.figures.measure import fit_size, measure_text
from lab.figures.memory.metrics import Metrics, get_metrics
from lab.figures.phrases import format_list, format_owner
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.late_imports import pandas as pd
from lab.trace.operations import name_operation
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step

BACK, CELLS, FRAMES, TEXTS = range(4)


def draw_refcount(
    steps: Sequence[Step],
    words: Words,
    theme: Theme = LIGHT,
    *,
    columns: int = 8,
    inside: tuple[int, int] | None = None,
) -> Picture:
    """ref_count of every block ever used, one column a step, the last one highlighted; a long history scrolls. Pure.

    inside    (event, events): the last step is shown after its first `event` of `events` events.
    """
    m = get_metrics(columns)
    shown = range(len(steps) + 1)  # states: 0 is the start
    blocks = list_blocks_ever_used(steps)
    name_width = (84 if m.wide else 58) if blocks else 0
    needed = name_width + 2 * m.gutter + (44 if m.wide else 36) * len(shown)
    scrolls = needed > m.width
    needed += name_width if scrolls else 0  # the names once more, at the right end
    width = max(m.width, needed)
    left, top = m.gutter + name_width, m.label_size * (5.6 if inside else 4.4)
    right = width - m.gutter - (name_width if scrolls else 0)
    cell = (min(84 if m.wide else 60, (right - left) / len(shown)), m.cell_height + 2)
    canvas = Canvas(theme, width, m.label_size, "refcount")
    grid = _CountGrid(canvas, words, m, (left, top), cell)
    for state in shown:
        grid.header(state, steps[state - 1] if state else None, last=state == len(steps))
    grid.light(len(steps), inside, len(blocks))
    for j, block in enumerate(blocks):
        y = top + (j + 0.5) * cell[1]
        text = words.text("figures.memory.block", block=block)
        for x in (m.gutter, right + 8)[: 1 + scrolls]:
            canvas.text(TEXTS, "block_names", x, y, text, size=m.label_size, color=theme.ink, anchor="left")
        for state in shown:
            before = _get_snapshot(steps, state - 1).blocks[block].ref_count if state else None
            grid.cell((state, j), _get_snapshot(steps, state), block, before)
    if not blocks:
        empty = words.text("figures.refcount.nothing")
        y = top + cell[1] / 2
        canvas.text(TEXTS, "note", m.gutter, y, empty, size=m.label_size, color=theme.muted, anchor="left")
    height = top + max(1, len(blocks)) * cell[1] + 8
    long = {"min_width": needed, "max_width": 0, "scroll_end": True} if scrolls else {}
    return Picture(
        canvas.spec(height, m.meta | long),
        _describe(steps, blocks, inside, words),
        lambda: _tabulate(steps, blocks, inside, words),
    )


class _CountGrid:
    """Draws the cells and the column headers."""

    def __init__(self, canvas: Canvas, words: Words, m: Metrics, corner: Point, cell: Point) -> None:
        self.canvas, self.words = canvas, words
        self.left, self.top = corner
        self.width, self.height = cell
        squeezed = canvas.width <= m.width  # else the figure scrolls instead
        self.room = self.width * (m.squeeze if squeezed else 1)
        self.size, self.smallest = m.label_size, m.smallest
        self.theme = canvas.theme

    def light(self, state: int, inside: tuple[int, int] | None, rows: int) -> None:
        """Highlight the current column; dashed and with its event number if the step is not over."""
        theme, x = self.theme, self.left + (state + 0.5) * self.width
        box = Rect(x - self.width / 2 + 1, 2, x + self.width / 2 - 1, self.top + rows * self.height + 4)
        self.canvas.fill(BACK, "now", theme.panel, box.outline(6))
        self.canvas.line(FRAMES, "now", theme.lit, box.outline(6), width=2, dash="5px,3px" if inside else "solid")
        badge = Rect(x - self.size * 1.3, 5, x + self.size * 1.3, 5 + self.size * 1.45)
        self.canvas.fill(CELLS, "now", theme.lit, badge.outline(6))
        y, size = 5 + self.size * 0.72, self.size
        self.canvas.text(TEXTS, "steps", x, y, str(state), size=size, color=theme.lit_ink, bold=True)
        if inside:
            values = {"event": inside[0], "events": inside[1]}
            text = self.words.text("figures.refcount.inside", **values)
            if measure_text(text, self.smallest, bold=True) > self.room * 0.9:
                text = self.words.text("figures.refcount.inside_short", **values)
            size = fit_size(text, self.room * 0.88, self.size, self.smallest, bold=True)
            self.canvas.text(TEXTS, "inside", x, y + self.size * 3.9, text, size=size, color=theme.ink, bold=True)

    def header(self, state: int, step: Step | None, *, last: bool) -> None:
        """Number, operation and request of a step."""
        words, theme, x = self.words, self.theme, self.left + (state + 0.5) * self.width
        y = 5 + self.size * 0.72
        if not last:
            self.canvas.text(TEXTS, "steps", x, y, str(state), size=self.size, color=theme.muted)
        if step is None:
            verb, seq_id, color = words.text("figures.refcount.start"), "", theme.muted
        else:
            seq_id = step.operation.seq_id
            color = theme.hues[request_style(seq_id)[0]].ink
            verb = words.text(f"figures.operation.{name_operation(step.operation)}")
            if measure_text(verb, self.smallest) > self.room * 0.9:
                verb = words.text(f"figures.operation_short.{name_operation(step.operation)}")
            if step.refusal is not None:
                seq_id += " " + words.text("figures.refcount.refused")
        size = fit_size(verb, self.room * 0.88, self.size, self.smallest)
        self.canvas.text(TEXTS, "operations", x, y + self.size * 1.5, verb, size=size, color=color)
        size = fit_size(seq_id, self.room * 0.88, self.size, self.smallest, bold=True)
        self.canvas.text(TEXTS, "operations", x, y + self.size * 2.7, seq_id, size=size, color=color, bold=True)

    def cell(self, place: tuple[int, int], snapshot: Snapshot, block: int, before: int | None) -> None:
        """The count of a block after a step, and whether the step changed it. `place`: column and row."""
        theme = self.theme
        x, y = self.left + place[0] * self.width, self.top + place[1] * self.height
        box = Rect(x + 4, y + 2, x + self.width - 4, y + self.height - 2)
        count = snapshot.blocks[block].ref_count
        requests = list(dict.fromkeys(seq_id for seq_id, _ in snapshot.owners(block)))
        if count:
            tints = [theme.hues[request_style(seq_id)[0]].tint for seq_id in requests]
            band = box.height / len(tints)
            for i, tint in enumerate(tints):
                part = Rect(box.x0, box.y0 + i * band, box.x1, box.y0 + (i + 1) * band)
                self.canvas.fill(CELLS, "counts", tint, part.outline())
        if before is not None and before != count:
            self.canvas.line(FRAMES, "changed", theme.changed_line, box.outline(), width=2)
        elif count:
            self.canvas.line(FRAMES, "counts", theme.cell, box.outline())
        color, bold = (theme.ink, True) if count else (theme.muted, False)
        self.canvas.text(TEXTS, "counts", box.cx, box.cy, str(count), size=self.size + 1, color=color, bold=bold)


def list_blocks_ever_used(steps: Sequence[Step]) -> tuple[int, ...]:
    """Blocks that a request held after any step, by id."""
    used = {b for step in steps for b in step.after.used_block_ids}
    return tuple(sorted(used | (steps[0].before.used_block_ids if steps else frozenset())))


def _get_snapshot(steps: Sequence[Step], state: int) -> Snapshot:
    return steps[state - 1].after if state else steps[0].before


def _format_operation(step: Step, words: Words) -> str:
    text = f"{words.text(f'figures.operation.{name_operation(step.operation)}')} {step.operation.seq_id}"
    return text if step.refusal is None else f"{text} {words.text('figures.refcount.refused')}"


def _describe(steps: Sequence[Step], blocks: Sequence[int], inside: tuple[int, int] | None, words: Words) -> str:
    if not blocks:
        return words.text("figures.refcount.nothing")
    counts = [(b, steps[-1].after.blocks[b].ref_count) for b in blocks]
    numbers = format_list(words, (words.text("figures.refcount.one", block=b, ref=n) for b, n in counts))
    values = {"step": len(steps), "operation": _format_operation(steps[-1], words), "counts": numbers}
    if inside:
        return words.text("figures.refcount.sentence_inside", event=inside[0], events=inside[1], **values)
    return words.text("figures.refcount.sentence", **values)


def _tabulate(
    steps: Sequence[Step], blocks: Sequence[int], inside: tuple[int, int] | None, words: Words
) -> pd.DataFrame:
    names = [words.text("figures.refcount.step"), words.text("figures.refcount.operation")]
    names += [words.text("figures.memory.block", block=b) for b in blocks]
    rows = []
    for state in range(len(steps) + 1) if steps else ():
        operation = _format_operation(steps[state - 1], words) if state else words.text("figures.refcount.start")
        if inside and state == len(steps):
            values = {"operation": operation, "event": inside[0], "events": inside[1]}
            operation = words.text("figures.refcount.operation_inside", **values)
        rows.append([state, operation, *(_get_snapshot(steps, state).blocks[b].ref_count for b in blocks)])
    return pd.DataFrame(rows, columns=names)


def tabulate_ledger(snapshot: Snapshot, words: Words) -> pd.DataFrame:
    """A row for each entry of each block_table. Pure."""
    names = ("request", "page", "block", "slots", "tokens", "empty", "ref", "shared_with")
    rows = []
    for view in snapshot.sequences:
        for page, block in enumerate(view.block_table):
            tokens = view.page(page)
            others = [format_owner(*entry) for entry in snapshot.owners(block) if entry != (view.seq_id, page)]
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
                    format_list(words, others),
                )
            )
    return pd.DataFrame(rows, columns=[words.text(f"figures.ledger.{name}") for name in names])
