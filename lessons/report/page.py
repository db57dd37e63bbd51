"""The report: what this browser's learner really did, each prediction beside its outcome; a file to hand in."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from lessons.activity.flow import wait_for_engine
from lessons.report.row import Row
from lessons.state import attempts, record
from lessons.text.translations import WordsOf
from lessons.text.translations import words as words_of
from lessons.widgets import cards

MAX_NAME = 80


def _rows(words: WordsOf) -> list[Row]:
    """Everything, run again only where the record, the address or the language is another."""
    from lessons.report.memory_rows import done_runs  # noqa: PLC0415
    from lessons.report.rows import everything  # noqa: PLC0415  (torch: after the warm-up)

    seen = (record.read(), attempts.link(), done_runs())
    kept = attempts.noted("report")
    if kept is None or kept[0] != seen:
        kept = (seen, everything(words))
        attempts.note("report", kept)
    rows: list[Row] = kept[1]
    return rows


def _downloads(rows: list[Row], words: WordsOf) -> None:
    """The learner's name, if it is to stand in the file, and the two files, made when they are asked for."""
    from lessons.report.download import as_csv, as_html, file_name, made  # noqa: PLC0415

    zone = attempts.time_zone()
    with st.container(border=True, key="report_files"):
        cards.heading(2, words.text("report.files"))
        st.markdown(words.text("report.files_lead"))
        name = st.text_input(words.text("report.name"), key="report_name", max_chars=MAX_NAME, autocomplete="off")
        whose = str(name or "")
        with st.container(horizontal=True):
            st.download_button(
                words.text("report.html"),
                lambda: as_html(rows, whose, made(datetime.now(UTC), zone), words).encode(),
                file_name=file_name(whose, "html"),
                mime="text/html",
                key="report_html",
                type="primary",
                on_click="ignore",
            )
            st.download_button(
                words.text("report.csv"),
                lambda: as_csv(rows, whose, made(datetime.now(UTC), zone)),
                file_name=file_name(whose, "csv"),
                mime="text/csv",
                key="report_csv",
                on_click="ignore",
            )


def _details(rows: list[Row], words: WordsOf) -> None:
    """Every part, folded; on paper none is."""
    from lessons.report.summary import by_part, part_name  # noqa: PLC0415
    from lessons.report.table import STYLE, group_html  # noqa: PLC0415

    cards.heading(2, words.text("report.details"))
    st.html(f"<style>{STYLE}</style>")
    for part, groups in by_part(rows):
        count = sum(map(len, groups))
        title = words.text("report.part_title", name=part_name(part, words), count=count)
        with st.expander(title, key=f"report_{part}"):
            told = "".join(group_html(group, words, with_state=False) for group in groups)
            st.html(f'<div class="kv-report">{told}</div>')


def _weakest(rows: list[Row], words: WordsOf) -> None:
    from lessons.report.weakest import weak_said, weakest  # noqa: PLC0415

    found = weakest(rows)
    if found:
        cards.heading(2, words.text("report.weakest"))
        st.markdown("\n".join(f"{n}. {weak_said(weak, words)}" for n, weak in enumerate(found, 1)))


def report() -> None:
    """Draw the page."""
    from lessons.report.summary import summary  # noqa: PLC0415

    words = words_of(attempts.language())
    cards.heading(1, words.text("report.title"))
    st.markdown(words.text("report.lead"))
    if not record.known():  # the browser has not told yet what it keeps
        return
    wait_for_engine(words)
    rows = _rows(words)
    if not rows:
        st.info(words.text("report.empty"))
        return
    _weakest(rows, words)
    cards.heading(2, words.text("report.summary"))
    st.markdown("\n".join(f"- {line}" for line in summary(rows, words)))
    _downloads(rows, words)
    _details(rows, words)


report()
