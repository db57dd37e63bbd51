"""The start of a round: block_size, difficulty and length, and a way back to an unfinished round."""

from __future__ import annotations

import streamlit as st

from lab.quiz.question import DIFFICULTIES
from lab.quiz.round import LENGTH
from lab.quiz.words import format_difficulty
from lab.trace.config import MAX_BLOCK_SIZE
from lessons.quiz import attempt as quiz
from lessons.quiz.attempt import DEFAULT_DIFFICULTY, DEFAULT_SIZE, LENGTHS
from lessons.state import notes
from lessons.text.translations import Translations
from lessons.widgets import cards


def draw_start(words: Translations) -> None:
    """Draw the unfinished round, if there is one, then the settings and the button."""
    st.markdown(words.text("quiz_page.lead"))
    rounds = quiz.get_saved()
    unfinished = rounds[-1] if rounds and not rounds[-1].over else None
    if unfinished is not None:
        with st.container(border=True, key="quiz_left"):
            cards.draw_heading(2, words.text("quiz_page.go_on_title"))
            st.markdown(
                words.text(
                    "quiz_page.left_off",
                    answered=len(unfinished.answers),
                    length=unfinished.length,
                    block_size=unfinished.block_size,
                    difficulty=format_difficulty(unfinished.difficulty, words),
                )
            )
            label = words.text("quiz_page.go_on")
            st.button(label, type="primary", key="quiz_go_on", on_click=quiz.go_on, args=(unfinished,))
    with st.container(border=True, key="quiz_settings"):
        cards.draw_heading(2, words.text("quiz_page.settings"))
        st.slider(words.text("quiz_page.block_size"), 1, MAX_BLOCK_SIZE, DEFAULT_SIZE, key="quiz_size", width=420)
        st.segmented_control(
            words.text("quiz_page.difficulty"),
            DIFFICULTIES,
            default=DEFAULT_DIFFICULTY,
            key="quiz_difficulty",
            required=True,
            format_func=lambda name: format_difficulty(name, words),
        )
        st.segmented_control(words.text("quiz_page.length"), LENGTHS, default=LENGTH, key="quiz_length", required=True)
        label = words.text("quiz_page.new_round" if rounds else "quiz_page.begin")
        st.button(label, type="secondary" if unfinished else "primary", key="quiz_begin", on_click=_begin)


def _begin() -> None:
    difficulty = notes.get_field("quiz_difficulty")
    quiz.begin(
        int(notes.get_field("quiz_size") or DEFAULT_SIZE),
        difficulty if difficulty in DIFFICULTIES else DEFAULT_DIFFICULTY,
        int(notes.get_field("quiz_length") or LENGTH),
    )
