"""After the run: what lies in the slot that was predicted, how a slot is looked up, and the same with other tokens.

What is tried here stays in the session; it changes neither the committed prediction nor the record.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from lab.diagnosis import diagnose_one
from lab.errors import InvalidAnswerError
from lab.figures.theme import dark_colors
from lab.link import run_text
from lab.moments import Moment, Outcome, moments
from lab.prediction import Question, outcomes, parse_number
from lessons import cards, predict, run_panel, state
from lessons.lesson_picture import Slots
from lessons.place import Place
from lessons.plot import draw
from lessons.say import listed, said, say_error
from lessons.slot_marks import slot_marks
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.snapshot import Snapshot
    from lab.timeline import Timeline

SHOWN = -1  # "tried" without an answer: the learner asked to be shown


def in_the_slot(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """What the tensor answers, and how one comes to a slot."""
    _tensor_answers(place, timeline, words)
    _look_up(place, timeline, words)


def _tensor_answers(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """What really lies in the slot that was predicted, and where the token's KV is."""
    seen, pick = _seen(place, timeline), _pick(place)
    if pick is None or (place.at_end and _tried(place) is not None):
        return
    question, fact = _settled(place, seen, pick)
    if fact is not None and place.run.prediction is not None:
        answer = place.run.prediction.answers[[each.id for each in place.questions].index(question.id)]
        snapshot = run_panel.seen_snapshot(timeline, place.cursor)
        with st.container(border=True, key="tensor"):
            st.markdown(words.text("slots.tensor", said=_what_lies(snapshot, answer, fact.value, words)))


