"""The picture of the task and of a lesson: the memory, with what was predicted about its slots and where the KV is."""

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
from lessons.state import attempts
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.widgets.announce import announce
from lessons.widgets.focus import focus_on
from lessons.widgets.plot import draw


@dataclass(frozen=True)
class AskedSlots:
    """What is asked about the picture's slots: `marks` on them, what a click on one does, are its tokens hidden?

    `chosen`: the slot that the form holds so far, while it is not committed.
    """

    marks: Mapping[int, Mark]
    on_slot: Callable[[int], None] | None = None
    veiled: bool = False
    chosen: int | None = None


def ask_no_slots(_place: View, _timeline: Timeline) -> AskedSlots | None:
    """A lesson that asks about slots in its prediction alone, if at all."""
    return None


def build_asked_slots(place: View, pick: int | None, facts: Mapping[str, Outcome]) -> AskedSlots | None:
    """Slots predicted, and where the run put the token instead; None where no slot is asked for."""
    case = place.run.case
    asked = place.questions if place.run.prediction else case.questions(pick) if case else ()
    if not any(question.kind == "slot" for question in asked):
        return None
    marks: dict[int, Mark] = {}
    slots = place.run.config.num_blocks * place.run.config.block_size
    for i, question in enumerate(asked):
        if question.kind != "slot":
            continue
        if place.run.prediction:
            answer: int | None = place.run.prediction.answers[i]
        else:
            typed = str(attempts.get_field(prediction_form.get_answer_key(place, question)) or "")
            answer = int(typed) if typed.isdecimal() else None
        fact = facts.get(question.id)
        marks |= build_slot_marks(answer, fact.value if fact else None, slots)
    if place.run.prediction or place.demonstration:
        return AskedSlots(marks)
    field = next(prediction_form.get_answer_key(place, question) for question in asked if question.kind == "slot")
    return AskedSlots(marks, lambda slot: attempts.set_field(field, str(slot)), chosen=next(iter(marks), None))


def draw_picture(
    place: View,
    timeline: Timeline,
    slots: AskedSlots | None,
    words: Translations,
    under: Callable[[], None] | None = None,
) -> None:
    """The memory, a slot of it to be clicked where one is asked for, and the way through time; what belongs `under` it;
    then its sentence and its table."""
    asking = slots is not None and slots.on_slot is not None
    drawn = run_panel.build_memory_picture(
        place,
        timeline,
        words,
        marks=slots.marks if slots else None,
        slots=asking,
        veiled=slots is not None and slots.veiled,
        compact=True,
    )

    def clicked(target: str) -> None:
        kind, _, number = target.partition(":")
        if kind == "slot" and slots and slots.on_slot:
            slots.on_slot(int(number))
        else:
            run_panel.select(target)

    draw(
        drawn.spec,
        key="memory",
        label=drawn.sentence,
        dark_colors=get_dark_colors(),
        on_click=clicked,
        on_columns=attempts.set_columns,
        columns=attempts.get_measured_columns(),
    )
    if slots and slots.chosen is not None:
        _show_chosen(slots.chosen, words)
    if len(place.run.operations) > len(place.run.beginning.operations):
        run_panel.draw_time_travel(place, timeline, words)
    if under is not None:
        under()
    st.markdown(drawn.sentence)
    announce(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


def _show_chosen(slot: int, words: Translations) -> None:
    """Right below the picture what a click has done: on a phone the form's field is out of sight, so the way to it."""
    pressed = int(attempts.get_note("to_form", 0))
    with st.container(horizontal=True, vertical_alignment="center", key="chosen_slot"):
        st.markdown(words.text("slots.chosen", slot=slot), width="content")
        st.button(words.text("slots.to_form"), key="to_form", on_click=attempts.set_note, args=("to_form", pressed + 1))
    focus_on("lesson_asking", key="to_form_focus", stamp=str(pressed))
