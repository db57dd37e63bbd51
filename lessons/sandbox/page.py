"""The sandbox page: any pool, any requests, any order of operations, with time travel and sharing."""

from __future__ import annotations

import streamlit as st

from lessons.activity import run_panel
from lessons.activity.flow import wait_for_engine
from lessons.activity.look_closer import look_closer
from lessons.activity.next_words import draw_next_words
from lessons.sandbox import attempt as sandbox
from lessons.sandbox import oversized_links
from lessons.sandbox.link_input import format_problem
from lessons.sandbox.operations import operate
from lessons.sandbox.pool import draw_setup
from lessons.sandbox.prompts import draw_prompt, get_prompt_in_view, list_remarks
from lessons.sandbox.run_player import draw_run
from lessons.sandbox.share import draw_share
from lessons.sandbox.writing import given
from lessons.sandbox.writing.authoring import draw_authoring
from lessons.sandbox.writing.lecture import draw_place
from lessons.state import attempts, notes, presenting, viewport
from lessons.text.scenario_words import ScenarioWords
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards


def draw_page() -> None:
    """Draw the page for the view in the address."""
    language = attempts.get_language()
    cards.draw_heading(1, words_of(language).text("sandbox.title"))
    wait_for_engine(words_of(language))  # reading a link runs it
    view = sandbox.get_view()
    if sandbox.arrive(view):
        given.remember(view.scenario.script)
    presenting.get_stage().reset = sandbox.reset
    words = ScenarioWords(language, view.scenario)
    if oversized_links.is_in_view():
        notes.set_link_problem(words.text("scenarios.link_too_long"))
    if view.problem:
        st.warning(format_problem(view.problem, words))
    is_presented = presenting.is_on()
    viewport.set_pictures_beside_words(not is_presented)
    if not is_presented:
        draw_place(view.scenario, words)
        draw_share(view, words)
    # A grid, see one_view.css. When presenting, the question comes first, and the operations are below it.
    presented_order = ("question", "showing", "asking", "explaining")
    order = presented_order if is_presented else ("asking", "showing", "explaining")
    with st.container(key="lesson"):
        parts = {name: st.container(key=f"lesson_{name}") for name in order}
    with parts["showing"]:  # first, since the browser waits for it
        draw_run(view, words)
        draw_next_words(view, view.timeline, words)
        if view.cursor.step:
            is_asked = get_prompt_in_view(view) is not None
            run_panel.draw_events(view, view.timeline, words, open_=not is_presented, is_asked=is_asked)
    with parts["question" if is_presented else "asking"]:
        draw_prompt(view, words)
    with parts["asking"]:
        operate(view, words)
    with parts["explaining"]:
        if not is_presented and view.problem is None:
            draw_authoring(view, words)
        draw_setup(view, words)
    if is_presented:  # the place stands before the title, see prompts.py; the keys work from here
        presenting.get_stage().remarks = list_remarks(view, words)
        draw_place(view.scenario, words)
        draw_share(view, words)
    if view.cursor.step:
        look_closer(view, view.timeline, words)


draw_page()
