"""Append: one more token, cut into its three calls, with a ruler that says when the sequence grew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lab.figures.theme import dark_colors
from lessons import state
from lessons.lesson import Looks, lesson
from lessons.place import Place
from lessons.plot import draw
from lessons.run_panel import seen_snapshot, seen_steps
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.figures.picture import Picture
    from lab.timeline import Timeline


def measured(place: Place, timeline: Timeline, words: WordsOf) -> Picture | None:
    """The ruler of the request that the operation in view is about; before the first, of the one that comes next."""
    from lab.figures.ruler import ruler_picture  # noqa: PLC0415  (after the warm-up)

    case, steps = place.run.case, seen_steps(timeline, place.cursor)
    snapshot, before = seen_snapshot(timeline, place.cursor), None
    if case is None or not snapshot.sequences:
        return None
    seq_id = case.plan[case.prepared].seq_id
    if len(steps) > case.prepared:
        last = steps[-1]
        inside = place.cursor.event is not None and len(last.snapshots) > 1
        before = last.snapshots[-2] if inside else last.before
        seq_id = last.operation.seq_id
    if snapshot.sequence(seq_id) is None:  # released
        seq_id, before = snapshot.sequences[0].seq_id, None
    return ruler_picture(snapshot, seq_id, words, before=before, columns=state.columns())


def _ruler(place: Place, timeline: Timeline, words: WordsOf) -> None:
    drawn = measured(place, timeline, words)
    if drawn is None:
        return
    draw(drawn.spec, key="ruler", label=drawn.sentence, dark_colors=dark_colors(), columns=state.columns())
    with st.expander(words.text("append.ruler_table"), key="ruler_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


lesson("append", Looks(under=_ruler))
