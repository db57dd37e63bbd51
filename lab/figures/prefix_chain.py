"""The hash chain: how each page is found (by its tokens and the hash before it), and which block holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lab.engine.words import Words
from lab.figures.canvas import Canvas, Rect
from lab.figures.measure import fit_size
from lab.figures.memory.metrics import NARROW
from lab.figures.phrases import count, format_list, format_owner
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme, request_style
from lab.trace.events import format_hash
from lab.trace.hash_chain import ChainLink, build_chain
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import Snapshot

CARDS, CELLS, FRAMES, TEXTS = range(4)


def format_short_hash(value: int) -> str:
    """The first digits of a hash, as in the list of events."""
    return f"{format_hash(value)}…"


def draw_prefix_chain(
    prompts: Mapping[str, Sequence[int]],
    states: Sequence[Snapshot],
    words: Words,
    theme: Theme = LIGHT,
    *,
    hashes: bool = True,
) -> Picture:
    """A row for each request, its pages chained from left to right. Pure. Fits a phone or a narrow column.

    prompts  the requests to show, in order, with their prompts.
    states   the states so far; the last one is the current one.
    hashes   False: only the tokens, page by page.
    """
    links = build_chain(prompts, states)
    m = NARROW
    canvas = Canvas(theme, m.width, m.label_size, "prefix_chain")
    pages = max((link.page for link in links), default=0) + 1
    arrow = 14.0 if hashes else 6.0
    width = (m.width - 2 - (pages - 1) * arrow) / pages
    drawing = _Chain(canvas, words, width, states[-1].block_size, hashes)
    top = 0.0
    for name in prompts:
        row = [link for link in links if link.seq_id == name]
        drawing.name(name, sum(len(link.tokens) for link in row), _classify_request(name, states), top)
        for link in row:
            drawing.card(link, 1 + link.page * (width + arrow), top + drawing.label)
            if hashes and link.before is not None:
                drawing.arrow(link, 1 + link.page * (width + arrow), top + drawing.label, arrow)
        top += drawing.label + drawing.height + 8
    return Picture(
        canvas.spec(top, m.meta),
        _describe(prompts, links, states, words, hashes),
        lambda: _tabulate(links, words, hashes),
    )


def _classify_request(name: str, states: Sequence[Snapshot]) -> str:
    if states[-1].sequence(name):
        return "live"
    return "ended" if any(state.sequence(name) for state in states) else "to_come"


class _Chain:
    """Draws names, cards and arrows."""

    def __init__(self, canvas: Canvas, words: Words, width: float, block_size: int, hashes: bool) -> None:
        self.canvas, self.words, self.hashes = canvas, words, hashes
        self.width, self.block_size = width, block_size
        self.size, self.smallest, self.squeeze = NARROW.label_size, NARROW.smallest - 1, NARROW.squeeze
        self.label = NARROW.label
        self.line = self.size + 4
        self.rows = (block_size + 1) // 2
        self.cell = 19.0
        # a page's number, its tokens two by two; then the hash before it, its own hash, its block
        self.height = self.line + self.rows * self.cell + 4 + (3 * self.line + 4 if hashes else 0)

    def name(self, name: str, tokens: int, life: str, top: float) -> None:
        """The line above a row of pages."""
        text = self.words.text(f"figures_chain.{life}", seq=name, tokens=count(self.words, "figures.tokens", tokens))
        color = self.canvas.theme.hues[request_style(name)[0]].ink
        y = top + self.label / 2
        self.canvas.text(TEXTS, "names", 2, y, text, size=self.size + 1, color=color, anchor="left", bold=True)

    def card(self, link: ChainLink, x: float, top: float) -> None:
        """A page: its tokens, and the hashes that it is found by."""
        canvas, theme, words = self.canvas, self.canvas.theme, self.words
        hue, dash = theme.hues[request_style(link.seq_id)[0]], request_style(link.seq_id)[1]
        box = Rect(x, top, x + self.width, top + self.height)
        shared = link.state == "found" and self.hashes
        canvas.fill(CARDS, "cards", theme.card, box.outline(6))
        name, thick = ("found", 3.0) if shared else ("cards", 1.2)
        canvas.line(FRAMES, name, hue.line, box.outline(6), width=thick, dash=dash)
        title = words.text("figures_chain.page", page=link.page)
        self._text("pages", box.cx, top + self.line / 2 + 1, title, theme.muted)
        for i, token in enumerate(link.tokens):
            half = (self.width - 6) / 2
            left, y = x + 3 + i % 2 * half, top + self.line + 2 + i // 2 * self.cell
            cell = Rect(left + 1, y, left + half - 1, y + self.cell - 2)
            canvas.fill(CELLS, "cells", hue.tint, cell.outline(2))
            size = fit_size(words.token(token), cell.width * self.squeeze - 2, self.size + 1, self.smallest)
            canvas.text(TEXTS, "tokens", cell.cx, cell.cy, words.token(token), size=size, color=theme.ink)
        if not self.hashes or not (link.state or link.hash is not None):
            return
        y = top + self.line + self.rows * self.cell + 4
        before, own = _format_hashes(link, words)
        has_hash = link.hash is not None
        self._text("before", box.cx, y + self.line * 0.5, f"{before} +" if has_hash else "", theme.muted)
        self._text("hashes", box.cx, y + self.line * 1.5, f"# {own}" if has_hash else own, theme.ink, bold=has_hash)
        self._text("blocks", box.cx, y + self.line * 2.5, _format_block(link, words), theme.ink, bold=shared)

    def arrow(self, link: ChainLink, x: float, top: float, gap: float) -> None:
        """From the hash of the page before to this page."""
        y = top + self.line + self.rows * self.cell + 4
        hue = self.canvas.theme.hues[request_style(link.seq_id)[0]]
        start, end = (x - gap, y + self.line * 1.5), (x - 1, y + self.line * 0.5)
        middle = x - gap / 2
        self.canvas.line(FRAMES, "arrows", hue.line, [start, (middle, start[1]), (middle, end[1]), end], width=1.6)
        self.canvas.marker(FRAMES, (x - 3, end[1]), "triangle-right", hue.line, 7)

    def _text(self, name: str, x: float, y: float, text: str, color: str, *, bold: bool = False) -> None:
        size = fit_size(text, (self.width - 6) * self.squeeze, self.size, self.smallest, bold=bold)
        self.canvas.text(TEXTS, name, x, y, text, size=size, color=color, bold=bold)


def _format_hashes(link: ChainLink, words: Words) -> tuple[str, str]:
    """The hash before and the page's own; empty if it is not known. A table would read a leading # as markup."""
    if link.hash is None:
        return "", words.text("figures_chain.not_full") if link.state else ""
    before = words.text("figures_chain.first") if link.before is None else format_short_hash(link.before)
    return before, format_short_hash(link.hash)


