"""The self-explanation of a case: the learner writes first, then sees the lab's version. The text stays local."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from lab.activities.cases import CASES
from lab.activities.record import clean_text
from lab.activities.run import Run
from lab.activities.trace_points import Number, TemplateValues, TracePoint
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form
from lessons.activity.feedback import show_ideas
from lessons.activity.report_row import ReportRow
from lessons.activity.run_rows import build_question_id, describe_scene
from lessons.state import record, runs
from lessons.state.slots import Track
from lessons.state.view import View
from lessons.text.sentences import format_values
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.question_form import MAX_TEXT, ask_for_text

MAX_KEPT = 60


def ask_self_explanation(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the misconceptions behind wrong answers, then ask why the case came out so, then explain it."""
    case, lesson = view.run.case, view.track.lesson
    if not view.run.is_predicted:
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
    saved = _get_saved()
    ask_for_text(
        f"own.{name}",
        ask,
        saved.get(name, ""),
        partial(_save, name),
        words,
        submit=("site.compare", "compare"),
        skip=None if name in saved else ("site.skip_own", "skip_own"),
    )
    return name in saved


def _get_saved() -> dict[str, str]:
    saved = record.read().get_map("own_words")
    return {name: clean_text(text, MAX_TEXT) for name, text in saved.items() if isinstance(text, str)}


def _save(name: str, text: str) -> None:
    others = [each for each in _get_saved().items() if each[0] != name]
    record.put("own_words", dict([*others, (name, text)][-MAX_KEPT:]))


def build_rows(words: Translations) -> Iterator[ReportRow]:
    """Yield a report row for each text."""
    for name, text in _get_saved().items():
        if not text.strip() or (name not in CASES and name != "intuition"):
            continue
        run = Run.of(CASES[name]) if name in CASES else None
        yield ReportRow(
            part="words",
            question_id=build_question_id(run, "why") if run else "intuition.why",
            attempt=describe_scene(run, words) if run else words.text("intuition.title"),
            question=words.text(f"{Track.find(run).lesson}.case.{name}.ask" if run else "intuition.ask"),
            predicted=text,
            written=True,
        )
