"""The library: prepared scenarios for a class, those that this browser keeps, and files; each opens in the sandbox."""

from __future__ import annotations

import streamlit as st

from lab.sandbox.library import LIBRARY
from lessons.activity.flow import wait_for_engine
from lessons.library.cards import GROUPS, OPENED, STYLE, own_card, prepared_card, turn_to_it
from lessons.sandbox import saved_scenarios
from lessons.sandbox.files import open_file, reason
from lessons.state import attempts, record
from lessons.text.translations import WordsOf
from lessons.text.translations import words as words_of
from lessons.widgets import cards


def _own(words: WordsOf) -> None:
    """What this browser keeps, and why the last one could not be opened."""
    cards.heading(2, words.text("scenarios.own"))
    if not record.known():  # the browser has not told yet
        return
    kept = saved_scenarios.kept()
    st.markdown(words.text("scenarios.own_lead" if kept else "scenarios.own_empty"))
    if (problem := attempts.told()) is not None:
        st.warning(words.text("scenarios.file_problem", reason=reason(problem, words)))
    with st.container(key="shelf_own"):
        for each in kept:
            own_card(each, words)


def library() -> None:
    """Draw the page."""
    words = words_of(attempts.language())
    cards.heading(1, words.text("scenarios.title"))
    wait_for_engine(words)  # titles have numbers of their scenarios; what is opened must run
    if attempts.noted(OPENED):
        attempts.note(OPENED, False)
        st.switch_page("sandbox/page.py", query_params=attempts.link())
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
