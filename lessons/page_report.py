"""The report: what this browser's learner really did, each prediction beside its outcome; a file to hand in."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from lessons import cards, record, state
from lessons.predict_run_explain import wait_for_engine
from lessons.report_row import Row
from lessons.text import WordsOf
from lessons.text import words as words_of

MAX_NAME = 80


def _rows(words: WordsOf) -> list[Row]:
    """Everything, run again only where the record, the address or the language is another."""
    from lessons.report_memory import done_runs  # noqa: PLC0415
    from lessons.report_rows import everything  # noqa: PLC0415  (torch: after the warm-up)

    seen = (record.read(), state.link(), done_runs())
    kept = state.noted("report")
    if kept is None or kept[0] != seen:
        kept = (seen, everything(words))
        state.note("report", kept)
    rows: list[Row] = kept[1]
    return rows


def _downloads(rows: list[Row], words: WordsOf) -> None:
    """The learner's name, if it is to stand in the file, and the two files, made when they are asked for."""
    from lessons.report_file import as_csv, as_html, file_name, made  # noqa: PLC0415

    zone = state.time_zone()
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
    from lessons.report_summary import by_part, part_name  # noqa: PLC0415
    from lessons.report_table import STYLE, group_html  # noqa: PLC0415

    cards.heading(2, words.text("report.details"))
    st.html(f"<style>{STYLE}</style>")
    for part, groups in by_part(rows):
        count = sum(map(len, groups))
        title = words.text("report.part_title", name=part_name(part, words), count=count)
        with st.expander(title, key=f"report_{part}"):
            told = "".join(group_html(group, words, with_state=False) for group in groups)
            st.html(f'<div class="kv-report">{told}</div>')


def _weakest(rows: list[Row], words: WordsOf) -> None:
    from lessons.report_weak import weak_said, weakest  # noqa: PLC0415

    found = weakest(rows)
    if found:
        cards.heading(2, words.text("report.weakest"))
        st.markdown("\n".join(f"{n}. {weak_said(weak, words)}" for n, weak in enumerate(found, 1)))


def report() -> None:
    """Draw the page."""
    from lessons.report_summary import summary  # noqa: PLC0415

    words = words_of(state.language())
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
