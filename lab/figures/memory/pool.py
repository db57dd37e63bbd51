"""The lower part of the memory picture: the physical pool, block by block."""

from __future__ import annotations

from lab.figures.canvas import Rect
from lab.figures.measure import fit_size
from lab.figures.memory.layout import CardBox
from lab.figures.memory.marks import draw_slot_numbers
from lab.figures.memory.parts import Caption, Owners, draw_caption, measure_owner
from lab.figures.memory.pen import FRAMES, PANEL, TEXTS, Pen
from lab.figures.phrases import find_in_between, format_owner
from lab.figures.theme import request_style
from lab.trace.snapshot import BlockView, SequenceView

Holders = list[tuple[SequenceView, int]]  # request and logical page
_NULL = "null"  # vLLM's code calls the block null_block


def draw_pool(pen: Pen, owners: list[Owners], caption: Caption) -> None:
    """The panel, every block, and the caption."""
    outline = pen.layout.panel.outline(8)
    pen.canvas.fill(PANEL, "panel", pen.theme.panel, outline)
    pen.canvas.line(PANEL, "panel", pen.theme.panel_line, outline)
    holders: list[Holders] = [[] for _ in pen.snapshot.blocks]
    for view in pen.snapshot.sequences:
        for page, block_id in enumerate(view.block_table):
            holders[block_id].append((view, page))
    between = find_in_between(pen.snapshot)
    for block, card in zip(pen.snapshot.blocks, pen.layout.blocks, strict=True):
        _draw_block(pen, block, card, owners[block.block_id], between=block.block_id in between)
        for offset, cell in enumerate(card.cells):
            _draw_slot(pen, block, offset, cell, holders[block.block_id])
    draw_caption(pen.canvas, pen.layout, caption)


def _draw_block(pen: Pen, block: BlockView, card: CardBox, owners: Owners, *, between: bool) -> None:
    """Frame, id, owners, ref_count. `between`: ref_count is 0 and the block is not free yet."""
    theme, m, box = pen.theme, pen.m, card.box
    requests = list(dict.fromkeys(seq_id for line in owners for seq_id, _ in line))
    _draw_frame(pen, block, box, requests, between=between)
    used = bool(requests)
    head, foot = box.y0 + m.head / 2, (card.cells[-1].y1 if card.cells else box.y0) + m.foot / 2
    if pen.slot_numbers:
        draw_slot_numbers(pen, block.block_id, card, foot + 1.5)
        foot += m.line
    left, right = box.x0 + m.pad + 2, box.x1 - m.pad - 2
    name = str(block.block_id) if m.brief else pen.words.text("figures.memory.block", block=block.block_id)
    color = theme.ink if used else theme.muted
    pen.canvas.text(TEXTS, "block_names", left, head, name, size=m.label_size, color=color, anchor="left", bold=used)
    if block.findable:
        color = theme.ink if used else theme.findable
        x = right  # a mark's badge may be in the corner
        if pen.slot_numbers or pen.block_badges:
            x -= m.badge * (1 if pen.block_badges else 0.7)
        pen.canvas.text(TEXTS, "findable", x, head, "#", size=m.label_size, color=color, anchor="right", bold=True)
    taken = 0.0
    for i, line in enumerate(owners):
        x, y = left, foot + i * m.line
        for seq_id, page in line:
            text, color = format_owner(seq_id, page), pen.hue(seq_id).ink
            pen.canvas.text(TEXTS, "owners", x, y, text, size=m.label_size, color=color, anchor="left", bold=True)
            x += measure_owner(text, m)
        taken = taken or x - left
    if m.brief:
        taken, foot = 0.0, foot + max(1, len(owners)) * m.line
    if not m.chips:  # there the owners stand for the number
        _draw_ref_count(pen, block, Rect(left + taken, foot, right, foot))
    _add_block_targets(pen, block, box, foot, used=used)


