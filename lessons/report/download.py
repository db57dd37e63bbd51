"""The report as a file to hand in: self-contained HTML that prints well, or CSV. Learners' text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lab.course_reports.report_file import CODES
from lab.quiz.words import format_idea
from lab.trace.late_imports import pandas as pd
from lessons.activity.report_row import ReportRow
from lessons.report.summary import format_part, group_by_part, summarize
from lessons.report.table import build_group_html, clean_text, escape_text, format_marks
from lessons.report.weakest import find_weakest, format_weak
from lessons.server.asset_files import read_assets
from lessons.text.dates import MadeOn
from lessons.text.translations import Translations

MAX_IN_FILE_NAME = 40
# Codes first: the same in every language. Then the words.
COLUMNS = (*CODES, "attempt", "question", "predicted", "engine", "idea", "why")
_STYLE = read_assets("components/report/report_file.css", "components/report/report_table.css")


def build_file_name(name: str, ending: str) -> str:
    """Return a file name with the learner's name or number in it, limited to characters that every system allows."""
    whose = "-".join(re.findall(r"\w+", clean_text(name)))[:MAX_IN_FILE_NAME].strip("-")
    return f"{'-'.join(filter(None, ('paged-kv-lab-report', whose)))}.{ending}"


def build_html(rows: Sequence[ReportRow], name: str, made: MadeOn, words: Translations) -> str:
    """Return one self-contained page without scripts, images or fonts. `name` is what the learner typed."""
    who = (
        f"<p><strong>{escape_text(words.text('report.who', name=clean_text(name)))}</strong></p>"
        if name.strip()
        else ""
    )
    title = escape_text(words.text("report.file_title"))
    day = escape_text(words.text("report.made", day=made.day, zone=made.zone))
    lines = "".join(f"<li>{format_marks(line)}</li>" for line in summarize(rows, words))
    weak = "".join(f"<li>{format_marks(format_weak(each, words))}</li>" for each in find_weakest(rows))
    first = f"<h2>{escape_text(words.text('report.weakest'))}</h2><ol>{weak}</ol>" if weak else ""
    parts = "".join(_build_part(format_part(part, words), groups, words) for part, groups in group_by_part(rows))
    language = {"zh": "zh-CN"}.get(words.language, words.language)
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f'<body><main class="kv-report"><h1>{title}</h1>{who}<p>{day}</p>{first}'
        f"<p>{format_marks(words.text('report.file_lead'))}</p><h2>{escape_text(words.text('report.summary'))}</h2>"
        f"<ul>{lines}</ul>{parts}</main></body></html>\n"
    )


def _build_part(name: str, groups: Sequence[Sequence[ReportRow]], words: Translations) -> str:
    tables = "".join(build_group_html(group, words, with_state=True) for group in groups)
    return f"<section><h2>{escape_text(name)}</h2>{tables}</section>"


def build_csv(rows: Sequence[ReportRow], name: str, made: MadeOn, words: Translations, site: str = "") -> bytes:
    """Return one line for each answer, in UTF-8 with a byte order mark so that spreadsheets read Chinese.

    The columns CODES (see ReportRow) are the same in every language, for programs; `state` is a whole link if `site`,
    the lab's own address, is known. The words for people follow. The column `name` comes first if the learner gave a
    name; the last column, `made`, is the day.
    """
    table = pd.DataFrame([_build_line(row, words, site) for row in rows], columns=list(COLUMNS))
    table["made"] = made.day
    if name.strip():
        table.insert(0, "name", _guard_cell(name.strip()))
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _build_line(row: ReportRow, words: Translations, site: str) -> dict[str, str]:
    cells = {column: str(getattr(row, column, "")) for column in COLUMNS}
    cells["idea"] = format_idea(row.idea_id, words) if row.idea_id else ""
    if row.state:
        cells["state"] = site + row.state
    return {
        column: _guard_cell(text if column in CODES or row.written else _strip_marks(text))
        for column, text in cells.items()
    }


def _strip_marks(text: str) -> str:
    """Remove the Markdown from the lab's own text."""
    return text.replace("**", "").replace("`", "")


def _guard_cell(text: str) -> str:
    """Prevent a spreadsheet from reading the cell as a formula."""
    cleaned = clean_text(text)
    return f"'{cleaned}" if cleaned.lstrip().startswith(_FORMULA) else cleaned


_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
