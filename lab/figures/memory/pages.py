"""The upper part of the memory picture: requests, their tokens in logical pages."""

from __future__ import annotations

from lab.figures.measure import fit_size, measure_text
from lab.figures.memory.layout import CardBox
from lab.figures.memory.pen import TEXTS, Pen
from lab.figures.phrases import count, format_owner, is_releasing
from lab.figures.theme import request_style
from lab.trace.snapshot import SequenceView


def draw_pages(pen: Pen) -> None:
    """Every live request, or a line that says there are none."""
    _draw_names(pen)
    if not pen.snapshot.sequences:
        text, middle = pen.words.text("figures.memory.no_requests"), pen.layout.zone.y0 / 2
        size, color = pen.m.title_size, pen.theme.muted
        pen.canvas.text(TEXTS, "requests", pen.m.width / 2, middle, text, size=size, color=color)
    for view in pen.snapshot.sequences:
        for (seq_id, page), card in pen.layout.pages.items():
            if seq_id == view.seq_id:
                _draw_page(pen, view, page, card)


def _draw_names(pen: Pen) -> None:
    """'A · 11 tokens' above a request's first page, 'A …' where the request continues in another row."""
    m = pen.m
    names = []
    for seq_id, first, box in pen.layout.labels:
        view = pen.snapshot.sequence(seq_id)
        text = pen.words.text("figures.memory.continued", seq=seq_id)
        if view is not None and first:
            tokens = count(pen.words, "figures.tokens", view.num_tokens)
            text = pen.words.text("figures.memory.request", seq=seq_id, tokens=tokens)
            if pen.layout.page_rows > 1:  # lines from the row above pass on both sides
                name = pen.words.text("figures.memory.name", seq=seq_id)
                shorter = (text, f"{name} · {view.num_tokens}", name, f"{seq_id} · {view.num_tokens}", seq_id)
                text = next((each for each in shorter if measure_text(each, m.smallest, True) <= box.width), seq_id)
        names.append((seq_id, text, box))
    sizes = [fit_size(text, box.width * m.squeeze, m.title_size, m.smallest, bold=True) for _, text, box in names]
    for seq_id, text, box in names:
        y, color = box.y1 - m.label * 0.42, pen.hue(seq_id).ink
        pen.canvas.text(TEXTS, "requests", box.x0, y, text, size=min(sizes), color=color, anchor="left", bold=True)


def _draw_page(pen: Pen, view: SequenceView, page: int, card: CardBox) -> None:
    """One logical page; dashed and without colour while it has no block."""
    theme, m, box, seq_id = pen.theme, pen.m, card.box, view.seq_id
    hue = pen.hue(seq_id)
    real, new = page < len(view.block_table), (seq_id, page) in pen.change.pages
    head, foot = box.y0 + m.head / 2, box.y1 - (m.head if m.chips else m.foot) / 2
    if not m.chips:
        pen.label("page_names", box, head, _page_name(pen, seq_id, page, box.width), color=theme.muted)
    number = f"{page}" if m.chips else ""
    if real:
        pen.card(box, hue.line, 2.0, request_style(seq_id)[1])
        block_id = view.block_table[page]
        text = f"{number}→ {block_id}" if m.brief else pen.words.text("figures.memory.goes_to", block=block_id)
        pen.label("page_blocks", box, foot, text, color=hue.ink, bold=True)
    else:
        pen.card(box, hue.line, 1.5, "3px,4px")
        key = "released" if is_releasing(pen.change, seq_id) else "no_page"
        text = f"{number}→ –" if m.brief else pen.words.text(f"figures.memory.{key}")
        pen.label("page_blocks", box, foot, text, color=hue.ink)
    if new:
        pen.halo(box)
        if not m.brief:  # on a narrow card the halo alone shows it
            _draw_new_tag(pen, card, view.block_table[page])
    for offset, cell in enumerate(card.cells):
        position = page * view.block_size + offset
        if position < view.num_tokens:
            pen.live(cell, [seq_id], filled=real)
            pen.token("page_tokens", cell, view.token_ids[position], theme.ink)
            pen.hit(cell, f"token:{seq_id}:{position}")
            if (seq_id, position) in pen.change.tokens and not new:
                pen.mark(cell)
        elif real:
            pen.empty(cell)
    for y in (head, foot):
        pen.hit_line(box, y, m.head, f"page:{seq_id}:{page}")


def _page_name(pen: Pen, seq_id: str, page: int, width: float) -> str:
    """The longest name that fits a card of that width; the short form, A0, is also the owner's name on a block."""
    names = [pen.words.text(f"{key}.page", page=page) for key in ("figures.memory", "figures_chain")]
    room = width * pen.m.squeeze - 3
    return next((name for name in names if measure_text(name, pen.m.smallest) <= room), format_owner(seq_id, page))


def _draw_new_tag(pen: Pen, card: CardBox, block_id: int) -> None:
    """'new' at a lower corner of a page's halo, away from its connector."""
    box, text = card.box, pen.words.text("figures.memory.new")
    to_right = card.row < pen.layout.page_rows - 1 or pen.layout.blocks[block_id].box.cx > box.cx
    right = box.x0 + pen.tag_width(text) if to_right else box.x1
    pen.tag(right, box.y1 + 4, text)