def _draw_frame(pen: Pen, block: BlockView, box: Rect, requests: list[str], *, between: bool) -> None:
    """The frame says whose block it is, and whether it can be found by its prefix; a halo, that it has changed."""
    theme = pen.theme
    if len(requests) > 1:
        pen.card(box, theme.ink, 2.4)
    elif requests:
        pen.card(box, pen.hue(requests[0]).line, 2.0, request_style(requests[0])[1])
    elif between:
        pen.card(box, theme.findable, 2.0)
    elif block.findable:
        pen.card(box, theme.findable, 1.4, "5px,3px")
    else:
        pen.card(box, theme.frame, 1.0)
    if block.block_id in pen.change.blocks:
        pen.halo(box)


def _add_block_targets(pen: Pen, block: BlockView, box: Rect, foot: float, *, used: bool) -> None:
    """Click targets for the block: its lines of text; also its middle, if its slots are not targets."""
    target, head = f"block:{block.block_id}", pen.m.head
    pen.hit_line(box, box.y0 + head / 2, head, target)
    if used:
        pen.hit_line(box, foot, head, target)
    if pen.block_badges or not (used or block.written or _are_slots_asked(pen)):
        pen.canvas.hit(box.cx, box.cy, min(box.width, box.height), target)


def _draw_ref_count(pen: Pen, block: BlockView, room: Rect) -> None:
    """'ref 1' on the right, or its old and new value after a change; 'null' on the left of vLLM's null block."""
    width = room.width * pen.m.squeeze
    if block.block_id < pen.snapshot.first_id:
        size, color = fit_size(_NULL, width, pen.m.label_size, pen.m.smallest), pen.theme.muted
        pen.canvas.text(TEXTS, "null", room.x0, room.y0, _NULL, size=size, color=color, anchor="left")
    if block.block_id in pen.change.ref_counts:
        before, after = pen.change.ref_counts[block.block_id]
        text = f"{before}→{after}"
        long = pen.words.text("figures.memory.ref", ref=text)
        pen.tag(room.x1 + 2, room.y0, long if pen.tag_width(long) <= width else text)
    elif block.ref_count:
        text = pen.words.text("figures.memory.ref", ref=block.ref_count)
        size = fit_size(text, width, pen.m.label_size, pen.m.smallest, bold=True)
        color = pen.theme.ink
        pen.canvas.text(TEXTS, "refs", room.x1, room.y0, text, size=size, color=color, anchor="right", bold=True)


def _draw_slot(pen: Pen, block: BlockView, offset: int, cell: Rect, holders: Holders) -> None:
    """One slot: of a live token, empty, with old KV, or never written."""
    theme = pen.theme
    slot, content = block.block_id * pen.snapshot.block_size + offset, block.slots[offset]
    live = [
        (view.seq_id, (view.token_ids[position], position))
        for view, page in holders
        if (position := page * view.block_size + offset) < view.num_tokens
    ]
    written = any(content == expected for _, expected in live)
    if content is not None and not written:
        pen.stale(cell)
    if live:
        pen.live(cell, [seq_id for seq_id, _ in live], filled=written)
    elif block.ref_count:
        pen.empty(cell)
    else:
        pen.canvas.line(FRAMES, "slots:free", theme.cell, cell.outline())
    if content is not None:
        name, color = ("slot_tokens", theme.ink) if written else ("stale_tokens", theme.stale_ink)
        if not (written and pen.hide_tokens):
            pen.token(name, cell, content[0], color)
    if slot in pen.change.slots:
        pen.mark(cell)
    if block.ref_count or content is not None or _are_slots_asked(pen):
        pen.hit(cell, f"slot:{slot}")


def _are_slots_asked(pen: Pen) -> bool:
    """Should a click name a slot? Then slots of unowned or unwritten blocks are targets too."""
    return pen.canvas.clickable is not None and "slot" in pen.canvas.clickable
