"""What was predicted otherwise than the run came out: the idea behind each such answer, and what it would have done."""

from __future__ import annotations

import streamlit as st

from lab.activities.diagnosis import Diagnosis, diagnose
from lab.activities.ideas import get_id_of_rule
from lab.activities.question import observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form
from lessons.activity.what_if import offer_what_if
from lessons.state.view import View
from lessons.text.sentences import format_values
from lessons.text.translations import Translations


def show_ideas(place: View, timeline: Timeline, words: Translations) -> None:
    """A box for each answer that the run has settled otherwise; what it has not settled is not talked about."""
    prediction = place.run.prediction
    if prediction is None:
        return
    seen = list(iterate_trace_points(timeline.steps))
    run: set[str] = set()
    for diagnosis in diagnose(prediction, observe_outcomes(seen, place.questions), seen):
        if not diagnosis.right:
            with st.container(border=True):
                st.markdown("≠ " + format_idea(place, diagnosis, words))
            idea = get_id_of_rule(diagnosis.question, diagnosis.idea)
            if idea is not None and idea not in run:  # once, where two answers come from one idea
                run.add(idea)
                offer_what_if(idea, place.run.config, place.run.operations, words, diagnosis.question)


def format_idea(place: View, diagnosis: Diagnosis, words: Translations) -> str:
    """The idea that gives this answer, against the run's numbers; else how the run's answer comes about."""
    values = prediction_form.collect_values(
        place, prediction_form.get_picked(place.run.prediction) if place.run.prediction else None, words
    )
    key = prediction_form.get_idea_key(place.track.topic, diagnosis)
    return words.text(key, **{**format_values(diagnosis.numbers, words), **values})
