"""The class page: the instructor opens a class, asks, closes, reveals; the board that the class sees.

The second window (`window=side` in the address) shows what the class must not see yet.
"""

from __future__ import annotations

import streamlit as st

from lab.classroom.errors import NoSuchClassError
from lab.classroom.phases import ClassState
from lessons.activity.flow import wait_for_engine
from lessons.classroom import asking, roles
from lessons.classroom.board import count, draw_board, find_asked
from lessons.classroom.events import listen, tell_if_away
from lessons.classroom.follow import draw_presented
from lessons.classroom.roles import Instructor
from lessons.classroom.service import get_service
from lessons.classroom.side import draw_side
from lessons.classroom.steering import draw_steering
from lessons.state import attempts, notes, record
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards

SIDE = "side"


def draw_page() -> None:
    """Draw the page for who this browser is."""
    words = words_of(attempts.get_language())
    if record.is_known():
        asking.ask_presented()
    leads = roles.get_instructor()
    state = _find_state(leads)
    if record.is_known() and leads is not None and state is not None:
        _draw_class(leads, state, words)
        return
    if attempts.get_value("window") == SIDE:
        with st.container(key="class_side"):
            cards.draw_heading(1, words.text("classroom.second_window"))
            if leads is not None:
                st.info(words.text("classroom.over"))
            _offer_device(words)
            draw_presented(words, in_class=False)
            listen(None, words, on_key=roles.take_key)
            _draw_refusal(words)
        return
    cards.draw_heading(1, words.text("classroom.title"))
    listen(None, words, on_key=roles.take_key)
    _draw_refusal(words)
    if record.is_known():
        _draw_opening(leads is not None, words)


def _draw_class(leads: Instructor, state: ClassState, words: Translations) -> None:
    side = attempts.get_value("window") == SIDE
    with st.container(key="class_side" if side else "class_board"):
        cards.draw_heading(1, words.text("classroom.title"))
        wait_for_engine(words)
        votable = find_asked(state)
        tally = count(leads, state, votable) if side and votable else None
        with st.container(horizontal=True, vertical_alignment="center", key="class_head"):
            with st.container(width="content", gap=None, key="class_status"):
                listen(state, words, counts=True, live=side, on_key=roles.take_key)
                st.markdown(f"**{words.text(f'classroom.now.{state.phase}')}**", width="content")
            draw_steering(leads, state, votable, words, tally, side=side)
        _draw_refusal(words)
        if side:
            draw_presented(words, in_class=True)
            draw_side(state, votable, tally, words)
        else:
            draw_board(leads, state, votable, words)


def _offer_device(words: Translations) -> None:
    """Offer a class, with which another device can be the second window: its code is then on this page."""
    if record.is_known():
        with st.popover(words.text("classroom.on_phone"), key="class_on_phone"):
            st.markdown(words.text("classroom.on_phone_lead"))
            st.button(words.text("classroom.on_phone_open"), key="class_open_quietly", on_click=roles.open_class)


def _draw_refusal(words: Translations) -> None:
    if refusal := notes.pop_flash():
        st.warning(format_error(refusal, words))


def _find_state(leads: Instructor | None) -> ClassState | None:
    """The state of the class that this browser leads; None if it leads none, or if that class is over."""
    try:
        return get_service().store.get_state(leads.code) if leads else None
    except NoSuchClassError:
        return None


def _draw_opening(was_open: bool, words: Translations) -> None:
    if was_open:
        st.info(words.text("classroom.over"))
    st.markdown(words.text("classroom.lead"))
    st.button(words.text("classroom.open"), type="primary", key="class_open", on_click=roles.open_class)
    st.page_link("course_reports/page.py", label=words.text("classroom.reports"), query_params=attempts.get_link())


led = roles.get_instructor()
with tell_if_away(words_of(attempts.get_language()), led.code if led else ""):
    draw_page()
