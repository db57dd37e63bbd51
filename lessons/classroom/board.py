"""The board, which the whole class sees: the way in, the question with its picture, and at the end the outcome."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.ideas import is_slip
from lab.activities.question import Grade
from lab.classroom.phases import ClassState
from lab.classroom.tally import Tally, count_votes
from lab.engine.errors import LabError
from lab.figures.picture import Picture
from lessons.activity.what_if import offer_what_if
from lessons.classroom import asking
from lessons.classroom.invitation import draw_invitation
from lessons.classroom.roles import Instructor
from lessons.classroom.service import get_service
from lessons.classroom.steering import INVITES
from lessons.classroom.votes_table import build_votes_table, describe_votes, format_bar_idea
from lessons.text.translations import Translations
from lessons.votable.find import find_votable
from lessons.votable.votable import Votable
from lessons.widgets import cards
from lessons.widgets.picture_panel import draw_picture

_COLUMNS = 4  # blocks in a row: beside the words


def find_asked(state: ClassState) -> Votable | None:
    """The question in view; None before the first, or if a process with other kinds of question has asked it."""
    try:
        return find_votable(state.spec) if state.spec else None
    except LabError:
        return None


def count(leads: Instructor, state: ClassState, votable: Votable) -> Tally:
    """What the votes on the question in view add up to. Raises NoSuchClassError, NotInstructorError."""
    votes = get_service().store.get_votes(leads.code, leads.key, state.question)
    return count_votes(votes, partial(_grade, votable))


def _grade(votable: Votable, answer: str) -> Grade:
    return votable.grade(votable.decode(answer))


def draw_board(leads: Instructor, state: ClassState, votable: Votable | None, words: Translations) -> None:
    """Draw the board for the phase. It fits a window of 1280 by 720 pixels, see classroom.css."""
    if votable is None:
        with st.container(key="class_waiting"):
            with st.container(key="class_question"):
                st.markdown(words.text("classroom.nothing_asked"))
                asking.draw_menu(leads, words)
            with st.container(key="class_way_in"):
                draw_invitation(leads.code, words)
        return
    if state.phase == "revealed":
        _draw_reveal(votable, count(leads, state, votable), state, words)
        return
    before = votable.draw_before(words, _COLUMNS)
    with st.container(key="class_asked"):  # a grid: the question, its picture, the way in
        with st.container(key="class_question"):
            draw_question(votable, state, words)
        if before is not None:
            with st.container(key="class_picture"):
                _draw(before, "class_before")
        if state.phase in INVITES:
            with st.container(key="class_way_in"):
                draw_invitation(leads.code, words)


def draw_question(votable: Votable, state: ClassState, words: Translations) -> None:
    """Draw the question with its scenario; nothing in it tells the answer."""
    st.html(f'<p class="kv-class-number">{words.text("classroom.question", number=state.question)}</p>')
    cards.draw_lines(votable.describe(words), is_plain=votable.is_plain)
    cards.draw_heading(2, votable.ask(words))
    if votable.question.form in ("choice", "several", "order"):
        lines = [votable.format_choice(str(choice), words) for choice in votable.question.choices]
        st.markdown("\n".join(f"- {line}" for line in lines))


def _draw_reveal(votable: Votable, tally: Tally, state: ClassState, words: Translations) -> None:
    """Draw what the engine did where the question's picture was, and what the class answered beside it."""
    pictures = votable.draw_after(words, _COLUMNS)
    commonest = tally.commonest_wrong
    with st.container(key="class_outcome"):
        with st.container(key="class_question"):
            st.html(f'<p class="kv-class-number">{words.text("classroom.question", number=state.question)}</p>')
            cards.draw_heading(2, votable.ask(words))
            st.markdown(words.text("classroom.right_is", answer=votable.format_value(votable.get_answer(), words)))
            if tally.bars:
                st.html(build_votes_table(tally, votable, words))
            lines = describe_votes(tally, votable, words)
            if commonest is not None:
                lines.append(words.text("classroom.commonest", idea=format_bar_idea(commonest, words)))
            if lines:
                st.markdown("\n".join(f"- {line}" for line in lines))
            cards.draw_lines([votable.explain(votable.get_answer(), words)], is_plain=votable.is_plain)
        with st.container(key="class_picture"):
            for number, picture in enumerate(pictures):
                _draw(picture, f"class_after_{number}")
    if commonest is not None and not is_slip(commonest.idea):
        with st.container(key="class_commonest"):
            offer_what_if(commonest.idea, *votable.run, words, key="class", title="classroom.run_commonest")


def _draw(picture: Picture, key: str) -> None:
    draw_picture(picture, key)
