"""The self-explanation of a case: the learner writes first, then sees the lab's version. The text stays local."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.trace_points import Number, TemplateValues, TracePoint
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form
from lessons.activity.feedback import show_ideas
from lessons.state import record, runs
from lessons.state.view import View
from lessons.text.sentences import format_values
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.question_form import MAX_TEXT, ask_for_text

MAX_KEPT = 60


def ask_self_explanation(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the misconceptions behind wrong answers, then ask why the case came out so, then explain it."""
    case, prediction, lesson = view.run.case, view.run.prediction, view.track.lesson
    if case is None or prediction is None:
        return
    outcomes = runs.observe_all(view, timeline)
    show_ideas(view, timeline, words)
    if ask_own_words(case.id, words.text(f"{lesson}.case.{case.id}.ask"), words):
        numbers: dict[str, Number] = {}
        for step in timeline.steps:  # later steps overwrite the values of earlier ones
            end = TracePoint(step.index, step.operation, step.events[-1], step.after)
            numbers |= TemplateValues(end, step.before, 0, next(iter(outcomes.values()))).numbers()
        st.markdown(
            words.text(
                f"{lesson}.case.{case.id}.why",
                **{**format_values(numbers, words), **prediction_form.collect_values(view, None, words)},
            )
        )


def ask_own_words(name: str, ask: str, words: Translations) -> bool:
    """Draw the text field about `name` and the button to compare. Returns whether a text has been saved."""
    cards.draw_heading(3, words.text("site.why_title"))
    saved = _get_saved().get(name)
    text = saved[:MAX_TEXT].encode("utf-8", "replace").decode() if isinstance(saved, str) else ""
    ask_for_text(
        f"own.{name}",
        ask,
        text,
        partial(_save, name),
        words,
        submit=("site.compare", "compare"),
        skip=None if isinstance(saved, str) else ("site.skip_own", "skip_own"),
    )
    return isinstance(saved, str)


def _get_saved() -> dict[str, object]:
    saved = record.read().get("own_words")
    return saved if isinstance(saved, dict) else {}


def _save(case_id: str, text: str) -> None:
    record.put(
        "own_words", dict([*((k, v) for k, v in _get_saved().items() if k != case_id), (case_id, text)][-MAX_KEPT:])
    )
