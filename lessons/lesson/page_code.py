"""The code lesson: the chapter's four anchors in the engine's own source."""

from __future__ import annotations

import streamlit as st

from lab.activities.cases.code import READINGS
from lab.trace.engine_source import Anchor, Places, find_anchors
from lab.trace.timeline import Timeline
from lessons.lesson import source_view
from lessons.lesson.flow import LessonParts, draw_lesson
from lessons.state import runs
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.widgets import cards


def draw_source(view: View, _timeline: Timeline, words: Translations) -> None:
    """Draw the source: above its question while predicting, afterwards below the buttons that run it."""
    reading, anchor = READINGS[view.run.case.id], _find_anchor(view.run.case.id)
    if view.run.is_predicted or view.demonstration:
        cards.draw_heading(3, words.text("code.source_title"))
    begun = len(view.run.operations) > len(view.run.beginning.operations)
    if not begun:
        st.markdown(words.text("code.read_first"))
    source_view.draw_source(view, reading.methods, {line for _, line in anchor.checks + anchor.changes}, words)
    if begun:
        st.markdown(words.text("code.marks"))


def draw_concepts(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw who changes what, once predicted, and the difference to nano-vLLM, once run. Folded to save room."""
    case = view.run.case
    if view.run.is_predicted or view.demonstration:
        st.markdown(f"**{words.text('code.see_title')}** {words.text(f'code.see.{case.id}')}")
        _draw_anchor(view, case.id, _find_anchor(case.id), words)
    begun = len(view.run.operations) > len(view.run.beginning.operations)
    outcomes = runs.observe_all(view, timeline)
    if begun and len(outcomes) == len(view.questions):
        with st.expander(words.text("code.upstream_title"), key="upstream"):
            st.markdown(words.text(f"code.upstream.{case.id}"))
            st.markdown(words.text(f"code.differs.{case.id}"))


def _find_anchor(case_id: str) -> Anchor:
    return next(each for each in find_anchors() if each.name == READINGS[case_id].anchor)


def _draw_anchor(view: View, case_id: str, anchor: Anchor, words: Translations) -> None:
    """Draw which methods read and change the anchor, or what it decides and changes if it is a method itself.

    Each name jumps to its method. For a method, only methods that the case is about are listed.
    """
    methods = READINGS[case_id].methods
    of_method = anchor.subject in methods
    with st.expander(words.text("code.anchor_title", name=anchor.subject), key="anchor"):
        for role, places in (("decides" if of_method else "reads", anchor.checks), ("changes", anchor.changes)):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"anchor_{role}"):
                st.markdown(f"**{words.text(f'code.{role}')}**", width="content")
                shown = {
                    name: lines for name, lines in _group_by_method(places).items() if not of_method or name in methods
                }
                if shown:
                    source_view.draw_jump_buttons(view, shown, f"jump_{role}", words)
                else:
                    st.markdown(words.text("code.changes_nothing"), width="content")


def _group_by_method(places: Places) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for method, line in places:
        found.setdefault(method, []).append(line)
    return found


draw_lesson("code", LessonParts(given=draw_source, beside=draw_concepts, events_open=False))
