"""Where the memory goes: four policies over one KV pool, predicted first, then simulated and set beside the paper."""

from __future__ import annotations

import streamlit as st

from lab.engine.errors import LabError
from lab.serving.guess import Guess, MemoryAttempt
from lab.serving.simulation import BYTES_PER_TOKEN, NUM_SLOTS, POOL_BYTES
from lessons.activity.flow import wait_for_engine
from lessons.memory import attempt, prediction_form, run_panel
from lessons.memory import jobs as memory_jobs
from lessons.memory.jobs import Jobs
from lessons.memory.results import draw_results
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def _read_url(words: Translations) -> MemoryAttempt:
    """The visit in the address; what cannot be read is told, and becomes the beginning."""
    try:
        return attempt.read_url()
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=format_error(problem, words)))
        return MemoryAttempt()


def _predict(here: MemoryAttempt, words: Translations) -> None:
    if attempt.get_saved() is None:
        run_panel.choose_workload(here, words)
        if attempt.get_workload(here) is not None:  # one's own file comes first
            prediction_form.ask_prediction(words)
        return
    st.info(words.text("memory.committed_before"))
    with st.container(horizontal=True):
        st.button(words.text("memory.resume"), type="primary", key="memory_resume", on_click=attempt.resume)
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=attempt.start_over)


def _run(here: MemoryAttempt, guess: Guess, words: Translations) -> None:
    """Prediction with its outcomes; the requests; the runs; the results."""
    prediction = st.container()
    run_panel.choose_workload(here, words)
    workload = attempt.get_workload(here)
    jobs = Jobs()
    if here.ran and workload is not None:
        jobs = memory_jobs.request_jobs(workload)
        if jobs.problem:
            st.warning(format_error(jobs.problem, words))
            st.button(words.text("memory.try_again"), key="memory_again", on_click=memory_jobs.try_again)
        run_panel.show_progress(workload, words)
    elif workload is not None:
        jobs = memory_jobs.get_known(workload)  # after a stop, or seen earlier
        run_panel.run_button(words)
    with prediction:
        _show_committed(here, guess, jobs, words)
    if jobs.results:
        wait_for_engine(words)
        draw_results(here, jobs, words)


def _show_committed(here: MemoryAttempt, guess: Guess, jobs: Jobs, words: Translations) -> None:
    """The cards tell about the workload that was predicted, whichever is in view."""
    if guess.workload != here.workload:
        view = MemoryAttempt(guess.workload, guess)
        predicted = attempt.get_workload(view)
        jobs = memory_jobs.get_known(predicted) if predicted is not None else Jobs()
    prediction_form.show_prediction(guess, jobs.of(memory_jobs.POLICIES), jobs.of(memory_jobs.SIZES), words)
    if attempt.is_mine(guess):
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=attempt.start_over)
    else:
        st.markdown(words.text("memory.foreign"))
        mine = "memory.resume" if attempt.get_saved() else "memory.predict_own"
        todo = attempt.resume if attempt.get_saved() else attempt.start_over
        st.button(words.text(mine), key="memory_own", on_click=todo)


language_words = words_of(attempts.get_language())
cards.draw_heading(1, language_words.text("memory.title"))
st.markdown(
    language_words.text(
        "memory.lead", gib=POOL_BYTES // 1024**3, slots=f"{NUM_SLOTS:,}", kib=f"{BYTES_PER_TOKEN // 1024}"
    )
)
visit = _read_url(language_words)
if visit.guess is None:
    _predict(visit, language_words)
else:
    _run(visit, visit.guess, language_words)
