"""The class page: the instructor opens a class, asks, closes, reveals; the board that the class sees.

The second window (`window=side` in the address) shows what the class must not see yet.
"""

from __future__ import annotations

from functools import partial
from secrets import randbelow

import streamlit as st

from lab.classroom.errors import NoSuchClassError
from lab.classroom.phases import ClassState, Phase, Step, get_steps, suggest_second_vote
from lab.classroom.tally import Graded, Tally, count_votes
from lab.engine.errors import LabError
from lab.figures.theme import get_dark_colors
from lab.quiz.generate import KINDS, generate
from lab.quiz.question import DIFFICULTIES, MAX_SEED
from lab.quiz.round import is_slip
from lab.quiz.words import format_difficulty, format_kind
from lab.trace.config import MAX_BLOCK_SIZE
from lessons.activity.flow import wait_for_engine
from lessons.activity.what_if import offer_what_if
from lessons.classroom import roles
from lessons.classroom.events import listen
from lessons.classroom.export import build_votes_csv
from lessons.classroom.invitation import draw_invitation, draw_window_link
from lessons.classroom.questions import QuizVotable, Votable, find_votable
from lessons.classroom.roles import Instructor
from lessons.classroom.service import get_service
from lessons.classroom.votes_table import (
    build_votes_table,
    describe_moves,
    describe_sureness,
    format_idea,
)
from lessons.state import attempts, notes, record, viewport
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.plot import draw

SIDE = "side"


def draw_page() -> None:
    """Draw the page for who this browser is."""
    words = words_of(attempts.get_language())
    cards.draw_heading(1, words.text("classroom.title"))
    leads = roles.get_instructor()
    state = _find_state(leads)
    listen(state, words, counts=True, on_key=roles.take_key)
    if refusal := notes.pop_flash():
        st.warning(format_error(refusal, words))
    if not record.is_known():
        return
    if leads is None or state is None:
        _draw_opening(leads is not None, words)
        return
    wait_for_engine(words)
    side = attempts.get_value("window") == SIDE
    votable = _find_votable(state)
    asking, telling = st.columns((3, 2), gap="large")
    with asking:
        if votable is None:
            st.markdown(words.text("classroom.nothing_asked"))
        else:
            _draw_question(votable, state, words)
    with telling:
        st.markdown(f"**{words.text(f'classroom.now.{state.phase}')}**")
        _draw_steps(leads, state.phase, votable, words)
        if side and votable is not None:
            _draw_side(leads, state, votable, words)
        elif not side:
            draw_invitation(leads.code, words)
    if state.phase == "revealed" and votable is not None:
        _draw_reveal(votable, _count(leads, state, votable), words)
    if "ask" in get_steps(state.phase):
        _draw_asking(leads, words)
    _draw_end(leads, side, words)


def _find_state(leads: Instructor | None) -> ClassState | None:
    """The state of the class that this browser leads; None if it leads none, or if that class is over."""
    try:
        return get_service().store.get_state(leads.code) if leads else None
    except NoSuchClassError:
        return None


def _find_votable(state: ClassState) -> Votable | None:
    try:
        return find_votable(state.spec) if state.spec else None
    except LabError:  # asked by a process with other kinds of question
        return None


def _count(leads: Instructor, state: ClassState, votable: Votable) -> Tally:
    votes = get_service().store.get_votes(leads.code, leads.key, state.question)
    return count_votes(votes, partial(_grade, votable))


def _grade(votable: Votable, answer: str) -> Graded:
    return votable.grade(votable.decode(answer))


def _draw_opening(was_open: bool, words: Translations) -> None:
    if was_open:
        st.info(words.text("classroom.over"))
    st.markdown(words.text("classroom.lead"))
    st.button(words.text("classroom.open"), type="primary", key="class_open", on_click=roles.open_class)


def _draw_question(votable: Votable, state: ClassState, words: Translations) -> None:
    """Draw the question with its scenario and its picture, which show no answer."""
    cards.draw_heading(2, words.text("classroom.question", number=state.question))
    st.markdown("  \n".join(votable.describe(words)))
    st.markdown(f"### {votable.ask(words)}")
    if votable.question.form in ("choice", "several", "order"):
        lines = [votable.format_choice(str(choice), words) for choice in votable.question.choices]
        st.markdown("\n".join(f"- {line}" for line in lines))
    picture = votable.draw_before(words, viewport.get_columns()) if state.phase != "revealed" else None
    if picture is not None:
        draw(picture.spec, key="class_before", label=picture.sentence, dark_colors=get_dark_colors())
        st.markdown(picture.sentence)


def _draw_steps(leads: Instructor, phase: Phase, votable: Votable | None, words: Translations) -> None:
    """Draw the steps that this phase has; the usual one stands out."""
    with st.container(horizontal=True, key="class_steps"):
        for number, step in enumerate(each for each in get_steps(phase) if each != "ask"):
            st.button(
                words.text(f"classroom.step.{step}"),
                type="secondary" if number else "primary",
                key=f"class_{step}",
                disabled=votable is None,
                on_click=_take_step,
                args=(leads, step),
            )


