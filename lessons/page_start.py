"""Start: what the lab is, for whom, one picture, one way on. Needs no engine."""

from __future__ import annotations

import streamlit as st

from lab.figures.theme import dark_colors
from lessons import cards, record, state
from lessons.plot import draw
from lessons.start_picture import stored
from lessons.text import words as words_of

language = state.language()
words = words_of(language)
cards.heading(1, words.text("start.title"))
st.markdown(words.text("start.lead"))
started = "run" in st.query_params or bool(record.read().get("committed"))
if st.button(words.text("start.resume" if started else "start.go"), type="primary", key="go"):
    st.switch_page("page_task.py", query_params=state.link())
picture = stored(language, state.columns())
draw(
    picture.figure,
    key="start_picture",
    label=picture.sentence,
    dark_colors=dark_colors(),
    on_columns=state.set_columns,
    columns=state.columns(),
)
st.markdown(f"*{words.text('start.picture')}* {picture.sentence}")
st.markdown(words.text("start.real"))
cards.heading(2, words.text("start.who_title"))
st.markdown(words.text("start.who"))
