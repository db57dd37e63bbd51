"""A run or a lesson that is presented without a prediction: its questions as words, its operations ahead."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from lessons.state import presenting, runs
from lessons.state.slots import Track
from lessons.text.translations import Translations
from lessons.widgets import cards


def draw_questions(questions: Sequence[str], words: Translations) -> None:
    """Draw what a learner alone would have to answer first. Plain text."""
    cards.draw_heading(2, words.text("task.predict_title"))
    st.markdown("\n".join(f"1. {question}" for question in questions))


def set_steps(track: Track, *, at_end: bool) -> None:
    """Reveal makes the next step, and Reset goes back to the first."""
    presenting.get_stage().reset = partial(runs.rewind, track)
    if not at_end:
        presenting.get_stage().reveal = partial(runs.step_on, track)
