"""Feedback on each wrong answer of a prediction: the idea behind it, and what that idea would have done."""

from __future__ import annotations

import streamlit as st

from lab.activities.diagnosis import diagnose
from lab.activities.question import Grade
from lab.activities.trace_points import iterate_trace_points
from lab.trace.timeline import Timeline
from lessons.activity.prediction_form import collect_values
from lessons.activity.what_if import offer_what_if
from lessons.state import runs
from lessons.state.view import View
from lessons.text.sentences import explain_grade
from lessons.text.translations import Translations


def show_ideas(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw a box for each answer that the run has shown to be wrong. Questions that are still open are left out."""
    points = list(iterate_trace_points(timeline.steps))
    offered: set[str] = set()
    for diagnosis in diagnose(view.run, runs.observe_all(view, timeline), points):
        if not diagnosis.right:
            with st.container(border=True):
                st.markdown("≠ " + format_idea(view, diagnosis, words))
            if diagnosis.idea not in offered:  # two answers may come from the same idea
                offered.add(diagnosis.idea)
                offer_what_if(diagnosis.idea, view.run.config, view.run.operations, words, diagnosis.question)


def format_idea(view: View, diagnosis: Grade, words: Translations) -> str:
    """Why the idea behind the answer does not fit the run; if no idea is known, how the run's answer comes about."""
    return explain_grade(view.track.topic, diagnosis, words, collect_values(view, view.run.pick, words))
