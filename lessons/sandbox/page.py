"""The sandbox: any pool, any requests, any order of operations; forwards and back; passed on as a link or a file."""

from __future__ import annotations

import streamlit as st

from lessons.activity import run_panel
from lessons.activity.flow import wait_for_engine
from lessons.presenter import presenter
from lessons.sandbox import attempt
from lessons.sandbox.attempt import SandboxPlace, SandboxWords
from lessons.sandbox.link_input import problem_said
from lessons.sandbox.operations import operate
from lessons.sandbox.pool import setup
from lessons.sandbox.prompts import notes, pane, stops, to_be_asked
from lessons.sandbox.share import share
from lessons.state import attempts
from lessons.text.translations import WordsOf
from lessons.text.translations import words as words_of
from lessons.widgets import cards
from lessons.widgets.time_machine import time_machine


def page() -> None:
    """Draw what the address says."""
    language = attempts.language()
    cards.heading(1, words_of(language).text("sandbox.title"))
    wait_for_engine(words_of(language))  # a link is checked by running it
    here = attempt.place()
    attempt.arrive(here)
    words = SandboxWords(language, here.scenario)
    if here.problem:
        st.warning(problem_said(here.problem, words))
    presenting = presenter.on()
    attempts.pictures_beside_words(not presenting)
    if not presenting:
        share(here, words)
    # A grid, see assets/components/one_view/one_view.css; presented, the question comes first, the presenter's notes beside or under it.
    presented = ("question", "pane", "showing", "asking", "explaining")
    order = presented if presenting else ("asking", "showing", "explaining")
    with st.container(key="lesson"):
        parts = {
            name: st.container(key=f"lesson_{name}") for name in order if name != "pane" or presenter.notes_shown()
        }
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
    from lessons.activity.look_closer import look_closer  # noqa: PLC0415  (imports pandas and torch)

    look_closer(here.place, here.timeline, words)


page()
