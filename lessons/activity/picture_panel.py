"""The memory picture of the task and the lessons, with marks on predicted slots and on the slots of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from lab.activities.trace_points import Outcome
from lab.figures.memory.marks import Mark
from lab.figures.theme import get_dark_colors
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.slot_marks import build_slot_marks
from lessons.state import notes, viewport
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.widgets.announce import announce
from lessons.widgets.focus import focus_on
from lessons.widgets.plot import draw


@dataclass(frozen=True)
class AskedSlots:
    """A question about the picture's slots.

    marks        marks on slots.
    on_slot      called with the slot that was clicked; None if slots cannot be clicked.
    hide_tokens  the picture does not show which token lies in which slot.
    chosen       the slot in the form, before it is committed.
    """

    marks: Mapping[int, Mark]
    on_slot: Callable[[int], None] | None = None
    hide_tokens: bool = False
    chosen: int | None = None


def ask_no_slots(_view: View, _timeline: Timeline) -> AskedSlots | None:
    """For a lesson that asks about slots only in its prediction, if at all: no question in the picture."""
    return None


def build_asked_slots(view: View, pick: int | None, facts: Mapping[str, Outcome]) -> AskedSlots | None:
    """Mark the predicted slots and those of the run; None if no question is about a slot."""
    case = view.run.case
    asked = view.questions if view.run.prediction else case.questions(pick) if case else ()
    if not any(question.form == "slot" for question in asked):
        return None
    marks: dict[int, Mark] = {}
    slots = view.run.config.num_blocks * view.run.config.block_size
    for i, question in enumerate(asked):
        if question.form != "slot":
            continue
        if view.run.prediction:
            answer: int | None = view.run.prediction.answers[i]
        else:
            text = str(notes.get_field(prediction_form.get_answer_key(view, question)) or "")
            answer = int(text) if text.isdecimal() else None
        fact = facts.get(question.id)
        marks |= build_slot_marks(answer, fact.value if fact else None, slots)
    if view.run.prediction or view.demonstration:
        return AskedSlots(marks)
    field = next(prediction_form.get_answer_key(view, question) for question in asked if question.form == "slot")
    return AskedSlots(marks, lambda slot: notes.set_field(field, str(slot)), chosen=next(iter(marks), None))


def draw_picture(
    view: View,
    timeline: Timeline,
    slots: AskedSlots | None,
    words: Translations,
    under: Callable[[], None] | None = None,
) -> None:
    """Draw the memory picture, time travel, what `under` draws, then the picture's sentence and table.

    If a slot is asked for, a click on a slot answers.
    """
    asking = slots is not None and slots.on_slot is not None
    picture = run_panel.build_memory_picture(
        view,
        timeline,
        words,
        marks=slots.marks if slots else None,
        slots=asking,
        hide_tokens=slots is not None and slots.hide_tokens,
        compact=True,
    )

    def clicked(target: str) -> None:
        kind, _, number = target.partition(":")
        if kind == "slot" and slots and slots.on_slot:
            slots.on_slot(int(number))
        else:
            run_panel.select(target)

    draw(
        picture.spec,
        key="memory",
        label=picture.sentence,
        dark_colors=get_dark_colors(),
        on_click=clicked,
        on_columns=viewport.set_columns,
        columns=viewport.get_measured_columns(),
    )
    if slots and slots.chosen is not None:
        _show_chosen(slots.chosen, words)
    if len(view.run.operations) > len(view.run.beginning.operations):
        run_panel.draw_time_travel(view, timeline, words)
    if under is not None:
        under()
    st.markdown(picture.sentence)
    announce(picture.sentence)
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(picture.table, hide_index=True)


def _show_chosen(slot: int, words: Translations) -> None:
    """Show the clicked slot right below the picture, with a button to the form: on a phone the form is out of sight."""
    pressed = int(notes.get_note("to_form", 0))
    with st.container(horizontal=True, vertical_alignment="center", key="chosen_slot"):
        st.markdown(words.text("slots.chosen", slot=slot), width="content")
        st.button(words.text("slots.to_form"), key="to_form", on_click=notes.set_note, args=("to_form", pressed + 1))
    focus_on("lesson_asking", key="to_form_focus", stamp=str(pressed))
