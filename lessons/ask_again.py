"""A sure-and-wrong prediction, asked once more with other numbers; the engine answers those too."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.diagnosis import Diagnosis, diagnose_one
from lab.errors import InvalidAnswerError
from lab.prediction import QUESTIONS, Question
from lessons import cards, record, state
from lessons.predict import ask_value, read_answer, said
from lessons.say import say_error, why
from lessons.text import WordsOf

_BY_ID = {question.id: question for question in QUESTIONS}


def ask_again_section(missed: Sequence[Diagnosis], words: WordsOf) -> None:
    """Each missed question in turn: the scene, one field, and after the answer what the engine did."""
    if not missed:
        return
    cards.heading(3, words.text("explain.again_title"))
    st.markdown(words.text("explain.again_lead"))
    for diagnosis in missed:
        with st.container(border=True):
            # The place among all questions, not among the missed ones: kept answers belong to their numbers.
            place = list(_BY_ID).index(diagnosis.question)
            _once_more(_BY_ID[diagnosis.question], diagnosis.outcome.value, place, words)


def _once_more(question: Question, answered: int, place: int, words: WordsOf) -> None:
    from lab.again import ask_again  # noqa: PLC0415  (runs the engine: after the warm-up)

    answers = _answers(question)
    turn = min(int(state.noted(f"again_turn.{question.id}", max(0, len(answers) - 1))), len(answers))
    again = ask_again(question.id, answered, turn + place)
    st.markdown(
        words.text(
            "explain.again_scene",
            block_size=again.block_size,
            queue=" ".join(map(str, again.free_block_ids)),
            a_tokens=again.a_tokens,
            b_tokens=again.b_tokens,
        )
    )
    if turn >= len(answers):
        _form(question, turn, words)
        return
    diagnosis = diagnose_one(question, answers[turn], again.outcome, again.seen)
    told = words.text(
        f"explain.again_{'right' if diagnosis.right else 'wrong'}",
        value=said(question, again.outcome.value, words),
        answer=said(question, diagnosis.answer, words),
        why=why(diagnosis, words),
    )
    st.markdown(f"**{words.text(f'explain.again_question.{question.id}')}**")
    (st.success if diagnosis.right else st.warning)(told)
    label, key = words.text("explain.again_next"), f"again_turn.{question.id}"
    st.button(label, key=f"again_next.{question.id}", on_click=state.note, args=(key, turn + 1))


def _form(question: Question, turn: int, words: WordsOf) -> None:
    with st.form(f"again.{question.id}", border=False, enter_to_submit=False):
        ask_value(question, f"again.{question.id}.{turn}", words.text(f"explain.again_question.{question.id}"), words)
        problem = state.noted(f"again_problem.{question.id}")
        if isinstance(problem, InvalidAnswerError):
            st.markdown(f":red[▲ {say_error(problem, words)}]")
        label, key = words.text("explain.again_submit"), f"again_submit.{question.id}"
        st.form_submit_button(label, key=key, on_click=_answer, args=(question, turn))


def _answers(question: Question) -> list[int]:
    kept = record.read().get("again")
    answers = kept.get(question.id) if isinstance(kept, dict) else None
    return [answer for answer in answers if type(answer) is int] if isinstance(answers, list) else []


def _answer(question: Question, turn: int) -> None:
    try:
        value = read_answer(question, state.field(f"again.{question.id}.{turn}"))
    except InvalidAnswerError as problem:
        state.note(f"again_problem.{question.id}", problem)
        return
    state.note(f"again_problem.{question.id}", None)
    known = _answers(question)
    if turn == len(known):
        kept = record.read().get("again")
        record.put("again", {**(kept if isinstance(kept, dict) else {}), question.id: [*known, value][-20:]})
