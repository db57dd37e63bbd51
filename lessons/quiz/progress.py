"""The row of marks above a question: right, missed, in view, or still to come."""

from __future__ import annotations

from html import escape

import streamlit as st

from lessons.quiz.attempt import QuizAttempt
from lessons.server.asset_files import read_assets
from lessons.text.translations import Translations

STYLE = f"<style>\n{read_assets('components/quiz/progress.css')}</style>"
_SIGNS = {"right": "✓", "wrong": "≠", "open": "·"}


def draw_progress(attempt: QuizAttempt, words: Translations) -> None:
    """Draw one mark for each question, with text for screen readers."""
    if attempt.played is None:
        return
    items = []
    for i in range(attempt.played.length):
        turn = attempt.turns[i] if i < len(attempt.turns) else None
        state = "open" if turn is None or turn.result is None else "wrong" if turn.missed else "right"
        texts = [words.text(f"quiz_page.mark_{state}")]
        sign = f"{i + 1} {_SIGNS[state]}"
        if turn is not None and turn.again is not None:
            texts.append(words.text("quiz_page.mark_again"))
            sign += " ↻"
        current = ' aria-current="step"' if i == attempt.index else ""
        if current:
            texts.append(words.text("quiz_page.mark_here"))
        hidden = escape(words.text("figures.semicolon").join(texts))
        items.append(f'<li class="{state}"{current}>{sign}<span class="said"> {hidden}</span></li>')
    label = escape(words.text("quiz_page.progress"))
    st.html(f'{STYLE}<ol class="kv-marks" aria-label="{label}">{"".join(items)}</ol>')
