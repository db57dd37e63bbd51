"""One attempt, case or round of the report as HTML, the same on the page and in the file. All text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from lab.quiz.words import format_idea
from lessons.activity.report_row import ReportRow
from lessons.report.summary import format_mark, format_same, format_sureness, format_title
from lessons.server.asset_files import read_assets
from lessons.text.translations import Translations

STYLE = read_assets("components/report/report_table.css")
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
    after = "".join(f"<p>{format_marks(text)}</p>" for text in (row.why, row.engine) if text)
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
    return f'<tr role="row" class="{row.right or "open"}">{cells_html}</tr>'


def _mark_wrong(row: ReportRow, words: Translations) -> str:
    """Mark a misconception as wrong, so that nobody takes it for the explanation beside it."""
    if not row.idea_id:
        return ""
    return (
        f'<span class="wrong">{format_marks(words.text("report.wrong", idea=format_idea(row.idea_id, words)))}</span>'
    )


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
