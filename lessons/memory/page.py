"""The memory lesson: four policies over one KV pool, predicted, simulated and compared with the paper."""

from __future__ import annotations

import streamlit as st

from lab.engine.errors import LabError
from lab.serving.guess import Guess, MemoryAttempt
from lab.serving.simulation import BYTES_PER_TOKEN, NUM_SLOTS, POOL_BYTES
from lessons.activity.flow import wait_for_engine
from lessons.memory import attempt as memory
from lessons.memory import jobs as memory_jobs
from lessons.memory import prediction_form, run_panel
from lessons.memory.jobs import Jobs
from lessons.memory.results import draw_results
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def _read_url(words: Translations) -> MemoryAttempt:
    """Return the attempt in the address. If it cannot be read, show why and return a new one."""
    try:
        return memory.read_url()
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=format_error(problem, words)))
        return MemoryAttempt()


def _predict(attempt: MemoryAttempt, words: Translations) -> None:
    if memory.get_saved() is None:
        run_panel.choose_workload(attempt, words)
        if memory.get_workload(attempt) is not None:  # an uploaded workload needs its file first
            prediction_form.ask_prediction(words)
        return
    st.info(words.text("memory.committed_before"))
    with st.container(horizontal=True):
        st.button(words.text("memory.resume"), type="primary", key="memory_resume", on_click=memory.resume)
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=memory.start_over)


def _run(attempt: MemoryAttempt, guess: Guess, words: Translations) -> None:
    """Draw the prediction with its outcomes, the workload, the runs and the results."""
    prediction = st.container()
    run_panel.choose_workload(attempt, words)
    workload = memory.get_workload(attempt)
    jobs = Jobs()
    if attempt.ran and workload is not None:
        jobs = memory_jobs.request_jobs(workload)
        if jobs.problem:
            st.warning(format_error(jobs.problem, words))
            st.button(words.text("memory.try_again"), key="memory_again", on_click=memory_jobs.try_again)
        run_panel.show_progress(workload, words)
    elif workload is not None:
        jobs = memory_jobs.get_done_jobs(workload)  # from before a stop, or from an earlier look
        run_panel.draw_run_button(words)
    with prediction:
        _show_committed(attempt, guess, jobs, words)
    if jobs.results:
        wait_for_engine(words)

        draw_results(attempt, jobs, words)


def _show_committed(attempt: MemoryAttempt, guess: Guess, jobs: Jobs, words: Translations) -> None:
    """Draw the prediction with the outcomes of the workload it was made for, whichever is in view."""
    if guess.workload != attempt.workload:
        view = MemoryAttempt(guess.workload, guess)
        jobs = memory_jobs.get_done_jobs(memory.get_workload(view))
    prediction_form.show_prediction(guess, jobs.of(memory_jobs.POLICIES), jobs.of(memory_jobs.SIZES), words)
    if memory.is_mine(guess):
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=memory.start_over)
    else:
        st.markdown(words.text("memory.foreign"))
        mine = "memory.resume" if memory.get_saved() else "memory.predict_own"
        todo = memory.resume if memory.get_saved() else memory.start_over
        st.button(words.text(mine), key="memory_own", on_click=todo)


language_words = words_of(attempts.get_language())
cards.draw_heading(1, language_words.text("memory.title"))
st.markdown(
    language_words.text(
        "memory.lead", gib=POOL_BYTES // 1024**3, slots=f"{NUM_SLOTS:,}", kib=f"{BYTES_PER_TOKEN // 1024}"
    )
)
attempt = _read_url(language_words)
if attempt.guess is None:
    _predict(attempt, language_words)
else:
    _run(attempt, attempt.guess, language_words)
