"""Start's picture and the button under it that goes one step on; after the last one, the way to its question."""

from __future__ import annotations

import streamlit as st

from lab.figures.theme import dark_colors
from lessons import cards, course, state
from lessons.plot import draw
from lessons.start_picture import stored
from lessons.text import WordsOf

KEY = "start"  # in the address: the step in view, from 1; without it the first
# Room for the longest caption: the button below it stays under the finger.
STYLE = """
<style>
@media (max-width: 640px) { .st-key-start_caption { min-height: 5.2rem; } }
</style>
"""


def show_picture(words: WordsOf) -> None:
    """The step in view, its button, and what happened in words."""
    steps = stored(words.language, state.columns())
    at = _step(len(steps))
    step, last = steps[at - 1], at == len(steps)
    draw(
        step.figure,
        key="start_picture",
        label=step.sentence,
        dark_colors=dark_colors(),
        on_columns=state.set_columns,
        columns=state.columns(),
    )
    with st.container(key="start_caption"):
        cards.headline("", step.caption)
    with st.container(horizontal=True, vertical_alignment="center", key="start_steps"):
        # One button all the way: whoever presses it by keyboard keeps it.
        label = words.text("start.picture_again" if last else "start.picture_next")
        following = "" if last else str(at + 1)
        st.button(label, key="picture_next", on_click=state.set_value, args=(KEY, following))
        if last and st.button(words.text("start.picture_question"), type="primary", key="picture_question"):
            st.switch_page(course.page_file(course.ORDER[0]), query_params=state.link())
        st.markdown(words.text("start.picture_at", step=at, total=len(steps)), width="content")
    st.html(STYLE)
    st.markdown(f"*{words.text('start.picture')}* {step.sentence}")


def _step(steps: int) -> int:
    """The step that the address names; the first where there is no such step."""
    asked = state.value(KEY) or "1"
    found = next((i for i in range(1, steps + 1) if str(i) == asked), None)
    if found is None:
        state.unread(KEY)
    return found or 1
