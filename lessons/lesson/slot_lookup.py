"""After the run: what is in the predicted slot, how a slot is looked up, and the same for other tokens to try.

Tries stay in the session. They change neither the committed prediction nor the record.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Question, observe_outcomes
from lab.activities.run import encode_run
from lab.activities.trace_points import Outcome, TracePoint, iterate_trace_points
from lab.figures.slot_steps import draw_slot_steps
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lessons.activity import run_panel
from lessons.activity.slot_marks import AskedSlots, build_slot_marks
from lessons.state import notes, runs, viewport
from lessons.state.view import View
from lessons.text.sentences import explain_grade, format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.picture_panel import draw_picture_panel
from lessons.widgets.question_form import Field, ask_at_once

SHOWN = -1  # instead of an answer: the learner asked to be shown


def draw_in_the_slot(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw what the tensor holds and how a slot is looked up."""
    _draw_tensor_answers(view, timeline, words)
    _look_up(view, timeline, words)


def _draw_tensor_answers(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw what is in the predicted slot, and where the token's KV really is."""
    points, pick = _get_seen(view, timeline), view.run.pick
    if pick is None or (view.at_end and _get_tried(view) is not None):
        return
    question, outcome = _observe_slot(view, points, pick)
    if outcome is not None and view.run.is_predicted:
        answer = view.run.answers[[each.id for each in view.questions].index(question.id)].number
        snapshot = run_panel.get_seen_snapshot(timeline, view.cursor)
        with st.container(border=True, key="tensor"):
            st.markdown(words.text("slots.tensor", said=_describe_slots(snapshot, answer, outcome.value, words)))


def _look_up(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the steps from a position to its slot, for the predicted token or another one to try."""
    points, pick = _get_seen(view, timeline), view.run.pick
    if pick is None or _observe_slot(view, points, pick)[1] is None:
        return
    cards.draw_heading(3, words.text("slots.title"))
    prompt = view.run.config.request(_get_request(view)).prompt
    tried = None
    if view.at_end and len(prompt) > 1:
        st.pills(
            words.text("slots.another"),
            range(len(prompt)),
            key=_get_field_key(view),
            format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
        )
        tried = _get_tried(view)
    pos = pick if tried is None else tried
    if tried is not None and pos not in _get_answers(view):
        _ask(view, pos, words)
        return
    snapshot = run_panel.get_seen_snapshot(timeline, view.cursor)
    if tried is not None:
        _show_verdict(view, points, snapshot, pos, words)
    _draw_steps(snapshot, _get_request(view), pos, words)


def build_slots(view: View, timeline: Timeline) -> AskedSlots | None:
    """Ask for the slot of the token being tried, then mark the answer. None if no other token is being tried."""
    pick = view.run.pick
    if pick is None or not view.at_end:
        return None
    pos, points = _get_tried(view), _get_seen(view, timeline)
    if pos is None or _observe_slot(view, points, pick)[1] is None:
        return None
    answers = _get_answers(view)
    if pos not in answers:
        return AskedSlots({}, partial(_save_answer, view, pos), hide_tokens=True)
    outcome = _observe_slot(view, points, pos)[1]
    config = view.run.config
    return AskedSlots(
        build_slot_marks(answers[pos], outcome.value if outcome else None, config.num_blocks * config.block_size)
    )


# --- reading -------------------------------------------------------------------------------------------------------


def _get_seen(view: View, timeline: Timeline) -> list[TracePoint]:
    return list(iterate_trace_points(runs.get_seen_steps(timeline, view.cursor)))


def _get_request(view: View) -> str:
    """Return the request whose tokens can be picked."""
    return view.run.case.pick_from


def _observe_slot(view: View, points: list[TracePoint], pos: int) -> tuple[Question, Outcome | None]:
    """Return the question about this token's slot, and its outcome in the run so far."""
    question = _find_slot_question(view, pos)
    return question, observe_outcomes(points, [question]).get(question.id)


def _find_slot_question(view: View, pos: int) -> Question:
    return next(question for question in view.run.case.questions(pos) if question.form == "slot")


def _get_field_key(view: View) -> str:
    return f"try.{view.form}"


def _get_tried(view: View) -> int | None:
    """Return the position of the token being tried, if it is another than the predicted one."""
    pos = notes.get_field(_get_field_key(view))
    return pos if isinstance(pos, int) and pos != view.run.pick else None


def _get_answers_key(view: View) -> str:
    """Return the session key of the answers, which belong to one committed prediction."""
    return f"tried.{encode_run(view.run.beginning)}"


def _get_answers(view: View) -> dict[int, int]:
    """Return the tries so far: position -> slot."""
    return dict(notes.get_note(_get_answers_key(view), {}))


def _save_answer(view: View, pos: int, slot: int) -> None:
    """Store the answer for this token. Only the first counts."""
    notes.set_note(_get_answers_key(view), {pos: slot, **_get_answers(view)})


# --- drawing -------------------------------------------------------------------------------------------------------


def _ask(view: View, pos: int, words: Translations) -> None:
    """Ask for the slot of the token being tried. It can be typed, or clicked in the picture."""
    question = _find_slot_question(view, pos)
    token = words.token(view.run.config.request(_get_request(view)).prompt[pos])
    field = Field(question, f"{_get_field_key(view)}.{pos}", words.text("slots.ask", pos=pos, token=token))
    ask_at_once(field, lambda slot: _save_answer(view, pos, question.place(slot)), words)
    st.button(words.text("slots.show"), key="show_slot", on_click=_save_answer, args=(view, pos, SHOWN))


def _show_verdict(view: View, points: list[TracePoint], snapshot: Snapshot, pos: int, words: Translations) -> None:
    """Draw the answer beside the tensor's, with the misconception if they differ."""
    answer = _get_answers(view)[pos]
    question, outcome = _observe_slot(view, points, pos)
    if outcome is None or answer == SHOWN:
        return
    in_actual = _describe_content(snapshot, outcome.value, words, "slots.in_actual")
    if answer == outcome.value:
        cards.draw_headline(f"\N{CHECK MARK} {in_actual}", "")
        return
    found = diagnose_one(question, answer, outcome, points)
    setting = {"pos": pos, "token": _get_token(snapshot, outcome.value, words)}
    in_answered = _describe_content(snapshot, answer, words, "slots.in_predicted")
    idea = explain_grade(view.track.topic, found, words, setting)
    cards.draw_headline(f"≠ {in_actual}", in_answered + words.text("figures.gap") + idea)


def _describe_slots(snapshot: Snapshot, answer: int, actual: int, words: Translations) -> str:
    """Say what the tensor holds in the actual slot and in the answered one."""
    parts = [] if answer == actual else [_describe_content(snapshot, answer, words, "slots.in_predicted")]
    return words.text("figures.gap").join([_describe_content(snapshot, actual, words, "slots.in_actual"), *parts])


def _describe_content(snapshot: Snapshot, slot: int, words: Translations, key: str) -> str:
    last = snapshot.num_blocks * snapshot.block_size - 1
    if slot > last:
        return words.text("slots.no_such", slot=slot, last=last)
    block, offset = divmod(slot, snapshot.block_size)
    content = snapshot.blocks[block].slots[offset]
    if content is None:
        return words.text("slots.unwritten", slot=slot)
    token_id, pos = content
    owners = format_list((seq_id for seq_id, _ in snapshot.owners(block)), words)
    return words.text(key, slot=slot, token=words.token(token_id), pos=pos, seq=owners)


def _get_token(snapshot: Snapshot, slot: int, words: Translations) -> str:
    block, offset = divmod(slot, snapshot.block_size)
    content = snapshot.blocks[block].slots[offset]
    return words.token(content[0]) if content else ""


def _draw_steps(snapshot: Snapshot, seq_id: str, pos: int, words: Translations) -> None:
    """Draw the look-up as a picture, a sentence and a table."""
    drawn = draw_slot_steps(snapshot, seq_id, pos, words, columns=viewport.get_columns())
    draw_picture_panel(drawn, "slot_steps", words)
