"""Where the memory goes: four policies over one KV pool, predicted first, then simulated and set beside the paper."""

from __future__ import annotations

import streamlit as st

from lab.engine.errors import LabError
from lab.serving.guess import Guess, Visit
from lab.serving.simulation import BYTES_PER_TOKEN, NUM_SLOTS, POOL_BYTES
from lessons.activity.flow import wait_for_engine
from lessons.memory import attempt, prediction_form, run_panel
from lessons.memory import jobs as memory_jobs
from lessons.memory.jobs import Jobs
from lessons.state import attempts
from lessons.text.sentences import say_error
from lessons.text.translations import WordsOf
from lessons.text.translations import words as words_of
from lessons.widgets import cards


def _asked_for(words: WordsOf) -> Visit:
    """The visit in the address; what cannot be read is told, and becomes the beginning."""
    try:
        return attempt.asked_for()
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=say_error(problem, words)))
        return Visit()


def _predict(here: Visit, words: WordsOf) -> None:
    if attempt.kept() is None:
        run_panel.choose_workload(here, words)
        if attempt.workload(here) is not None:  # one's own file comes first
            prediction_form.prediction_form(words)
        return
    st.info(words.text("memory.committed_before"))
    with st.container(horizontal=True):
        st.button(words.text("memory.resume"), type="primary", key="memory_resume", on_click=attempt.resume)
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=attempt.start_over)


def _run(here: Visit, guess: Guess, words: WordsOf) -> None:
    """Prediction with its outcomes; the requests; the runs; the results."""
    prediction = st.container()
    run_panel.choose_workload(here, words)
    workload = attempt.workload(here)
    jobs = Jobs()
    if here.ran and workload is not None:
        jobs = memory_jobs.jobs(workload)
        if jobs.problem:
            st.warning(say_error(jobs.problem, words))
            st.button(words.text("memory.try_again"), key="memory_again", on_click=memory_jobs.try_again)
        run_panel.how_far(workload, words)
    elif workload is not None:
        jobs = memory_jobs.known(workload)  # after a stop, or seen earlier
        run_panel.run_button(words)
    with prediction:
        _committed(here, guess, jobs, words)
    if jobs.results:
        wait_for_engine(words)
        from lessons.memory.results import results  # noqa: PLC0415  (pandas and plotly: not before there is a result)

        results(here, jobs, words)


def _committed(here: Visit, guess: Guess, jobs: Jobs, words: WordsOf) -> None:
    """The cards tell about the workload that was predicted, whichever is in view."""
    if guess.workload != here.workload:
        view = Visit(guess.workload, guess)
        predicted = attempt.workload(view)
        jobs = memory_jobs.known(predicted) if predicted is not None else Jobs()
    prediction_form.committed(guess, jobs.of(memory_jobs.POLICIES), jobs.of(memory_jobs.SIZES), words)
    if attempt.own(guess):
        st.button(words.text("memory.start_over"), key="memory_start_over", on_click=attempt.start_over)
    else:
        st.markdown(words.text("memory.foreign"))
        mine = "memory.resume" if attempt.kept() else "memory.predict_own"
        todo = attempt.resume if attempt.kept() else attempt.start_over
        st.button(words.text(mine), key="memory_own", on_click=todo)


language_words = words_of(attempts.language())
cards.heading(1, language_words.text("memory.title"))
st.markdown(
    language_words.text(
        "memory.lead", gib=POOL_BYTES // 1024**3, slots=f"{NUM_SLOTS:,}", kib=f"{BYTES_PER_TOKEN // 1024}"
    )
)
visit = _asked_for(language_words)
if visit.guess is None:
    _predict(visit, language_words)
else:
    _run(visit, visit.guess, language_words)
