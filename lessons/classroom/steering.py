"""The head of the instructor's windows: the steps that the phase has, the way in, the second window, the end."""

from __future__ import annotations

import streamlit as st

from lab.classroom.phases import ClassState, Step, get_steps, suggest_second_vote
from lab.classroom.tally import Tally
from lab.engine.errors import LabError
from lessons.classroom import asking, roles
from lessons.classroom.export import build_votes_csv
from lessons.classroom.invitation import draw_invitation, draw_window_link, format_code
from lessons.classroom.roles import Instructor
from lessons.classroom.service import get_service
from lessons.state import notes
from lessons.text.translations import Translations
from lessons.votable.votable import Votable

INVITES = ("lobby", "read")  # phases in which the board itself shows the way in


def draw_steering(
    leads: Instructor,
    state: ClassState,
    votable: Votable | None,
    words: Translations,
    tally: Tally | None,
    *,
    side: bool,
) -> None:
    """Draw what can be done in this phase; the usual step stands out. With the `tally`, which the class must not see,
    that is a second vote if one is worth it."""
    steps = [step for step in get_steps(state.phase) if step != "ask"]
    if "vote_again" in steps and tally is not None and suggest_second_vote(tally.right[0], tally.votes[0]):
        steps.reverse()
    with st.container(horizontal=True, width="content", key="class_steps"):
        for number, step in enumerate(steps):
            st.button(
                words.text(f"classroom.step.{step}"),
                type="secondary" if number else "primary",
                key=f"class_{step}",
                disabled=votable is None,
                on_click=take_step,
                args=(leads, step),
            )
        if "ask" in get_steps(state.phase) and state.phase != "lobby":
            # A key of its own for each question, so that the menu is closed once it is asked.
            with st.popover(words.text("classroom.ask_other"), key=f"class_asking_{state.question}_{state.phase}"):
                asking.draw_menu(leads, words)
    st.space("stretch")
    with st.container(horizontal=True, width="content", key="class_tools"):
        asking.draw_way_back(words)
        if not side and state.phase not in INVITES:
            with st.popover(format_code(leads.code), key="class_in"):
                draw_invitation(leads.code, words)
        draw_window_link(leads.code, leads.key, words)
        with st.popover(words.text("classroom.end"), key="class_end"):
            st.download_button(
                words.text("classroom.export"),
                lambda: build_votes_csv(leads),
                file_name=f"paged-kv-lab-class-{leads.code}.csv",
                mime="text/csv",
                key="class_export",
                on_click="ignore",
            )
            st.markdown(words.text("classroom.end_ask"))
            st.button(words.text("classroom.end_yes"), key="class_end_yes", on_click=_end, args=(leads,))


# --- callbacks -----------------------------------------------------------------------------------------------------


def take_step(leads: Instructor, step: Step) -> None:
    """Go on. What another window has done already is said, and nothing is lost."""
    try:
        get_service().store.take_step(leads.code, leads.key, step)
    except LabError as refusal:
        notes.flash(refusal)


def _end(leads: Instructor) -> None:
    try:
        get_service().store.end_class(leads.code, leads.key)
    except LabError as refusal:
        notes.flash(refusal)
    roles.leave_class()
