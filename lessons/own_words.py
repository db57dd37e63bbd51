"""Explain: first in one's own words, which stay in this browser; then ours, with the run's numbers beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lab.diagnosis import Diagnosis, diagnose
from lab.moments import Facts, moments
from lab.prediction import outcomes
from lessons import cards, predict, record, state
from lessons.place import Place
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.timeline import Timeline

MAX_TEXT = 1000  # characters
MAX_KEPT = 60


def own_words(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """What was predicted otherwise, the idea behind it, then the why of the case."""
    case, prediction, lesson = place.run.case, place.run.prediction, place.track.lesson
    if case is None or prediction is None:
        return
    seen = list(moments(timeline.steps))
    facts = outcomes(seen, place.questions)
    for diagnosis in diagnose(prediction, facts, seen):
        if not diagnosis.right:
            with st.container(border=True):
                st.markdown("≠ " + _idea(place, diagnosis, words))
    cards.heading(3, words.text("site.why_title"))
    key = f"own.{case.id}"
    kept = _kept().get(case.id)
    if state.field(key) is None and isinstance(kept, str):
        state.set_field(key, kept[:MAX_TEXT].encode("utf-8", "replace").decode())
    st.text_area(words.text(f"{lesson}.case.{case.id}.ask"), key=key, max_chars=MAX_TEXT)
    st.button(words.text("site.compare"), key="compare", on_click=_keep, args=(case.id, key))
    if isinstance(kept, str):
        last = seen[-1]
        numbers = Facts(last, timeline.start, 0, next(iter(facts.values()))).numbers()
        st.markdown(words.text(f"{lesson}.case.{case.id}.why", **{**numbers, **predict.about(place, None, words)}))


def _idea(place: Place, diagnosis: Diagnosis, words: WordsOf) -> str:
    """The idea that gives this answer, against the run's numbers; else how the run's answer comes about."""
    lesson = place.track.lesson
    key = (
        f"{lesson}.idea.{diagnosis.question}_{diagnosis.idea}"
        if diagnosis.idea
        else f"{lesson}.derive.{diagnosis.question}"
    )
    values = predict.about(place, predict.picked(place.run.prediction) if place.run.prediction else None, words)
    return words.text(key, **{**diagnosis.numbers, **values})


def _kept() -> dict[str, object]:
    kept = record.read().get("own_words")
    return kept if isinstance(kept, dict) else {}


def _keep(case_id: str, key: str) -> None:
    text = str(state.field(key) or "")[:MAX_TEXT]
    record.put("own_words", dict([*((k, v) for k, v in _kept().items() if k != case_id), (case_id, text)][-MAX_KEPT:]))
