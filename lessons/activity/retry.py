"""A sure-and-wrong prediction, asked once more with other numbers; the engine answers those too."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lab.activities.attempt import Run, encode_run
from lab.activities.diagnosis import Diagnosis, diagnose_one
from lab.activities.question import BY_ID, MAX_NUMBER, Question
from lab.activities.retry import build_retry
from lab.engine.errors import InvalidAnswerError
from lessons.activity.prediction_form import ask_value, format_answer, read_answer
from lessons.state import attempts, record
from lessons.text.sentences import format_diagnosis, format_error
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.announce import announce

MAX_KEPT = 100  # attempts and questions


def ask_again_section(run: Run, missed: Sequence[Diagnosis], words: Translations) -> None:
    """Each missed question in turn: the scene, one field, and after the answer what the engine did."""
    if not missed:
        return
    cards.draw_heading(3, words.text("explain.again_title"))
    st.markdown(words.text("explain.again_lead"))
    for diagnosis in missed:
        with st.container(border=True):
            # The place among all questions, not among the missed ones: kept answers belong to their numbers.
            place = list(BY_ID).index(diagnosis.question)
            _ask_question(BY_ID[diagnosis.question], diagnosis.outcome.value, place, run, words)


def _ask_question(question: Question, answered: int, place: int, run: Run, words: Translations) -> None:
    answers = get_answers(run, question)
    turn = min(int(attempts.get_note(f"again_turn.{question.id}", max(0, len(answers) - 1))), len(answers))
    again = build_retry(question.id, answered, turn + place)
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
        _draw_form(question, turn, run, words)
        return
    diagnosis = diagnose_one(question, answers[turn], again.outcome, again.seen)
    told = words.text(
        f"explain.again_{'right' if diagnosis.right else 'wrong'}",
        value=format_answer(question, words, "task", again.outcome.value),
        answer=format_answer(question, words, "task", diagnosis.answer),
        why=format_diagnosis(diagnosis, words),
    )
    st.markdown(f"**{words.text(f'explain.again_question.{question.id}')}**")
    (st.success if diagnosis.right else st.warning)(told)
    if diagnosis.right:  # a warning is an alert, which is announced although it is new
        announce(told)
    label, key = words.text("explain.again_next"), f"again_turn.{question.id}"
    st.button(label, key=f"again_next.{question.id}", on_click=attempts.set_note, args=(key, turn + 1))


def _draw_form(question: Question, turn: int, run: Run, words: Translations) -> None:
    with st.form(f"again.{question.id}", border=False):
        ask_value(question, f"again.{question.id}.{turn}", words.text(f"explain.again_question.{question.id}"), words)
        problem = attempts.get_note(f"again_problem.{question.id}")
        if isinstance(problem, InvalidAnswerError):
            st.markdown(f":red[▲ {format_error(problem, words)}]")
        label, key = words.text("explain.again_submit"), f"again_submit.{question.id}"
        st.form_submit_button(label, key=key, on_click=_commit_answer, args=(run, question, turn))


def get_answers(run: Run, question: Question) -> list[int]:
    """What was answered for this attempt, turn by turn; the numbers of a turn belong to the attempt."""
    kept = record.read().get("again")
    answers = kept.get(_get_key(run, question)) if isinstance(kept, dict) else None
    possible = range(2) if question.kind == "yes_no" else range(MAX_NUMBER + 1)
    return [a for a in answers if type(a) is int and a in possible] if isinstance(answers, list) else []


def _get_key(run: Run, question: Question) -> str:
    return f"{encode_run(run.beginning)}{question.id}"


def _commit_answer(run: Run, question: Question, turn: int) -> None:
    try:
        value = read_answer(question, attempts.get_field(f"again.{question.id}.{turn}"))
    except InvalidAnswerError as problem:
        attempts.set_note(f"again_problem.{question.id}", problem)
        return
    attempts.set_note(f"again_problem.{question.id}", None)
    known = get_answers(run, question)
    if turn == len(known):
        kept = record.read().get("again")
        answers = {**(kept if isinstance(kept, dict) else {}), _get_key(run, question): [*known, value]}
        record.put("again", dict(list(answers.items())[-MAX_KEPT:]))
