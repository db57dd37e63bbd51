"""What the instructor can ask: a kind of the quiz with new numbers, a prediction of the course, a library's key step.

A presented page names its question (lessons/state/presenting.py); asked from there, the board offers the way back.
"""

from __future__ import annotations

from secrets import randbelow

import streamlit as st

from lab.engine.errors import LabError
from lab.quiz.generate import KINDS, generate
from lab.quiz.question import DIFFICULTIES, MAX_SEED
from lab.quiz.words import format_difficulty, format_kind
from lab.trace.config import MAX_BLOCK_SIZE
from lessons.classroom.roles import Instructor, get_instructor
from lessons.classroom.service import get_service
from lessons.state import notes, presenting
from lessons.text.translations import Translations
from lessons.votable.find import find_votable, list_prepared
from lessons.votable.quiz import QuizVotable

_SOURCES = ("quiz", "course", "library")


def draw_menu(leads: Instructor, words: Translations) -> None:
    """Offer every question that can be asked."""
    source = st.segmented_control(
        words.text("classroom.ask_title"),
        _SOURCES,
        default="quiz",
        required=True,
        key="class_source",
        format_func=lambda name: words.text(f"classroom.source.{name}"),
    )
    with st.container(key="class_ask_fields"):
        if source == "quiz":
            st.selectbox(
                words.text("classroom.kind"), KINDS, key="class_kind", format_func=lambda kind: format_kind(kind, words)
            )
            left, right = st.columns(2)
            left.slider(words.text("quiz_page.block_size"), 1, MAX_BLOCK_SIZE, 4, key="class_size")
            right.selectbox(
                words.text("quiz_page.difficulty"),
                DIFFICULTIES,
                key="class_difficulty",
                format_func=lambda name: format_difficulty(name, words),
            )
            st.button(words.text("classroom.step.ask"), key="class_ask", on_click=_ask_kind, args=(leads,))
        else:
            specs = list_prepared(str(source))
            key = f"class_spec_{source}"
            st.selectbox(
                words.text("classroom.which"),
                specs,
                key=key,
                format_func=lambda spec: find_votable(spec).name(words),
            )
            st.button(words.text("classroom.step.ask"), key="class_ask", on_click=_ask_chosen, args=(leads, key))


def draw_way_back(words: Translations) -> None:
    """Offer the way back to the page whose question was asked."""
    page = notes.get_note("class.came_from")
    if page:
        st.button(words.text("classroom.back"), key="class_back", on_click=presenting.go_to, args=(page,))


def ask_presented() -> None:
    """After a key press on a presented page: ask the first of its questions that this class has not had yet."""
    leads = get_instructor()
    specs = presenting.pop_wanted() if leads is not None else ()
    if specs and leads is not None:
        try:
            asked = get_service().store.get_specs(leads.code, leads.key).values()
        except LabError as refusal:
            notes.flash(refusal)
            return
        can = [spec for spec in specs if _is_votable(spec)]
        if can:
            _ask(leads, next((spec for spec in can if spec not in asked), can[0]))


def _is_votable(spec: str) -> bool:
    try:
        find_votable(spec)
    except LabError:
        return False
    return True


# --- callbacks -----------------------------------------------------------------------------------------------------


def _ask(leads: Instructor, spec: str) -> None:
    try:
        find_votable(spec)
        get_service().store.take_step(leads.code, leads.key, "ask", spec)
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
    notes.set_note("class.came_from", "")
    _ask(leads, QuizVotable(question).spec)


def _ask_chosen(leads: Instructor, key: str) -> None:
    notes.set_note("class.came_from", "")
    _ask(leads, str(notes.get_field(key)))
