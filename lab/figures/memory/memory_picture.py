"""The memory picture: requests in logical pages on top, the physical pool below, the free queue at the bottom."""

from __future__ import annotations

from collections.abc import Collection

from lab.engine.words import Words
from lab.figures.canvas import Canvas
from lab.figures.connectors import route_connectors
from lab.figures.memory.layout import lay_out
from lab.figures.memory.marks import Answered, Marks, draw_answered, draw_marks
from lab.figures.memory.metrics import Detail, compact_metrics, get_metrics
from lab.figures.memory.pages import draw_pages
from lab.figures.memory.parts import break_owner_lines, plan_caption
from lab.figures.memory.pen import EDGES, LINES, Pen
from lab.figures.memory.pool import draw_pool
from lab.figures.memory.queue import draw_queue
from lab.figures.memory.sentences import describe_memory, tabulate_memory
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.snapshot import Difference, Snapshot

NO_CHANGE = Difference({}, frozenset(), frozenset(), frozenset(), (), (), ())
_LOOKS = {True: (2.8, 1.0, 9.0), False: (1.5, 0.6, 7.0), None: (2.0, 0.85, 9.0)}  # width, opacity, head of connectors


def draw_memory(
    snapshot: Snapshot,
    words: Words,
    theme: Theme = LIGHT,
    *,
    changed: Difference | None = None,
    selected: str | None = None,
    columns: int = 8,
    compact: bool = False,
    detail: Detail | None = None,
    clickable: Collection[str] | None = None,
    marks: Marks | None = None,
    hide_tokens: bool = False,
    answered: Answered | None = None,
) -> Picture:
    """Draw one state. Pure.

    changed   outlines what an operation changed; the connectors of its request are strong.
    selected  the request whose connectors are strong instead.
    columns   blocks a row: 8 wide, 4 on a phone.
    compact   the picture shares one view with its buttons: see compact_metrics, which may choose other columns.
    detail    how much of the state is drawn, and how many blocks a row, instead of `columns` and `compact`.
    clickable kinds of targets that a click may name ("page", "token", "slot", "block", "queue"); None: all of them.
    marks     slot -> "predicted", "actual" or "both": where a learner expects a token's KV, and where the run put it.
              Unless it is None, the picture is about slots: each block shows its slot numbers.
    hide_tokens  the pool does not show which slots hold which live tokens, because a question asks for one of them.
    answered  slots or blocks that a learner has marked, and what the run says about them; they may be clicked.
    """
    change = changed or NO_CHANGE
    if detail is None:
        pool = snapshot.num_blocks, snapshot.block_size
        detail = Detail(*(compact_metrics(columns, *pool) if compact else (get_metrics(columns), columns)))
    m, columns = detail.m, detail.columns
    owners = break_owner_lines(snapshot, m, columns)
    caption = plan_caption(snapshot, words, m, marks, answered)
    numbered = marks is not None or (answered is not None and answered.of == "slot")
    lines = [len(lines) + numbered + (m.brief and not m.chips) for lines in owners]
    layout = lay_out(
        snapshot,
        words,
        m,
        columns,
        lines,
        caption_height=caption.height,
        idle=detail.idle,
        more_tokens=detail.tokens,
    )
    canvas = Canvas(theme, layout.m.width, layout.m.label_size, "memory", clickable)
    by_block = answered is not None and answered.of == "block"
    pen = Pen(canvas, layout, snapshot, words, change, numbered, hide_tokens, by_block)
    draw_pages(pen)
    draw_pool(pen, owners, caption)
    draw_marks(pen, marks or {})
    if answered is not None:
        draw_answered(pen, answered)
    _draw_connectors(pen, selected)
    bottom = draw_queue(pen)
    return Picture(
        canvas.spec(bottom, layout.m.meta),
        describe_memory(snapshot, words, change, marks or {}, answered),
        lambda: tabulate_memory(snapshot, words, marks or {}, hide_tokens=hide_tokens, answered=answered),
    )


def _draw_connectors(pen: Pen, selected: str | None) -> None:
    """Strong for the changed or selected request, faint for the others; all equal if there is no such request."""
    tables = [(view.seq_id, view.block_table) for view in pen.snapshot.sequences]
    strong = {selected} if selected else {seq_id for seq_id, _ in pen.change.pages | pen.change.tokens}
    strong &= {seq_id for seq_id, _ in tables}
    if pen.m.chips:  # so many pages that only the lines of one request can be followed; each page names its block
        tables = [(seq_id, table) for seq_id, table in tables if seq_id in strong]
    for connector in route_connectors(pen.layout, tables):
        dash, color = request_style(connector.seq_id)[1], pen.hue(connector.seq_id).line
        width, opacity, head = _LOOKS[connector.seq_id in strong if strong else None]
        width *= 1 if pen.m.wide else 0.75
        name, points = f"connectors:{connector.seq_id}", connector.points
        pen.canvas.line(LINES, name, color, points, width=width, dash=dash, opacity=opacity)
        x, y = points[-1]
        if connector.down:
            pen.canvas.marker(EDGES, (x, y - head / 3), "triangle-down", color, head)
        else:
            pen.canvas.marker(EDGES, (x - head / 3, y), "triangle-right", color, head)