def _format_block(link: ChainLink, words: Words) -> str:
    """Which block holds the page, in a form short enough for a card."""
    if not link.state:
        return ""
    holders = format_list(words, [format_owner(*holder) for holder in link.holders])
    return words.text(f"figures_chain.{link.state}", block=format_list(words, link.blocks), holders=holders)


def _describe(
    prompts: Mapping[str, Sequence[int]],
    links: Sequence[ChainLink],
    states: Sequence[Snapshot],
    words: Words,
    hashes: bool,
) -> str:
    parts = []
    for name in prompts:
        row = [link for link in links if link.seq_id == name]
        tokens = count(words, "figures.tokens", sum(len(link.tokens) for link in row))
        parts.append(words.text(f"figures_chain.{_classify_request(name, states)}", seq=name, tokens=tokens))
        for link in row if hashes else ():
            if link.state:
                values = {"page": format_owner(name, link.page), "where": _format_block(link, words)}
                key = "found_by" if link.hash is not None else "found_by_none"
                values["hash"] = format_short_hash(link.hash) if link.hash is not None else ""
                parts.append(words.text(f"figures_chain.{key}", **values))
    return words.text("figures.semicolon").join(parts)


def _tabulate(links: Sequence[ChainLink], words: Words, hashes: bool) -> pd.DataFrame:
    names = ["request", "page", "tokens", *(("before", "hash", "where") if hashes else ())]
    rows = []
    for link in links:
        row: list[object] = [link.seq_id, link.page, " ".join(words.token(token) for token in link.tokens)]
        if hashes:
            row += [*_format_hashes(link, words), _format_block(link, words)]
        rows.append(row)
    return pd.DataFrame(rows, columns=[words.text(f"figures_chain.column_{name}") for name in names])
