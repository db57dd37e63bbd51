"""The memory picture of the task and the lessons, with marks on predicted slots and on the slots of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from typing import Any

import streamlit as st

from lab.activities.cases.plan import compute_ahead, remaining
from lab.activities.trace_points import Outcome
from lab.figures.memory.marks import Mark
from lab.figures.memory.metrics import Detail
from lab.figures.memory.projected import ROOM_BELOW_TITLE
from lab.figures.picture import Picture
from lab.trace.operations import encode_operation
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.run_film import (
    AskSlots,
    DrawMore,
    FilmStyle,
    ask_no_slots,
    build_rows,
    build_run_film,
    build_track_seek,
    draw_run_player,
    hash_log,
    look_ahead,
)
from lessons.activity.slot_marks import AskedSlots, build_slot_marks
from lessons.presenter.detail import find_detail
from lessons.server.ahead import Outlook, offer_outlook
from lessons.state import attempts, notes, presenting, viewport
from lessons.state.session import get_session
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.widgets.after_page import focus_on
from lessons.widgets.film import describe_ahead
from lessons.widgets.picture_files import draw_picture_files
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import STEPPING, PlayerLook, mount_ahead

_PARTS = ("stage", "controls", "headline", "sentence", "story")
_PRESENTED_PARTS = ("headline", "stage", "controls", "sentence", "story")  # an event is told above the window's edge


def build_asked_slots(view: View, pick: int | None, observe: Callable[[], Mapping[str, Outcome]]) -> AskedSlots | None:
    """Mark the predicted slots and those of the run, which `observe` gives; None if no question is about a slot."""
    asked = view.run.case.questions(pick)
    if not any(question.form == "slot" for question in asked):
        return None
    facts = observe()
    marks: dict[int, Mark] = {}
    slots = view.run.config.num_blocks * view.run.config.block_size
    for i, question in enumerate(asked):
        if question.form != "slot":
            continue
        if view.run.is_predicted:
            answer: int | None = view.run.answers[i].number
        else:
            text = str(notes.get_field(prediction_form.get_answer_key(view, question)) or "")
            answer = int(text) if text.isdecimal() else None
        fact = facts.get(question.id)
        marks |= build_slot_marks(answer, fact.value if fact else None, slots)
    if view.run.is_predicted or view.demonstration:
        return AskedSlots(marks)
    field = next(prediction_form.get_answer_key(view, question) for question in asked if question.form == "slot")
    return AskedSlots(marks, lambda slot: notes.set_field(field, str(slot)), chosen=next(iter(marks), None))


def draw_run_picture(
    view: View,
    timeline: Timeline,
    words: Translations,
    asked: AskSlots = ask_no_slots,
    *,
    under: DrawMore | None = None,
    under_table: str = "",
) -> Callable[[], None]:
    """Draw the memory picture with its player, with what `under` draws below it, and the tables.

    Returns what is to be called at the end of the page: it sends the frames of the suggested operation ahead.
    `under_table`: key of the title of that figure's table.

    If a slot is asked for, a click on a slot answers.
    """
    slots = asked(view, timeline)
    begun = len(view.run.operations) > len(view.run.beginning.operations)

    def clicked(target: str) -> None:
        kind, _, number = target.partition(":")
        if kind == "slot" and slots and slots.on_slot:
            slots.on_slot(int(number))
        else:
            run_panel.select(target)

    selected = run_panel.get_selected()
    # The reason of a refusal stands by the buttons, see run_panel.draw_actions.
    detail, tallest = (None, 0.0) if under else _find_detail(view, timeline, words)
    style = FilmStyle(
        viewport.get_measured_columns(), True, selected, refusals=False, asked=asked, under=under, detail=detail
    )
    film = build_run_film(view, timeline, words, style)
    draw_run_player(
        view,
        film,
        PlayerLook(
            _PRESENTED_PARTS if presenting.is_on() else _PARTS,
            STEPPING if begun else (),
            keys="all" if presenting.is_on() else "arrows",
            stacked=True,
            tells_ahead=not presenting.is_on(),
            tallest=tallest,
        ),
        words,
        rows=build_rows(timeline.steps, words),
        seek=build_track_seek(view),
        style=style,
        on_click=clicked,
        ahead=_offer_outlook(view, words, style),
    )
    if slots and slots.chosen is not None:
        _show_chosen(slots.chosen, words)
    if begun and not view.at_end:
        with st.container(horizontal=True, vertical_alignment="center", key="looking_back"):
            st.markdown(words.text("task.looking_back"))
            label = words.text("task.return_to_end")
            st.button(label, key="return_to_end", on_click=attempts.seek, args=(view.track, None))
    if under is not None and (drawn := under(view, timeline, words)) is not None:
        draw_tables("under_table", words, lambda: [("", drawn)], under_table)

    def build() -> list[tuple[str, Picture]]:
        return [("", run_panel.build_memory_picture(view, timeline, words, columns=style.columns, compact=True))]

    files = f"paged-kv-{view.track.lesson or 'task'}"
    draw_tables("memory_table", words, build, "task.table_and_files", lambda: draw_picture_files(files, words))

    def send_ahead() -> None:
        suggested = run_panel.find_suggestion(view, timeline) if view.run.is_predicted else None
        rest = remaining(view.plan, timeline.steps)[1:]
        if suggested and (ahead := look_ahead(view, words, style, suggested, rest)):
            mount_ahead(ahead)

    return send_ahead


def _find_detail(view: View, timeline: Timeline, words: Translations) -> tuple[Detail | None, float]:
    """The detail for the whole plan, so that nothing jumps as it is done."""
    if not presenting.is_on():
        return None, 0
    whole = (*timeline.operations, *remaining(view.plan, timeline.steps))
    return find_detail(words, compute_ahead(timeline.config, whole) or timeline, room=ROOM_BELOW_TITLE)


def _offer_outlook(view: View, words: Translations, style: FilmStyle) -> str:
    """Offer the frames of every operation to a browser that asks as its button is pressed. Returns their address.

    Empty before the prediction, and for a style that uses the session.
    """
    if not view.run.is_predicted or style.asked is not ask_no_slots:
        return ""

    def look(text: str) -> dict[str, Any] | None:
        operation = next((each for each in view.offered if encode_operation(each) == text), None)
        ahead = look_ahead(view, words, style, operation) if operation else None
        return describe_ahead(ahead) if ahead else None

    session, outlook = get_session(), Outlook(hash_log(view.run), look)
    secret = session.get("outlook.secret") or token_urlsafe(16)
    session.update({"outlook": outlook, "outlook.secret": secret})
    return offer_outlook(secret, outlook)


def _show_chosen(slot: int, words: Translations) -> None:
    """Show the clicked slot right below the picture, with a button to the form: on a phone the form is out of sight."""
    pressed = int(notes.get_note("to_form", 0))
    with st.container(horizontal=True, vertical_alignment="center", key="chosen_slot"):
        st.markdown(words.text("slots.chosen", slot=slot), width="content")
        st.button(words.text("slots.to_form"), key="to_form", on_click=notes.set_note, args=("to_form", pressed + 1))
    focus_on("lesson_asking", key="to_form_focus", stamp=str(pressed))
