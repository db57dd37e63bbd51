"""After the run: what lies in the slot that was predicted, how a slot is looked up, and the same with other tokens.

What is tried here stays in the session; it changes neither the committed prediction nor the record.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.attempt import encode_run
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Question, observe_outcomes, parse_number
from lab.activities.trace_points import Outcome, TracePoint, iterate_trace_points
from lab.engine.errors import InvalidAnswerError
from lab.figures.slot_steps import draw_slot_steps
from lab.figures.theme import get_dark_colors
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.picture_panel import AskedSlots
from lessons.activity.slot_marks import build_slot_marks
from lessons.state import attempts
from lessons.state.view import View
from lessons.text.sentences import format_error, format_list, format_values
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.plot import draw

SHOWN = -1  # "tried" without an answer: the learner asked to be shown


def draw_in_the_slot(place: View, timeline: Timeline, words: Translations) -> None:
    """What the tensor answers, and how one comes to a slot."""
    _draw_tensor_answers(place, timeline, words)
    _look_up(place, timeline, words)


def _draw_tensor_answers(place: View, timeline: Timeline, words: Translations) -> None:
    """What really lies in the slot that was predicted, and where the token's KV is."""
    seen, pick = _get_seen(place, timeline), _pick(place)
    if pick is None or (place.at_end and _get_tried(place) is not None):
        return
    question, fact = _observe_slot(place, seen, pick)
    if fact is not None and place.run.prediction is not None:
        answer = place.run.prediction.answers[[each.id for each in place.questions].index(question.id)]
        snapshot = run_panel.get_seen_snapshot(timeline, place.cursor)
        with st.container(border=True, key="tensor"):
            st.markdown(words.text("slots.tensor", said=_describe_slots(snapshot, answer, fact.value, words)))


def _look_up(place: View, timeline: Timeline, words: Translations) -> None:
    """The steps from a position to its slot: of the token predicted, and of any other that is tried."""
    seen, pick = _get_seen(place, timeline), _pick(place)
    if pick is None or _observe_slot(place, seen, pick)[1] is None:
        return
    cards.draw_heading(3, words.text("slots.title"))
    prompt = place.run.config.request(_request(place)).prompt
    tried = None
    if place.at_end and len(prompt) > 1:
        st.pills(
            words.text("slots.another"),
            range(len(prompt)),
            key=_try_key(place),
            format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
        )
        tried = _get_tried(place)
    pos = pick if tried is None else tried
    if tried is not None and pos not in _get_answers(place):
        _ask(place, pos, words)
        return
    snapshot = run_panel.get_seen_snapshot(timeline, place.cursor)
    if tried is not None:
        _show_verdict(place, seen, snapshot, pos, words)
    _draw_steps(snapshot, _request(place), pos, words)


def build_slots(place: View, timeline: Timeline) -> AskedSlots | None:
    """While another token is tried: its slot is asked for, then what was answered is marked."""
    pick = _pick(place)
    if pick is None or not place.at_end:
        return None
    pos, seen = _get_tried(place), _get_seen(place, timeline)
    if pos is None or _observe_slot(place, seen, pick)[1] is None:
        return None
    answers = _get_answers(place)
    if pos not in answers:
        return AskedSlots({}, partial(_save_answer, place, pos), hide_tokens=True)
    fact = _observe_slot(place, seen, pos)[1]
    config = place.run.config
    return AskedSlots(
        build_slot_marks(answers[pos], fact.value if fact else None, config.num_blocks * config.block_size)
    )


# --- reading -------------------------------------------------------------------------------------------------------


def _get_seen(place: View, timeline: Timeline) -> list[TracePoint]:
    return list(iterate_trace_points(run_panel.get_seen_steps(timeline, place.cursor)))


def _pick(place: View) -> int | None:
    """The position of the token that the committed prediction is about."""
    return prediction_form.get_picked(place.run.prediction) if place.run.prediction else None


def _request(place: View) -> str:
    """The request whose tokens are picked."""
    return place.run.case.pick_from if place.run.case else ""


def _observe_slot(place: View, seen: list[TracePoint], pos: int) -> tuple[Question, Outcome | None]:
    """The question about this token's slot, and what the run says so far."""
    asked = place.run.case.questions(pos) if place.run.case else ()
    question = next(question for question in asked if question.kind == "slot")
    return question, observe_outcomes(seen, [question]).get(question.id)


def _try_key(place: View) -> str:
    return f"try.{place.form}"


def _get_tried(place: View) -> int | None:
    """The other token that is tried, if one is."""
    pos = attempts.get_field(_try_key(place))
    return pos if isinstance(pos, int) and pos != _pick(place) else None


def _get_key(place: View) -> str:
    """Answers belong to one committed prediction."""
    return f"tried.{encode_run(place.run.beginning)}"


def _get_answers(place: View) -> dict[int, int]:
    """What was tried so far: position -> slot."""
    return dict(attempts.get_note(_get_key(place), {}))


def _save_answer(place: View, pos: int, slot: int) -> None:
    """Keep the first answer for this token."""
    attempts.set_note(_get_key(place), {pos: slot, **_get_answers(place)})
    attempts.set_note("tried.problem", None)


# --- drawing -------------------------------------------------------------------------------------------------------


def _ask(place: View, pos: int, words: Translations) -> None:
    """The slot of the token that is tried: to be clicked, or typed."""
    key = f"{_try_key(place)}.{pos}"

    def typed() -> None:
        try:
            _save_answer(place, pos, parse_number(str(attempts.get_field(key) or "")))
        except InvalidAnswerError as problem:
            attempts.set_note("tried.problem", problem)

    values = {"pos": pos, "token": words.token(place.run.config.request(_request(place)).prompt[pos])}
    st.text_input(words.text("slots.ask", **values), key=key, max_chars=40, autocomplete="off", on_change=typed)
    problem = attempts.get_note("tried.problem")
    if isinstance(problem, InvalidAnswerError) and attempts.get_field(key):
        st.markdown(f":red[▲ {format_error(problem, words)}]")
    st.button(words.text("slots.show"), key="show_slot", on_click=_save_answer, args=(place, pos, SHOWN))


def _show_verdict(place: View, seen: list[TracePoint], snapshot: Snapshot, pos: int, words: Translations) -> None:
    """The answer beside the tensor's; where it differs, the idea behind it."""
    answer = _get_answers(place)[pos]
    question, fact = _observe_slot(place, seen, pos)
    if fact is None or answer == SHOWN:
        return
    there = _describe_content(snapshot, fact.value, words, "slots.in_actual")
    if answer == fact.value:
        cards.draw_headline(f"\N{CHECK MARK} {there}", "")
        return
    found = diagnose_one(question, answer, fact, seen)
    values = {**format_values(found.numbers, words), "pos": pos, "token": _get_token(snapshot, fact.value, words)}
    here = _describe_content(snapshot, answer, words, "slots.in_predicted")
    idea = words.text(prediction_form.get_idea_key(place.track.topic, found), **values)
    cards.draw_headline(f"≠ {there}", here + words.text("figures.gap") + idea)


def _describe_slots(snapshot: Snapshot, answer: int, actual: int, words: Translations) -> str:
    """What the tensor holds in the slot answered and in the actual one, as sentences."""
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
    """The look-up as a picture, its sentence as its name, its table behind it."""
    drawn = draw_slot_steps(snapshot, seq_id, pos, words, columns=attempts.get_columns())
    draw(drawn.spec, key="slot_steps", label=drawn.sentence, dark_colors=get_dark_colors())
    st.markdown(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="slot_steps_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)