def _look_up(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """The steps from a position to its slot: of the token predicted, and of any other that is tried."""
    seen, pick = _seen(place, timeline), _pick(place)
    if pick is None or _settled(place, seen, pick)[1] is None:
        return
    cards.heading(3, words.text("slots.title"))
    prompt = place.run.config.request(_request(place)).prompt
    tried = None
    if place.at_end and len(prompt) > 1:
        st.pills(
            words.text("slots.another"),
            range(len(prompt)),
            key=_try_key(place),
            format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
        )
        tried = _tried(place)
    pos = pick if tried is None else tried
    if tried is not None and pos not in _answers(place):
        _ask(place, pos, words)
        return
    snapshot = run_panel.seen_snapshot(timeline, place.cursor)
    if tried is not None:
        _verdict(place, seen, snapshot, pos, words)
    _steps(snapshot, _request(place), pos, words)


def slots(place: Place, timeline: Timeline) -> Slots | None:
    """While another token is tried: its slot is asked for, then what was answered is marked."""
    pick = _pick(place)
    if pick is None or not place.at_end:
        return None
    pos, seen = _tried(place), _seen(place, timeline)
    if pos is None or _settled(place, seen, pick)[1] is None:
        return None
    answers = _answers(place)
    if pos not in answers:
        return Slots({}, partial(_answer, place, pos), veiled=True)
    fact = _settled(place, seen, pos)[1]
    config = place.run.config
    return Slots(slot_marks(answers[pos], fact.value if fact else None, config.num_blocks * config.block_size))


# --- reading -------------------------------------------------------------------------------------------------------


def _seen(place: Place, timeline: Timeline) -> list[Moment]:
    return list(moments(run_panel.seen_steps(timeline, place.cursor)))


def _pick(place: Place) -> int | None:
    """The position of the token that the committed prediction is about."""
    return predict.picked(place.run.prediction) if place.run.prediction else None


def _request(place: Place) -> str:
    """The request whose tokens are picked."""
    return place.run.case.pick_from if place.run.case else ""


def _settled(place: Place, seen: list[Moment], pos: int) -> tuple[Question, Outcome | None]:
    """The question about this token's slot, and what the run says so far."""
    asked = place.run.case.questions(pos) if place.run.case else ()
    question = next(question for question in asked if question.kind == "slot")
    return question, outcomes(seen, [question]).get(question.id)


def _try_key(place: Place) -> str:
    return f"try.{place.form}"


def _tried(place: Place) -> int | None:
    """The other token that is tried, if one is."""
    pos = state.field(_try_key(place))
    return pos if isinstance(pos, int) and pos != _pick(place) else None


def _kept(place: Place) -> str:
    """Answers belong to one committed prediction."""
    return f"tried.{run_text(place.run.beginning)}"


def _answers(place: Place) -> dict[int, int]:
    """What was tried so far: position -> slot."""
    return dict(state.noted(_kept(place), {}))


def _answer(place: Place, pos: int, slot: int) -> None:
    """Keep the first answer for this token."""
    state.note(_kept(place), {pos: slot, **_answers(place)})
    state.note("tried.problem", None)


# --- drawing -------------------------------------------------------------------------------------------------------


def _ask(place: Place, pos: int, words: WordsOf) -> None:
    """The slot of the token that is tried: to be clicked, or typed."""
    key = f"{_try_key(place)}.{pos}"

    def typed() -> None:
        try:
            _answer(place, pos, parse_number(str(state.field(key) or "")))
        except InvalidAnswerError as problem:
            state.note("tried.problem", problem)

    values = {"pos": pos, "token": words.token(place.run.config.request(_request(place)).prompt[pos])}
    st.text_input(words.text("slots.ask", **values), key=key, max_chars=40, autocomplete="off", on_change=typed)
    problem = state.noted("tried.problem")
    if isinstance(problem, InvalidAnswerError) and state.field(key):
        st.markdown(f":red[▲ {say_error(problem, words)}]")
    st.button(words.text("slots.show"), key="show_slot", on_click=_answer, args=(place, pos, SHOWN))


def _verdict(place: Place, seen: list[Moment], snapshot: Snapshot, pos: int, words: WordsOf) -> None:
    """The answer beside the tensor's; where it differs, the idea behind it."""
    answer = _answers(place)[pos]
    question, fact = _settled(place, seen, pos)
    if fact is None or answer == SHOWN:
        return
    there = _content(snapshot, fact.value, words, "slots.in_actual")
    if answer == fact.value:
        cards.headline(f"\N{CHECK MARK} {there}", "")
        return
    found = diagnose_one(question, answer, fact, seen)
    values = {**said(found.numbers, words), "pos": pos, "token": _token(snapshot, fact.value, words)}
    here = _content(snapshot, answer, words, "slots.in_predicted")
    idea = words.text(predict.idea_key(place.track.topic, found), **values)
    cards.headline(f"≠ {there}", here + words.text("figures.gap") + idea)


def _what_lies(snapshot: Snapshot, answer: int, actual: int, words: WordsOf) -> str:
    """What the tensor holds in the slot answered and in the actual one, as sentences."""
    parts = [] if answer == actual else [_content(snapshot, answer, words, "slots.in_predicted")]
    return words.text("figures.gap").join([_content(snapshot, actual, words, "slots.in_actual"), *parts])


def _content(snapshot: Snapshot, slot: int, words: WordsOf, key: str) -> str:
    last = snapshot.num_blocks * snapshot.block_size - 1
    if slot > last:
        return words.text("slots.no_such", slot=slot, last=last)
    block, offset = divmod(slot, snapshot.block_size)
    content = snapshot.blocks[block].slots[offset]
    if content is None:
        return words.text("slots.unwritten", slot=slot)
    token_id, pos = content
    owners = listed((seq_id for seq_id, _ in snapshot.owners(block)), words)
    return words.text(key, slot=slot, token=words.token(token_id), pos=pos, seq=owners)


def _token(snapshot: Snapshot, slot: int, words: WordsOf) -> str:
    block, offset = divmod(slot, snapshot.block_size)
    content = snapshot.blocks[block].slots[offset]
    return words.token(content[0]) if content else ""


def _steps(snapshot: Snapshot, seq_id: str, pos: int, words: WordsOf) -> None:
    """The look-up as a picture, its sentence as its name, its table behind it."""
    from lab.figures.slot_steps import slot_steps_picture  # noqa: PLC0415  (after the warm-up)

    drawn = slot_steps_picture(snapshot, seq_id, pos, words, columns=state.columns())
    draw(drawn.spec, key="slot_steps", label=drawn.sentence, dark_colors=dark_colors())
    st.markdown(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="slot_steps_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)
