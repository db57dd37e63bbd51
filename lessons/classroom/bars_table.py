"""Answers as bars in a table: what was answered, what is behind it, and how many, for one or two rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lessons.server.asset_files import read_style

STYLE = read_style("components/bars_table/bars_table.css")


@dataclass(frozen=True)
class BarsRow:
    """One row. `texts`: its first cells. `right`: shown in colour, pattern and a sign. `address`: opens an example."""

    texts: tuple[str, ...]
    counts: tuple[int, ...]
    right: bool = False
    address: str = ""


def build_bars_table(
    caption: str, titles: Sequence[str], totals: Sequence[int], rows: Sequence[BarsRow], opens: str = ""
) -> str:
    """Return the table as HTML with all text escaped.

    titles  of all columns: those of the texts, then those of the rounds.
    totals  100 % of each round.
    opens   the text of the links to the rows' addresses; they open in another tab.
    """
    titles = [*titles, opens] if opens and any(row.address for row in rows) else titles
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(_build_row(row, totals, opens) for row in rows)
    return f'{STYLE}<table class="kv-bars"><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>'


def _build_row(row: BarsRow, totals: Sequence[int], opens: str) -> str:
    mark, kind = ("✓", "right") if row.right else ("≠", "wrong")
    first, *others = map(escape, row.texts)
    cells = "".join(f"<td>{text}</td>" for text in others)
    cells += "".join(_build_bar(count, total) for count, total in zip(row.counts, totals, strict=True))
    if row.address:
        label = escape(f"{opens}: {row.texts[0]}")
        link = f'<a href="{escape(row.address)}" target="_blank" aria-label="{label}">{escape(opens)}</a>'
        cells += f'<td class="example">{link}</td>'
    return f'<tr class="{kind}"><th scope="row">{mark} {first}</th>{cells}</tr>'


def _build_bar(count: int, total: int) -> str:
    percent = 100 * count / total if total else 0
    bar = f'<span class="bar" style="width:{percent:.1f}%"></span>' if count else ""
    return f'<td class="round"><span class="number">{count} · {percent:.0f}%</span>{bar}</td>'
