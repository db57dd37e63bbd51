"""Code: the chapter's four anchors in the engine's own source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lab.cases.code import READINGS
from lab.engine_source import anchors
from lab.moments import moments
from lab.prediction import outcomes
from lessons import cards
from lessons.lesson import Looks, lesson
from lessons.place import Place
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.engine_source import Anchor, Places
    from lab.timeline import Timeline


def source(place: Place, _timeline: Timeline, words: WordsOf) -> None:
    """The source: above the question about it, then below the buttons that run it."""
    from lessons.source_view import source_box  # noqa: PLC0415  (brings torch: after the warm-up)

    if place.run.case is None:
        return
    reading, anchor = READINGS[place.run.case.id], _anchor_of(place.run.case.id)
    if place.run.prediction or place.demonstration:
        cards.heading(3, words.text("code.source_title"))
    begun = len(place.run.operations) > len(place.run.beginning.operations)
    if not begun:
        st.markdown(words.text("code.read_first"))
    source_box(place, reading.methods, {line for _, line in anchor.checks + anchor.changes}, words)
    if begun:
        st.markdown(words.text("code.marks"))


def around(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """Who changes what, once that is predicted; nano-vLLM, once it has run. Folded: own words stand near the source."""
    case = place.run.case
    if case is None:
        return
    if place.run.prediction or place.demonstration:
        st.markdown(f"**{words.text('code.see_title')}** {words.text(f'code.see.{case.id}')}")
        _anchor(place, case.id, _anchor_of(case.id), words)
    begun = len(place.run.operations) > len(place.run.beginning.operations)
    settled = outcomes(list(moments(timeline.steps)), place.questions)
    if begun and len(settled) == len(place.questions):
        with st.expander(words.text("code.upstream_title"), key="upstream"):
            st.markdown(words.text(f"code.upstream.{case.id}"))
            st.markdown(words.text(f"code.differs.{case.id}"))


def _anchor_of(case_id: str) -> Anchor:
    return next(each for each in anchors() if each.name == READINGS[case_id].anchor)


def _anchor(place: Place, case_id: str, anchor: Anchor, words: WordsOf) -> None:
    """Who reads it and who changes it, of a method what it decides and changes; the names lead to the methods.

    Of what a method leads to, only the methods that the case is about.
    """
    from lessons.source_view import jump_buttons  # noqa: PLC0415

    methods = READINGS[case_id].methods
    of_method = anchor.subject in methods
    with st.expander(words.text("code.anchor_title", name=anchor.subject), key="anchor"):
        for role, places in (("decides" if of_method else "reads", anchor.checks), ("changes", anchor.changes)):
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"anchor_{role}"):
                st.markdown(f"**{words.text(f'code.{role}')}**", width="content")
                shown = {name: lines for name, lines in _by_method(places).items() if not of_method or name in methods}
                if shown:
                    jump_buttons(place, shown, f"jump_{role}", words)
                else:
                    st.markdown(words.text("code.changes_nothing"), width="content")


def _by_method(places: Places) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for method, line in places:
        found.setdefault(method, []).append(line)
    return found


lesson("code", Looks(given=source, beside=around, events_open=False))
