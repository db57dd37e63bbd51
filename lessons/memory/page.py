"""The memory lesson: four policies over one KV pool, predicted, simulated and compared with the paper."""

from __future__ import annotations

import streamlit as st

from lab.serving.guess import MemoryView, get_predicted
from lab.serving.simulation import BYTES_PER_TOKEN, NUM_SLOTS, POOL_BYTES
from lessons.activity.flow import offer_resume, read_or_warn, wait_for_engine
from lessons.memory import attempt as memory
from lessons.memory import jobs as memory_jobs
from lessons.memory import prediction_form, run_panel
from lessons.memory.jobs import Jobs
from lessons.memory.results import draw_results
from lessons.state import attempts, record
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def _predict(view: MemoryView, words: Translations) -> None:
    if memory.find_saved() is None:
        run_panel.choose_workload(view, words)
        if memory.get_workload(view) is not None:  # an uploaded workload needs its file first
            prediction_form.ask_prediction(words)
        return
    offer_resume("memory.committed_before", words, memory.resume, memory.start_over)


def _run(view: MemoryView, words: Translations) -> None:
    """Draw the prediction with its outcomes, the workload, the runs and the results."""
    prediction = st.container()
    run_panel.choose_workload(view, words)
    workload = memory.get_workload(view)
    jobs = Jobs()
    if view.ran and workload is not None:
        jobs = memory_jobs.request_jobs(workload)
        if jobs.problem:
            st.warning(format_error(jobs.problem, words))
            st.button(words.text("memory.try_again"), key="memory_again", on_click=memory_jobs.try_again)
        run_panel.show_progress(workload, words)
    elif workload is not None:
        jobs = memory_jobs.get_done_jobs(workload)  # from before a stop, or from an earlier look
        run_panel.draw_run_button(words)
    with prediction:
        _show_committed(view, jobs, words)
    if jobs.results:
        wait_for_engine(words)
        draw_results(view, jobs, words)


def _show_committed(view: MemoryView, jobs: Jobs, words: Translations) -> None:
    """Draw the prediction with the outcomes of the workload it was made for, whichever is in view."""
    if get_predicted(view.attempt) != view.workload:
        jobs = memory_jobs.get_done_jobs(memory.get_workload(MemoryView.read(view.attempt)))
    prediction_form.show_prediction(view.attempt, jobs, words)
    if record.is_mine(view.attempt):
        st.button(words.text("task.start_over"), key="start_over", on_click=memory.start_over)
    else:
        st.markdown(words.text("memory.foreign"))
        has_own = memory.find_saved() is not None
        mine, todo = ("resume", memory.resume) if has_own else ("predict_own", memory.start_over)
        st.button(words.text(f"memory.{mine}"), key="memory_own", on_click=todo)


language_words = words_of(attempts.get_language())
cards.draw_heading(1, language_words.text("memory.title"))
st.markdown(
    language_words.text(
        "memory.lead", gib=POOL_BYTES // 1024**3, slots=f"{NUM_SLOTS:,}", kib=f"{BYTES_PER_TOKEN // 1024}"
    )
)
memory_view = read_or_warn(memory.SLOT, MemoryView.read, language_words) or MemoryView()
(_run if memory_view.attempt.answers else _predict)(memory_view, language_words)
