"""The sandbox: any pool, any requests, any order of operations; forwards and back; passed on as a link or a file."""

from __future__ import annotations

import streamlit as st

from lessons.activity import run_panel
from lessons.activity.flow import wait_for_engine
from lessons.activity.look_closer import look_closer
from lessons.sandbox import attempt
from lessons.sandbox.attempt import SandboxAttempt, SandboxWords
from lessons.sandbox.link_input import format_problem
from lessons.sandbox.operations import operate
from lessons.sandbox.pool import draw_setup
from lessons.sandbox.prompts import draw_pane, draw_prompt, get_next_asked, list_stops
from lessons.sandbox.share import draw_share
from lessons.sandbox.time_machine import draw_time_machine
from lessons.state import attempts, presenting
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def draw_page() -> None:
    """Draw what the address says."""
    language = attempts.get_language()
    cards.draw_heading(1, words_of(language).text("sandbox.title"))
    wait_for_engine(words_of(language))  # a link is checked by running it
    here = attempt.place()
    attempt.arrive(here)
    presenting.set_reset(attempt.reset)
    words = SandboxWords(language, here.scenario)
    if attempt.is_link_oversized():
        attempts.set_link_problem(words.text("scenarios.link_too_long"))
    if here.problem:
        st.warning(format_problem(here.problem, words))
    is_presented = presenting.is_on()
    attempts.set_pictures_beside_words(not is_presented)
    if not is_presented:
        draw_share(here, words)
    # A grid, see one_view.css. Presented, the question comes first, with the presenter's notes beside or under it.
    presented_order = ("question", "pane", "showing", "asking", "explaining")
    order = presented_order if is_presented else ("asking", "showing", "explaining")
    with st.container(key="lesson"):
        parts = {
            name: st.container(key=f"lesson_{name}") for name in order if name != "pane" or presenting.are_notes_shown()
        }
    with parts["question" if is_presented else "asking"]:
        draw_prompt(here, words)
    if "pane" in parts:
        with parts["pane"]:
            draw_pane(here, words)
    with parts["asking"]:
        operate(here, words)
    with parts["explaining"]:
        draw_setup(here, words)
    with parts["showing"]:
        run_panel.draw_picture(here.place, here.timeline, words, refusals=is_presented)  # else said beside it
        # While a question is to come, the list does not tell what is to be predicted.
        ahead = get_next_asked(here)
        tells = not (is_presented or ahead)
        draw_time_machine(
            here,
            words,
            tells_ahead=tells,
            question_at=ahead.step if ahead else None,
            stops=() if tells else list_stops(here),
        )
        if here.cursor.step:
            run_panel.draw_events(here.place, here.timeline, words, open_=not is_presented)
    if is_presented:
        draw_share(here, words)
    if here.cursor.step:
        _look_closer(here, words)


def _look_closer(here: SandboxAttempt, words: Translations) -> None:
    look_closer(here.place, here.timeline, words)


draw_page()
