"""Start: what the lab is, for whom, where one is on the way through it, one button to go on. Needs no engine."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from lessons import cards, course, record, state
from lessons.start_stepped import show_picture
from lessons.text import words as words_of

language = state.language()
words = words_of(language)
cards.heading(1, words.text("start.title"))
st.markdown(words.text("start.lead"))
started = state.task_begun()
following = course.next_lesson()
with st.container(horizontal=True, key="ways"):
    if following is not None:
        label = words.text("start.go_on" if record.done() else "start.begin", name=words.text(f"{following}.title"))
        if st.button(label, type="secondary" if started else "primary", key="learn_next"):
            st.switch_page(course.page_file(following), query_params=state.link())
    kind: Literal["primary", "secondary"] = "primary" if started or following is None else "secondary"
    if st.button(words.text("start.resume" if started else "start.go"), type=kind, key="go"):
        st.switch_page(course.page_file("task"), query_params=state.link())
show_picture(words)
st.markdown(words.text("start.real"))
cards.heading(2, words.text("start.way_title"))
for number, name in enumerate((*course.ORDER, "task"), 1):
    with st.container(key=f"way_{name}", gap=None):
        title = course.page_name(name, words)
        done = course.task_done() if name == "task" else course.lesson_done(name)
        label = words.text("start.way", number=number, name=course.marked(title, done=done, words=words))
        st.page_link(course.page_file(name), label=label, query_params=state.link())
        st.markdown(words.text(f"start.gist.{name}"))
with st.container(key="way_memory", gap=None):  # beside the way, not on it
    st.page_link("page_memory.py", label=words.text("memory.explore"), query_params=state.link())
    st.markdown(words.text("memory.start_gist"))
cards.heading(2, words.text("start.who_title"))
st.markdown(words.text("start.who"))
