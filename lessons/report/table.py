"""One attempt, case or round of the report as HTML, the same on the page and in the file. All text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from lessons.report.row import ReportRow
from lessons.report.summary import format_mark, format_same, format_sureness, format_title
from lessons.text.translations import Translations

# On a narrow screen each answer is a card and each cell a line with its column's name: six columns would be too many.
STYLE = """
.kv-report table { border-collapse: collapse; width: 100%; font-size: .88rem; }
.kv-report th, .kv-report td { border: 1px solid color-mix(in srgb, currentColor 45%, transparent);
  padding: .3rem .45rem; text-align: left; vertical-align: top; }
.kv-report td { overflow-wrap: anywhere; }
.kv-report th { background: color-mix(in srgb, currentColor 8%, transparent); overflow-wrap: normal; }
.kv-report td:last-child { min-width: 9em; } .kv-report td.sure { overflow-wrap: normal; }
.kv-report h3 { font-size: 1rem; margin: 1rem 0 .3rem; padding: 0; }
.kv-report thead { display: table-header-group; }
.kv-report tr, .kv-report blockquote { break-inside: avoid; }
.kv-report td.same { white-space: nowrap; } .kv-report tr.no td.same { font-weight: 700; }
.kv-report .mark { font-weight: 400; border: 1px solid currentColor; border-radius: .6rem; padding: 0 .5rem;
  margin-left: .4rem; }
.kv-report .wrong { display: block; border-left: 3px dashed #c2560c; padding-left: .4rem; margin-bottom: .2rem; }
.kv-report .state, .kv-report .state code { font-size: .78rem; overflow-wrap: anywhere; margin: .1rem 0; }
.kv-report blockquote { margin: .3rem 0; padding: .3rem .8rem; border-left: 3px solid currentColor;
  white-space: pre-wrap; overflow-wrap: anywhere; }
@media screen and (max-width: 640px) {
  .kv-report thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .kv-report :is(table, tbody, tr, td) { display: block; width: auto; min-width: 0 !important; }
  .kv-report tr { border: 1px solid color-mix(in srgb, currentColor 45%, transparent); border-radius: .4rem;
    margin-bottom: .6rem; padding: .2rem .5rem; }
  .kv-report td { border: 0; padding: .2rem 0; }
  .kv-report td::before { content: attr(data-column); display: block; font-size: .8rem; font-weight: 700; }
  .kv-report td:empty { display: none; }
}
"""
_COLUMNS = ("question", "predicted", "sure", "engine", "same", "idea")


def build_group_html(rows: Sequence[ReportRow], words: Translations, *, with_state: bool) -> str:
    """Return an attempt, case or round as HTML. `with_state` adds the address that opens it."""
    first, mark = rows[0], format_mark(rows[0], words)
    mark_html = f'<span class="mark">{escape_text(mark)}</span>' if mark else ""
    title = format_marks(format_title(rows, words)) + mark_html
    head = f"<h3>{title}</h3>" if title else ""
    if first.state and with_state:
        head += f'<p class="state"><code>{escape_text(first.state)}</code></p>'
    if first.written:
        return head + "".join(_build_written(row, words) for row in rows)
    names = {name: escape_text(words.text(f"report.column.{name}")) for name in _COLUMNS}
    heads = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in names.values())
    lines = "".join(_build_line(row, names, words) for row in rows)
    return (
        f'{head}<table role="table"><thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{lines}</tbody></table>'
    )


def _build_written(row: ReportRow, words: Translations) -> str:
    after = f"<p>{format_marks(row.engine)}</p>" if row.engine else ""
    return (
        f"<p>{format_marks(row.question)}</p><blockquote>{escape_text(row.predicted)}</blockquote>"
        f"{_mark_wrong(row, words)}{after}"
    )


def _build_line(row: ReportRow, names: dict[str, str], words: Translations) -> str:
    cells = {
        "question": format_marks(row.question),
        "predicted": format_marks(row.predicted),
        "sure": escape_text(format_sureness(row, words)),
        "engine": format_marks(row.engine),
        "same": escape_text(format_same(row, words)),
        "idea": _mark_wrong(row, words) + format_marks(row.why),
    }
    cells_html = "".join(
        f'<td role="cell" class="{name}" data-column="{names[name]}">{cell}</td>' for name, cell in cells.items()
    )
    return f'<tr role="row" class="{row.same or "open"}">{cells_html}</tr>'


def _mark_wrong(row: ReportRow, words: Translations) -> str:
    """Mark a misconception as wrong, so that nobody takes it for the explanation beside it."""
    return f'<span class="wrong">{format_marks(words.text("report.wrong", idea=row.idea))}</span>' if row.idea else ""


def clean_text(text: str) -> str:
    """Remove control characters except line breaks and tabs, and replace lone surrogates."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text.replace("\r\n", "\n")).encode("utf-8", "replace").decode()


def escape_text(text: str) -> str:
    """Escape any text, cleaned, for HTML."""
    return escape(clean_text(text))


def format_marks(text: str) -> str:
    """Escape the lab's own text and turn its `code` and **bold** marks into HTML."""
    coded = re.sub(r"`([^`]*)`", r"<code>\1</code>", escape_text(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", coded)
