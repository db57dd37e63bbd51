"""The row of marks above a question: right, missed, in view, or still to come."""

from __future__ import annotations

from html import escape

import streamlit as st

from lessons.quiz.attempt import QuizAttempt
from lessons.text.translations import Translations

STYLE = """
<style>
ol.kv-marks { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem; margin: 0; padding: 0; }
ol.kv-marks li { min-width: 2.1rem; padding: .1rem .35rem; border-radius: .4rem; text-align: center; font-size: .85rem;
  margin: 0; border: 1px solid color-mix(in srgb, currentColor 30%, transparent); }
ol.kv-marks li.right { border: 2px solid #1a7f5a; } ol.kv-marks li.wrong { border: 2px dashed #c2560c; }
ol.kv-marks li[aria-current] { outline: 2px solid currentColor; outline-offset: 1px; font-weight: 700; }
ol.kv-marks .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
</style>
"""
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
