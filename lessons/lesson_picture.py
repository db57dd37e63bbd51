"""The picture of the task and of a lesson: the memory, with what was predicted about its slots and where the KV is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from lab.figures.theme import dark_colors
from lab.moments import Outcome
from lessons import predict, run_panel, state
from lessons.aloud import say_aloud
from lessons.focus import focus_on
from lessons.place import Place
from lessons.plot import draw
from lessons.slot_marks import slot_marks
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.figures.memory_marks import Mark
    from lab.timeline import Timeline


@dataclass(frozen=True)
class Slots:
    """What is asked about the picture's slots: `marks` on them, what a click on one does, are its tokens hidden?

    `chosen`: the slot that the form holds so far, while it is not committed.
    """

    marks: Mapping[int, Mark]
    on_slot: Callable[[int], None] | None = None
    veiled: bool = False
    chosen: int | None = None


def no_slots(_place: Place, _timeline: Timeline) -> Slots | None:
    """A lesson that asks about slots in its prediction alone, if at all."""
    return None


def asked_slots(place: Place, pick: int | None, facts: Mapping[str, Outcome]) -> Slots | None:
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
            typed = str(state.field(predict.answer_key(place, question)) or "")
            answer = int(typed) if typed.isdecimal() else None
        fact = facts.get(question.id)
        marks |= slot_marks(answer, fact.value if fact else None, slots)
    if place.run.prediction or place.demonstration:
        return Slots(marks)
    field = next(predict.answer_key(place, question) for question in asked if question.kind == "slot")
    return Slots(marks, lambda slot: state.set_field(field, str(slot)), chosen=next(iter(marks), None))


def picture(
    place: Place, timeline: Timeline, slots: Slots | None, words: WordsOf, under: Callable[[], None] | None = None
) -> None:
    """The memory, a slot of it to be clicked where one is asked for, and the way through time; what belongs `under` it;
    then its sentence and its table."""
    asking = slots is not None and slots.on_slot is not None
    drawn = run_panel.memory(
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
        dark_colors=dark_colors(),
        on_click=clicked,
        on_columns=state.set_columns,
        columns=state.measured_columns(),
    )
    if slots and slots.chosen is not None:
        _chosen(slots.chosen, words)
    if len(place.run.operations) > len(place.run.beginning.operations):
        run_panel.time_travel(place, timeline, words)
    if under is not None:
        under()
    st.markdown(drawn.sentence)
    say_aloud(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


def _chosen(slot: int, words: WordsOf) -> None:
    """Right below the picture what a click has done: on a phone the form's field is out of sight, so the way to it."""
    pressed = int(state.noted("to_form", 0))
    with st.container(horizontal=True, vertical_alignment="center", key="chosen_slot"):
        st.markdown(words.text("slots.chosen", slot=slot), width="content")
        st.button(words.text("slots.to_form"), key="to_form", on_click=state.note, args=("to_form", pressed + 1))
    focus_on("lesson_asking", key="to_form_focus", stamp=str(pressed))
