"""The instructor's second window: what the class must not see yet. It steers as the board does."""

from __future__ import annotations

import streamlit as st

from lab.classroom.phases import ClassState, suggest_second_vote
from lab.classroom.tally import Tally
from lab.quiz.words import format_idea
from lessons.classroom.board import draw_question
from lessons.classroom.votes_table import build_votes_table, describe_votes
from lessons.text.translations import Translations
from lessons.votable.votable import Votable
from lessons.widgets import cards


def draw_side(state: ClassState, votable: Votable | None, tally: Tally | None, words: Translations) -> None:
    """Draw the right answer, the likely wrong ones with their ideas, and the votes so far."""
    if votable is None or tally is None:
        st.markdown(words.text("classroom.nothing_asked"))
        return
    asked, known = st.columns(2, gap="large")
    with asked:
        draw_question(votable, state, words)
    with known:
        cards.draw_heading(2, words.text("classroom.side"))
        answer = votable.format_value(votable.get_answer(), words)
        st.markdown(words.text("classroom.right_is", answer=answer))
        likely = [
            f"- {votable.format_value(value, words)} · {format_idea(idea, words)}"
            for idea, value in votable.list_wrong()
        ]
        if likely:
            st.markdown(f"{words.text('classroom.likely')}\n" + "\n".join(likely))
        if state.phase == "closed":
            talk = suggest_second_vote(tally.right[0], tally.votes[0])
            key = "classroom.talk" if talk else "classroom.no_talk"
            st.info(words.text(key, right=tally.right[0], votes=tally.votes[0]))
        if tally.bars:
            st.html(build_votes_table(tally, votable, words))
            lines = describe_votes(tally, votable, words)
            if lines:
                st.markdown("\n".join(f"- {line}" for line in lines))
