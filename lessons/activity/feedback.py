"""What was predicted otherwise than the run came out: the idea behind each such answer, and what it would have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lab.activities.diagnosis import Diagnosis, diagnose
from lab.activities.ideas import from_rule
from lab.activities.question import outcomes
from lab.activities.trace_points import moments
from lessons.activity import prediction_form
from lessons.activity.what_if import my_way
from lessons.state.view import Place
from lessons.text.sentences import said
from lessons.text.translations import WordsOf

if TYPE_CHECKING:
    from lab.trace.timeline import Timeline


def ideas_told(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """A box for each answer that the run has settled otherwise; what it has not settled is not talked about."""
    prediction = place.run.prediction
    if prediction is None:
        return
    seen = list(moments(timeline.steps))
    run: set[str] = set()
    for diagnosis in diagnose(prediction, outcomes(seen, place.questions), seen):
        if not diagnosis.right:
            with st.container(border=True):
                st.markdown("≠ " + idea_said(place, diagnosis, words))
            idea = from_rule(diagnosis.question, diagnosis.idea)
            if idea is not None and idea not in run:  # once, where two answers come from one idea
                run.add(idea)
                my_way(idea, place.run.config, place.run.operations, words, diagnosis.question)


def idea_said(place: Place, diagnosis: Diagnosis, words: WordsOf) -> str:
    """The idea that gives this answer, against the run's numbers; else how the run's answer comes about."""
    values = prediction_form.about(
        place, prediction_form.picked(place.run.prediction) if place.run.prediction else None, words
    )
    key = prediction_form.idea_key(place.track.topic, diagnosis)
    return words.text(key, **{**said(diagnosis.numbers, words), **values})
