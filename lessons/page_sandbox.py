"""The sandbox: any pool, any requests, any order of operations; forwards and back; passed on as a link or a file."""

from __future__ import annotations

import streamlit as st

from lessons import cards, run_panel, sandbox_place, state
from lessons.predict_run_explain import wait_for_engine
from lessons.sandbox_compared import compared
from lessons.sandbox_notes import notes
from lessons.sandbox_operate import operate
from lessons.sandbox_place import SandboxPlace, SandboxWords
from lessons.sandbox_setup import setup
from lessons.sandbox_share import share
from lessons.say import say_error
from lessons.text import WordsOf
from lessons.text import words as words_of
from lessons.time_machine import time_machine


def page() -> None:
    """Draw what the address says."""
    language = state.language()
    cards.heading(1, words_of(language).text("sandbox.title"))
    wait_for_engine(words_of(language))  # a link is checked by running it
    here = sandbox_place.place()
    words = SandboxWords(language, here.scenario)
    if here.problem:
        st.warning(words.text("site.link_problem", reason=say_error(here.problem, words)))
    state.pictures_beside_words(True)
    share(here, words)
    with st.container(key="lesson"):  # a grid, see cards.STYLE
        asking, showing, explaining = (
            st.container(key=f"lesson_{name}") for name in ("asking", "showing", "explaining")
        )
    with asking:
        notes(here, words)
        operate(here, words)
        compared(here, words)
    with explaining:
        setup(here, words)
    with showing:
        run_panel.picture(here.place, here.timeline, words)
        time_machine(here, words)
        if here.cursor.step:
            run_panel.events(here.place, here.timeline, words, open_=True)
    if here.cursor.step:
        _closer(here, words)


def _closer(here: SandboxPlace, words: WordsOf) -> None:
    from lessons.look_closer import look_closer  # noqa: PLC0415  (imports pandas and torch)

    look_closer(here.place, here.timeline, words)


page()
