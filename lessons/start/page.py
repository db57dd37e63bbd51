"""The Start page: what the lab is, who it is for, the learner's progress and a button to go on. Needs no engine."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from lessons.activity import course
from lessons.start.stepper import show_picture
from lessons.state import attempts, record, runs
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards

language = attempts.get_language()
words = words_of(language)
cards.draw_heading(1, words.text("start.title"))
st.markdown(words.text("start.lead"))
started = runs.is_task_begun()
following = course.find_next_lesson()
with st.container(horizontal=True, key="ways"):
    if following is not None:
        label = words.text("start.go_on" if record.get_done() else "start.begin", name=words.text(f"{following}.title"))
        if st.button(label, type="secondary" if started else "primary", key="learn_next"):
            st.switch_page(course.get_page_file(following), query_params=attempts.get_link())
    kind: Literal["primary", "secondary"] = "primary" if started or following is None else "secondary"
    if st.button(words.text("start.resume" if started else "start.go"), type=kind, key="go"):
        st.switch_page(course.get_page_file("task"), query_params=attempts.get_link())
show_picture(words)
st.markdown(words.text("start.real"))
cards.draw_heading(2, words.text("start.way_title"))
for number, name in enumerate((*course.ORDER, "task"), 1):
    with st.container(key=f"way_{name}", gap=None):
        title = course.get_page_name(name, words)
        done = course.is_task_done() if name == "task" else course.is_lesson_done(name)
        label = words.text("start.way", number=number, name=course.mark_done(title, done=done, words=words))
        st.page_link(course.get_page_file(name), label=label, query_params=attempts.get_link())
        st.markdown(words.text(f"start.gist.{name}"))
with st.container(key="way_memory", gap=None):  # optional, so after the numbered lessons
    st.page_link("memory/page.py", label=words.text("memory.explore"), query_params=attempts.get_link())
    st.markdown(words.text("memory.start_gist"))
cards.draw_heading(2, words.text("start.who_title"))
st.markdown(words.text("start.who"))
