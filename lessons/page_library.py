"""The library: prepared scenarios for a class, those that this browser keeps, and files; each opens in the sandbox."""

from __future__ import annotations

import streamlit as st

from lab.sandbox.library import LIBRARY
from lessons import cards, record, sandbox_kept, state
from lessons.library_cards import GROUPS, OPENED, STYLE, own_card, prepared_card, turn_to_it
from lessons.predict_run_explain import wait_for_engine
from lessons.sandbox_files import open_file, reason
from lessons.text import WordsOf
from lessons.text import words as words_of


def _own(words: WordsOf) -> None:
    """What this browser keeps, and why the last one could not be opened."""
    cards.heading(2, words.text("scenarios.own"))
    if not record.known():  # the browser has not told yet
        return
    kept = sandbox_kept.kept()
    st.markdown(words.text("scenarios.own_lead" if kept else "scenarios.own_empty"))
    if (problem := state.told()) is not None:
        st.warning(words.text("scenarios.file_problem", reason=reason(problem, words)))
    with st.container(key="shelf_own"):
        for each in kept:
            own_card(each, words)


def library() -> None:
    """Draw the page."""
    words = words_of(state.language())
    cards.heading(1, words.text("scenarios.title"))
    wait_for_engine(words)  # titles have numbers of their scenarios; what is opened must run
    if state.noted(OPENED):
        state.note(OPENED, False)
        st.switch_page("page_sandbox.py", query_params=state.link())
    st.html(STYLE)
    st.markdown(words.text("scenarios.lead"))
    for group, ids in GROUPS.items():
        cards.heading(2, words.text(f"scenarios.group.{group}"))
        with st.container(key=f"shelf_{group}"):
            for each in ids:
                prepared_card(LIBRARY[each], words)
    _own(words)
    cards.heading(2, words.text("scenarios.file_title"))
    open_file(words, then=turn_to_it)


library()