def _draw_side(leads: Instructor, state: ClassState, votable: Votable, words: Translations) -> None:
    """Draw what only the instructor may see: the right answer, the likely wrong ones, the votes so far."""
    cards.draw_heading(2, words.text("classroom.side"))
    answer = votable.format_value(votable.get_answer(), words)
    st.markdown(words.text("classroom.right_is", answer=answer))
    likely = [
        f"- {votable.format_value(value, words)} · {votable.name_idea(idea, words)}"
        for idea, value in votable.list_wrong()
    ]
    if likely:
        st.markdown(f"{words.text('classroom.likely')}\n" + "\n".join(likely))
    tally = _count(leads, state, votable)
    if tally.bars and state.phase != "revealed":
        st.html(build_votes_table(tally, votable, words))
    if state.phase == "closed":
        talk = suggest_second_vote(tally.right[0], tally.votes[0])
        key = "classroom.talk" if talk else "classroom.no_talk"
        st.info(words.text(key, right=tally.right[0], votes=tally.votes[0]))


def _draw_reveal(votable: Votable, tally: Tally, words: Translations) -> None:
    """Draw what the engine did, and what the class answered."""
    cards.draw_heading(2, words.text("classroom.revealed"))
    st.markdown(words.text("classroom.right_is", answer=votable.format_value(votable.get_answer(), words)))
    for number, picture in enumerate(votable.draw_after(words, viewport.get_columns())):
        draw(picture.spec, key=f"class_after_{number}", label=picture.sentence, dark_colors=get_dark_colors())
        st.markdown(picture.sentence)
    st.markdown(votable.explain(votable.get_answer(), words))
    if not tally.bars:
        return
    st.html(build_votes_table(tally, votable, words))
    lines = [*describe_moves(tally, votable, words), *describe_sureness(tally, words)]
    if lines:
        st.markdown("\n".join(f"- {line}" for line in lines))
    commonest = tally.commonest_wrong
    if commonest is not None:
        st.markdown(words.text("classroom.commonest", idea=format_idea(commonest, votable, words)))
        if not is_slip(commonest.idea):
            offer_what_if(commonest.idea, *votable.run, words, key="class")


def _draw_asking(leads: Instructor, words: Translations) -> None:
    """Offer a question of any kind of the quiz, with new numbers each time."""
    with st.container(border=True, key="class_asking"):
        cards.draw_heading(2, words.text("classroom.ask_title"))
        left, middle, right = st.columns((3, 2, 2))
        left.selectbox(
            words.text("classroom.kind"), KINDS, key="class_kind", format_func=lambda kind: format_kind(kind, words)
        )
        middle.slider(words.text("quiz_page.block_size"), 1, MAX_BLOCK_SIZE, 4, key="class_size")
        right.selectbox(
            words.text("quiz_page.difficulty"),
            DIFFICULTIES,
            key="class_difficulty",
            format_func=lambda name: format_difficulty(name, words),
        )
        st.button(words.text("classroom.step.ask"), key="class_ask", on_click=_ask_kind, args=(leads,))


def _draw_end(leads: Instructor, side: bool, words: Translations) -> None:
    with st.container(horizontal=True, key="class_end_row"):
        if not side:
            draw_window_link(leads.code, leads.key, words)
        name = f"paged-kv-lab-class-{leads.code}.csv"
        st.download_button(
            words.text("classroom.export"),
            lambda: build_votes_csv(leads),
            file_name=name,
            mime="text/csv",
            key="class_export",
            on_click="ignore",
        )
        with st.popover(words.text("classroom.end"), key="class_end"):
            st.markdown(words.text("classroom.end_ask"))
            st.button(words.text("classroom.end_yes"), key="class_end_yes", on_click=_end, args=(leads,))


# --- callbacks -----------------------------------------------------------------------------------------------------


def _take_step(leads: Instructor, step: Step, spec: str = "") -> None:
    """Go on. What another window has done already is no error for who presses the same button here."""
    try:
        get_service().store.take_step(leads.code, leads.key, step, spec)
    except LabError as refusal:
        notes.flash(refusal)


def _ask_kind(leads: Instructor) -> None:
    kind, size, difficulty = (notes.get_field(f"class_{name}") for name in ("kind", "size", "difficulty"))
    try:
        question = generate(
            str(kind), randbelow(MAX_SEED + 1), int(size or 4), next(d for d in DIFFICULTIES if d == difficulty)
        )
    except LabError as refusal:
        notes.flash(refusal)
        return
    _take_step(leads, "ask", QuizVotable(question).spec)


def _end(leads: Instructor) -> None:
    try:
        get_service().store.end_class(leads.code, leads.key)
    except LabError as refusal:
        notes.flash(refusal)
    roles.leave_class()


draw_page()
