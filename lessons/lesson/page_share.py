"""The share lesson: which blocks requests share, and what happens to a block with ref_count 0."""

from __future__ import annotations

import streamlit as st

from lab.engine.vllm_manager import VERSION
from lab.figures.prefix_chain import draw_prefix_chain
from lab.trace.timeline import Timeline
from lessons.activity.look_closer import draw_counts
from lessons.lesson.flow import LessonParts, draw_lesson
from lessons.state import attempts, runs
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets.picture_panel import draw_picture_panel

# The requests whose prompts are compared, by case; by default all. Others only take up blocks.
COMPARED = {"revive": ("A", "C"), "taken": ("A", "D", "C")}


def _draw_prompts(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the prompts page by page; once a prediction is committed, with their hashes and the blocks found."""
    config, steps = view.run.config, runs.get_seen_steps(timeline, view.cursor)
    names = COMPARED.get(view.form) or [request.seq_id for request in config.requests]
    prompts = {name: config.request(name).prompt for name in names}
    states = [timeline.start, *(snapshot for step in steps for snapshot in step.snapshots)]
    hashes = view.run.is_predicted or view.demonstration
    draw_picture_panel(draw_prefix_chain(prompts, states, words, hashes=hashes), "prompts", words, said="")


def _draw_counts(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw ref_count over the steps and the ledger. Unfolded if the case is about them."""
    with st.expander(
        words.text("share.refcount"), expanded=view.form == "release", key=f"counts_{view.form}", on_change="rerun"
    ) as counts:
        if counts.open:
            draw_counts(view, timeline, words, table="")


def _offer_vllm() -> None:
    """Draw the way to the scenarios that run vLLM beside nano-vLLM."""
    words = words_of(attempts.get_language())
    with st.container(border=True, key="share_vllm"):
        st.markdown(words.text("share.vllm_lead", version=VERSION))
        st.page_link("library/page.py", label=words.text("share.vllm_link"), query_params=attempts.get_link())


draw_lesson("share", LessonParts(given=_draw_prompts, beside=_draw_counts))
_offer_vllm()
