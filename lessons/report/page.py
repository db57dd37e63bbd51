"""The report page: each prediction made in this browser beside its outcome, and files to hand in."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from lessons.activity.flow import wait_for_engine
from lessons.activity.report_row import ReportRow
from lessons.memory import jobs
from lessons.report.download import build_csv, build_file_name, build_html
from lessons.report.rows import build_rows
from lessons.report.summary import format_part, group_by_part, summarize
from lessons.report.table import STYLE, build_group_html
from lessons.report.weakest import find_weakest, format_weak
from lessons.state import attempts, notes, record
from lessons.text.dates import get_date
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards

MAX_NAME = 80


def _get_rows(words: Translations) -> list[ReportRow]:
    """Build all rows again only if the record, the address or the results have changed."""
    seen = (record.read(), attempts.get_link(), jobs.count_done())
    cached = notes.get_note("report")
    if cached is None or cached[0] != seen:
        cached = (seen, build_rows(words))
        notes.set_note("report", cached)
    rows: list[ReportRow] = cached[1]
    return rows


def _offer_downloads(rows: list[ReportRow], words: Translations) -> None:
    """Ask for a name to put in the files, and offer both. A file is built when its button is pressed."""
    zone = attempts.get_time_zone()
    site = attempts.get_page_address().rstrip("/").removesuffix("/report")
    with st.container(border=True, key="report_files"):
        cards.draw_heading(2, words.text("report.files"))
        st.markdown(words.text("report.files_lead"))
        name = st.text_input(words.text("report.name"), key="report_name", max_chars=MAX_NAME, autocomplete="off")
        whose = str(name or "")
        builds = {
            "html": lambda: build_html(rows, whose, get_date(datetime.now(UTC), zone), words).encode(),
            "csv": lambda: build_csv(rows, whose, get_date(datetime.now(UTC), zone), words, site),
        }
        with st.container(horizontal=True):
            for ending, build in builds.items():
                st.download_button(
                    words.text(f"report.{ending}"),
                    build,
                    file_name=build_file_name(whose, ending),
                    mime=f"text/{ending}",
                    key=f"report_{ending}",
                    type="primary" if ending == "html" else "secondary",
                    on_click="ignore",
                )


def _draw_details(rows: list[ReportRow], words: Translations) -> None:
    """Draw each part in a closed expander. Printing opens all of them."""
    cards.draw_heading(2, words.text("report.details"))
    st.html(f"<style>{STYLE}</style>")
    for part, groups in group_by_part(rows):
        count = sum(map(len, groups))
        title = words.text("report.part_title", name=format_part(part, words), count=count)
        with st.expander(title, key=f"report_{part}"):
            html = "".join(build_group_html(group, words, with_state=False) for group in groups)
            st.html(f'<div class="kv-report">{html}</div>')


def _draw_weakest(rows: list[ReportRow], words: Translations) -> None:
    found = find_weakest(rows)
    if found:
        cards.draw_heading(2, words.text("report.weakest"))
        st.markdown("\n".join(f"{n}. {format_weak(weak, words)}" for n, weak in enumerate(found, 1)))


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    cards.draw_heading(1, words.text("report.title"))
    st.markdown(words.text("report.lead"))
    if not record.is_known():  # the browser has not sent its record yet
        return
    wait_for_engine(words)
    rows = _get_rows(words)
    if not rows:
        st.info(words.text("report.empty"))
        return
    _draw_weakest(rows, words)
    cards.draw_heading(2, words.text("report.summary"))
    st.markdown("\n".join(f"- {line}" for line in summarize(rows, words)))
    _offer_downloads(rows, words)
    _draw_details(rows, words)


draw_page()
