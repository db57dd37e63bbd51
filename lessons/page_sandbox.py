"""The sandbox: any pool, any requests, any order of operations; forwards and back; passed on as a link or a file."""

from __future__ import annotations

import streamlit as st

from lessons import cards, present, run_panel, sandbox_place, state
from lessons.predict_run_explain import wait_for_engine
from lessons.sandbox_link import problem_said
from lessons.sandbox_notes import notes, pane, stops, to_be_asked
from lessons.sandbox_operate import operate
from lessons.sandbox_place import SandboxPlace, SandboxWords
from lessons.sandbox_setup import setup
from lessons.sandbox_share import share
from lessons.text import WordsOf
from lessons.text import words as words_of
from lessons.time_machine import time_machine


def page() -> None:
    """Draw what the address says."""
    language = state.language()
    cards.heading(1, words_of(language).text("sandbox.title"))
    wait_for_engine(words_of(language))  # a link is checked by running it
    here = sandbox_place.place()
    sandbox_place.arrive(here)
    words = SandboxWords(language, here.scenario)
    if here.problem:
        st.warning(problem_said(here.problem, words))
    presenting = present.on()
    state.pictures_beside_words(not presenting)
    if not presenting:
        share(here, words)
    # A grid, see assets/one_view.css; presented, the question comes first, the presenter's notes beside or under it.
    presented = ("question", "pane", "showing", "asking", "explaining")
    order = presented if presenting else ("asking", "showing", "explaining")
    with st.container(key="lesson"):
        parts = {name: st.container(key=f"lesson_{name}") for name in order if name != "pane" or present.notes_shown()}
    with parts["question" if presenting else "asking"]:
        notes(here, words)
    if "pane" in parts:
        with parts["pane"]:
            pane(here, words)
    with parts["asking"]:
        operate(here, words)
    with parts["explaining"]:
        setup(here, words)
    with parts["showing"]:
        run_panel.picture(here.place, here.timeline, words, refusals=presenting)  # else said beside it
        # While a question is to come, the list does not tell what is to be predicted.
        ahead = to_be_asked(here)
        tells = not (presenting or ahead)
        time_machine(
            here,
            words,
            tells_ahead=tells,
            question_at=ahead.step if ahead else None,
            stops=() if tells else stops(here),
        )
        if here.cursor.step:
            run_panel.events(here.place, here.timeline, words, open_=not presenting)
    if presenting:
        share(here, words)
    if here.cursor.step:
        _closer(here, words)


def _closer(here: SandboxPlace, words: WordsOf) -> None:
    from lessons.look_closer import look_closer  # noqa: PLC0415  (imports pandas and torch)

    look_closer(here.place, here.timeline, words)


page()
