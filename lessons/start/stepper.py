"""The picture on Start and the button to its next step. After the last step the button leads to the first lesson."""

from __future__ import annotations

import streamlit as st

from lab.figures.theme import get_dark_colors
from lessons.activity import course
from lessons.server.asset_files import read_assets
from lessons.start.picture import load
from lessons.state import attempts, viewport
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.plot import draw

KEY = "start"  # in the address: the step in view, counted from 1
STYLE = f"<style>\n{read_assets('components/stepper/stepper.css')}</style>"


def show_picture(words: Translations) -> None:
    """Draw the step in view, its caption and its button."""
    steps = load(words.language, viewport.get_columns())
    at = _get_step(len(steps))
    step, last = steps[at - 1], at == len(steps)
    draw(
        step.figure,
        key="start_picture",
        label=step.sentence,
        dark_colors=get_dark_colors(),
        on_columns=viewport.set_columns,
        columns=viewport.get_columns(),
    )
    with st.container(key="start_caption"):
        cards.draw_headline("", step.caption)
    with st.container(horizontal=True, vertical_alignment="center", key="start_steps"):
        # The same button on every step, so that it keeps the keyboard focus.
        label = words.text("start.picture_again" if last else "start.picture_next")
        following = "" if last else str(at + 1)
        st.button(label, key="picture_next", on_click=attempts.set_value, args=(KEY, following))
        if last and st.button(words.text("start.picture_question"), type="primary", key="picture_question"):
            st.switch_page(course.get_page_file(course.ORDER[0]), query_params=attempts.get_link())
        st.markdown(words.text("start.picture_at", step=at, total=len(steps)), width="content")
    st.html(STYLE)
    st.markdown(f"*{words.text('start.picture')}* {step.sentence}")


def _get_step(steps: int) -> int:
    """Return the step that the address names, or the first if it names none."""
    named = attempts.get_value(KEY) or "1"
    found = next((i for i in range(1, steps + 1) if str(i) == named), None)
    if found is None:
        attempts.add_unread(KEY)
    return found or 1
