"""A lecture: the scenarios kept in this browser, in their order, opened as one. The keys J and K go on and back."""

from __future__ import annotations

import streamlit as st

from lab.sandbox.scenario import Scenario, State
from lessons.sandbox import attempt as sandbox
from lessons.sandbox import saved_scenarios
from lessons.sandbox.saved_scenarios import SavedScenario
from lessons.state import notes
from lessons.text.translations import Translations


def find_place(scenario: Scenario) -> tuple[int, int] | None:
    """Return which scenario of the lecture is in view, from 1, and how many there are; None if it is none of them.

    The one that was opened stays in view while it is being worked on, as long as no other is opened.
    """
    saved, name = saved_scenarios.get_saved(), notes.get_note(sandbox.FROM_LECTURE)
    at = next((i for i, each in enumerate(saved, 1) if each.name == name), None)
    if at is None:
        at = next((i for i, each in enumerate(saved, 1) if each.state.scenario == scenario), None)
    return (at, len(saved)) if at is not None else None


def open_place(saved: SavedScenario, *, at_beginning: bool = True) -> bool:
    """In a callback: open a scenario of the lecture. If it cannot be opened, show why and return False."""
    is_open = sandbox.open_state(State(saved.state.scenario, 0) if at_beginning else saved.state)
    notes.set_note(sandbox.FROM_LECTURE, saved.name if is_open else None)
    return is_open


def draw_place(scenario: Scenario, words: Translations) -> None:
    """Draw the place in the lecture with buttons to the neighbours; nothing outside a lecture of at least two."""
    place = find_place(scenario)
    if place is None or place[1] < 2:
        return
    at, total = place
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="lecture_place"):
        st.markdown(words.text("authoring.place", number=at, total=total))
        for name, by, shortcut in (("previous", -1, "k"), ("next", 1, "j")):
            st.button(
                words.text(f"authoring.{name}"),
                key=f"lecture_{name}",
                shortcut=shortcut,
                disabled=not 1 <= at + by <= total,
                on_click=_turn,
                args=(at + by,),
            )


def _turn(at: int) -> None:
    saved = saved_scenarios.get_saved()
    if 1 <= at <= len(saved):
        open_place(saved[at - 1])
