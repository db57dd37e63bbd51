"""The report as a file to hand in: HTML that stands alone and prints well, and CSV. What a learner wrote is data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd

from lessons.report_row import Row
from lessons.report_summary import by_part, mark_said, part_name, same_said, summary, sure_said, titled
from lessons.text import WordsOf

COLUMNS = ("part", "attempt", "question", "predicted", "sure", "engine", "same", "mark", "idea", "state")
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; color: #16212b;
  background: #fff; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin: 1.6rem 0 .4rem; border-bottom: 2px solid #16212b; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; } h2, h3 { break-after: avoid; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { border: 1px solid #8a949c; padding: .3rem .45rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; } th { background: #eef2f4; overflow-wrap: normal; }
td:last-child { min-width: 7em; } td:nth-child(3) { min-width: 3.2em; }
thead { display: table-header-group; } tr, blockquote { break-inside: avoid; }
td.same { white-space: nowrap; } tr.no td.same { font-weight: 700; }
.mark { font-weight: 400; border: 1px solid #8a949c; border-radius: .6rem; padding: 0 .5rem; margin-left: .4rem; }
.state, .state code { font-size: .78rem; color: #4a555e; overflow-wrap: anywhere; margin: .1rem 0; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
blockquote { margin: .3rem 0; padding: .3rem .8rem; border-left: 3px solid #16212b; white-space: pre-wrap;
  overflow-wrap: anywhere; }
@page { size: A4; margin: 14mm; }
@media print { body { font-size: 10pt; max-width: none; margin: 0; padding: 0; } }
"""


@dataclass(frozen=True)
class Made:
    """When a file was made: the day (YYYY-MM-DD) in that time zone."""

    day: str
    zone: str


def made(now: datetime, zone: str | None) -> Made:
    """The day in the time zone that the browser names; in UTC where it names none that is known. `now`: aware."""
    try:
        there = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        there = None
    return Made(now.astimezone(there or UTC).date().isoformat(), there.key if there else "UTC")


def as_html(rows: Sequence[Row], name: str, made: Made, words: WordsOf) -> str:
    """One file that needs nothing else: no script, no picture, no font. `name` is the learner's, as typed."""
    who = f"<p><strong>{_text(words.text('report.who', name=_clean(name)))}</strong></p>" if name.strip() else ""
    title = _text(words.text("report.file_title"))
    day = _text(words.text("report.made", day=made.day, zone=made.zone))
    lines = "".join(f"<li>{_marked(line)}</li>" for line in summary(rows, words))
    parts = "".join(_part(part_name(part, words), groups, words) for part, groups in by_part(rows))
    language = {"zh": "zh-CN"}.get(words.language, words.language)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main><h1>{title}</h1>{who}<p>{day}</p>"
        f"<p>{_marked(words.text('report.file_lead'))}</p><h2>{_text(words.text('report.summary'))}</h2>"
        f"<ul>{lines}</ul>{parts}</main></body></html>\n"
    )


def _part(name: str, groups: Sequence[Sequence[Row]], words: WordsOf) -> str:
    return f"<section><h2>{_text(name)}</h2>{''.join(_group(group, words) for group in groups)}</section>"


def _group(rows: Sequence[Row], words: WordsOf) -> str:
    """One attempt, case or round."""
    first, mark = rows[0], mark_said(rows[0], words)
    said = f'<span class="mark">{_text(mark)}</span>' if mark else ""
    title = _marked(titled(rows, words)) + said
    head = f"<h3>{title}</h3>" if title else ""
    if first.state:
        head += f'<p class="state"><code>{_text(first.state)}</code></p>'
    if first.written:
        return head + "".join(
            f"<p>{_marked(row.question)}</p><blockquote>{_text(row.predicted)}</blockquote>"
            + (f"<p>{_marked(row.engine)}</p>" if row.engine else "")
            for row in rows
        )
    names = ("question", "predicted", "sure", "engine", "same", "idea")
    heads = "".join(f'<th scope="col">{_text(words.text(f"report.column.{name}"))}</th>' for name in names)
    return (
        f"{head}<table><thead><tr>{heads}</tr></thead><tbody>{''.join(_line(r, words) for r in rows)}</tbody></table>"
    )


def _line(row: Row, words: WordsOf) -> str:
    return (
        f'<tr class="{row.same or "open"}"><td>{_marked(row.question)}</td><td>{_marked(row.predicted)}</td>'
        f"<td>{_text(sure_said(row, words))}</td><td>{_marked(row.engine)}</td>"
        f'<td class="same">{_text(same_said(row, words))}</td><td>{_marked(row.idea)}</td></tr>'
    )


def _clean(text: str) -> str:
    """Without control characters but line breaks and tabs, and without lone surrogates."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text.replace("\r\n", "\n")).encode("utf-8", "replace").decode()


def _text(text: str) -> str:
    return escape(_clean(text))


def _marked(text: str) -> str:
    """The lab's own words, with their code and their stress."""
    coded = re.sub(r"`([^`]*)`", r"<code>\1</code>", _text(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", coded)


def as_csv(rows: Sequence[Row], name: str, made: Made) -> bytes:
    """One line an answer, UTF-8 with a mark at its beginning, so that a spreadsheet reads Chinese.

    `part`, `sure`, `same` and `mark` are codes, the same in every language. A column `name` is first if given;
    `made`, the last, is the day.
    """
    table = pd.DataFrame(
        [
            {
                column: _cell(str(getattr(row, column)) if row.written else _plain(str(getattr(row, column))))
                for column in COLUMNS
            }
            for row in rows
        ],
        columns=list(COLUMNS),
    )
    table["made"] = made.day
    if name.strip():
        table.insert(0, "name", _cell(name.strip()))
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _plain(text: str) -> str:
    """The lab's own words without their marks."""
    return text.replace("**", "").replace("`", "")


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    cleaned = _clean(text)
    return f"'{cleaned}" if cleaned.lstrip().startswith(_FORMULA) else cleaned


_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
