"""Share: which blocks two requests have in common, and what becomes of a block that nobody counts on."""

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

# Whose prompts are compared; where nothing is said, everybody's. The others are only there to use the pool.
COMPARED = {"revive": ("A", "C"), "taken": ("A", "D", "C")}


def _prompts(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """The prompts page by page; once a prediction is committed, with the hashes and the blocks found by them."""
    from lab.figures.prefix_chain import prefix_chain_picture  # noqa: PLC0415  (after the warm-up)

    config, steps = place.run.config, seen_steps(timeline, place.cursor)
    names = COMPARED.get(place.form) or [request.seq_id for request in config.requests]
    prompts = {name: config.request(name).prompt for name in names}
    states = [timeline.start, *(snapshot for step in steps for snapshot in step.snapshots)]
    hashes = place.run.prediction is not None or place.demonstration
    _show(prefix_chain_picture(prompts, states, words, hashes=hashes), "prompts", words)


def _counts(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """ref_count over the steps and the ledger; in view where the case is about them, else behind a title."""
    with st.expander(
        words.text("share.refcount"), expanded=place.form == "release", key=f"counts_{place.form}", on_change="rerun"
    ) as counts:
        if not counts.open:
            return
        from lab.figures.refcount import ledger, refcount_picture  # noqa: PLC0415  (after the warm-up)

        event, inside = place.cursor.event, None
        if event is not None:
            inside = (event, len(timeline.steps[place.cursor.step - 1].events))
        steps = seen_steps(timeline, place.cursor)
        _show(refcount_picture(steps, words, columns=state.columns(), inside=inside), "refcount", words, table=False)
        snapshot = seen_snapshot(timeline, place.cursor)
        st.markdown(f"**{words.text('task.ledger')}**")
        if any(view.block_table for view in snapshot.sequences):
            st.table(ledger(snapshot, words), hide_index=True)
        else:
            st.markdown(words.text("task.ledger_empty"))


def _show(picture: Picture, key: str, words: WordsOf, *, table: bool = True) -> None:
    draw(picture.spec, key=key, label=picture.sentence, dark_colors=dark_colors())
    if not table:
        st.markdown(picture.sentence)
        return
    with st.expander(words.text("task.as_table"), key=f"{key}_table", on_change="rerun") as behind:
        if behind.open:
            st.table(picture.table, hide_index=True)


lesson("share", Looks(given=_prompts, beside=_counts))
