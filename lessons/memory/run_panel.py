"""Choose the workload, start the runs, show their progress, stop them. Nothing here waits for a run."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.serving.guess import ALPACA, OWN, SHAREGPT, WORKLOADS, MemoryView
from lab.serving.simulation import MAX_TOKENS
from lab.serving.workload import CREDIT, LogNormal, Workload
from lab.serving.workload_errors import WorkloadError
from lab.serving.workload_file import Reading
from lessons.memory import attempt as memory
from lessons.memory import jobs, upload
from lessons.state import notes, record
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets.upload import localize

POLL_SECONDS = 0.5
MAX_UPLOAD = 10  # MB; the server has its own limit in .streamlit/config.toml
WORKLOAD = "memory_workload"


def choose_workload(view: MemoryView, words: Translations) -> None:
    """Draw the choice of a workload, the source of its lengths, and the upload field for the learner's own."""
    notes.set_field(WORKLOAD, view.workload)
    st.selectbox(
        words.text("memory.requests"),
        WORKLOADS,
        key=WORKLOAD,
        format_func=partial(_format_workload, words=words),
        on_change=lambda: memory.choose_workload(notes.get_field(WORKLOAD)),
    )
    if view.workload == OWN:
        _upload(view, words)
        return
    workload = memory.get_workload(view)
    values: dict[str, object] = {"credit": CREDIT}
    if isinstance(workload, LogNormal) and view.workload in (SHAREGPT, ALPACA):
        values |= {"prompt": workload.prompt_mean, "output": workload.output_mean}
    st.markdown(f":small[{words.text(f'memory.workload_about.{view.workload}', **values)}]")


def _format_workload(name: str, words: Translations) -> str:
    return words.text(f"memory.workload.{name}")


def _upload(view: MemoryView, words: Translations) -> None:
    localize(upload.get_widget_key(), words.text("site.choose_file"), words.text("memory.upload_too_large"))
    st.file_uploader(
        words.text("memory.upload", megabytes=MAX_UPLOAD),
        type=None,  # the content decides; Streamlit's refusal of a type is always in English
        key=upload.get_widget_key(),
        max_upload_size=MAX_UPLOAD,
        on_change=memory.take_file,
    )
    found = upload.read_upload()
    if found is None:
        st.info(words.text("memory.upload_first"))
    elif isinstance(found, WorkloadError):
        st.warning(format_error(found, words))
    else:
        _read(found, words)
        if memory.is_other_file(view.attempt):
            st.info(words.text("memory.other_file"))
            if record.is_mine(view.attempt):
                st.button(words.text("memory.predict_file"), key="memory_predict_file", on_click=memory.start_over)


def _read(found: Reading, words: Translations) -> None:
    """Show how many requests were read from which columns, and what was skipped or will be cut."""
    count, columns = f"{found.workload.requests:,}", found.columns
    sentences = [words.text("memory.file_read", count=count)]
    if found.skipped:
        sentences.append(words.text("memory.file_skipped", count=f"{found.skipped:,}"))
    if columns.prompt:
        sentences.append(words.text("memory.file_columns", prompt=columns.prompt, output=columns.output))
    else:
        sentences.append(words.text("memory.file_no_names"))
    st.markdown(words.text("figures.gap").join(sentences))
    if cut := found.workload.count_longer_than(MAX_TOKENS):
        st.markdown(words.text("memory.file_cut", cut=f"{cut:,}", count=count, most=f"{MAX_TOKENS:,}"))


def draw_run_button(words: Translations) -> None:
    """Draw the button that starts the runs."""
    st.button(words.text("memory.run"), type="primary", key="memory_run", on_click=memory.run)


def show_progress(workload: Workload, words: Translations) -> None:
    """Draw the progress of unfinished batches, updated every POLL_SECONDS, and a button to stop them."""
    before = jobs.list_running(workload)
    if not before:
        return

    @st.fragment(run_every=POLL_SECONDS)
    def look() -> None:
        if jobs.list_running(workload) != before:
            st.rerun()
        for name, share in jobs.measure_progress(workload).items():
            st.progress(share, text=words.text(f"memory.running.{name}", percent=round(100 * share)))

    with st.container(border=True, key="memory_progress"):
        look()
        st.button(words.text("memory.cancel"), key="memory_cancel", on_click=memory.cancel)
