"""Questions that were answered wrongly but with confidence are asked again with other numbers.

The engine gives the right answers to these too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count, takewhile

import streamlit as st

from lab.activities.diagnosis import diagnose_one
from lab.activities.question import BY_ID, Grade, Question
from lab.activities.retry import Retry, build_retry
from lab.activities.run import Run
from lessons.activity.prediction_form import format_answer
from lessons.state import notes, record
from lessons.text.sentences import explain_grade
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.after_page import announce
from lessons.widgets.question_form import Field, ask_questions


def ask_again_section(run: Run, missed: Sequence[Grade], words: Translations) -> None:
    """Draw each missed question again: the scenario, one field, and after the answer what the engine did."""
    if not missed:
        return
    cards.draw_heading(3, words.text("explain.again_title"))
    st.markdown(words.text("explain.again_lead"))
    for diagnosis in missed:
        with st.container(border=True):
            # The index among all questions, not among the missed ones: saved answers belong to the index's numbers.
            index = list(BY_ID).index(diagnosis.question)
            _ask_question(BY_ID[diagnosis.question], diagnosis.value, index, run, words)


def _ask_question(question: Question, first_value: object, index: int, run: Run, words: Translations) -> None:
    answers = get_answers(run, question)
    turn = min(int(notes.get_note(f"again_turn.{question.id}", max(0, len(answers) - 1))), len(answers))
    retry = build_retry(question.id, first_value, turn + index)
    st.markdown(describe_scene(retry, words))
    if turn >= len(answers):
        _draw_form(question, turn, run, words)
        return
    diagnosis = diagnose_one(question, answers[turn], retry.outcome, retry.seen)
    verdict = words.text(
        f"explain.again_{'right' if diagnosis.right else 'wrong'}",
        value=format_answer(question, words, "task", retry.outcome.value),
        answer=format_answer(question, words, "task", diagnosis.answer),
        why=explain_grade("task", diagnosis, words),
    )
    st.markdown(f"**{words.text(f'explain.again_question.{question.id}')}**")
    (st.success if diagnosis.right else st.warning)(verdict)
    if diagnosis.right:  # screen readers announce a warning by themselves, since it is an alert
        announce(verdict)
    label, key = words.text("explain.again_next"), f"again_turn.{question.id}"
    st.button(label, key=f"again_next.{question.id}", on_click=notes.set_note, args=(key, turn + 1))


def describe_scene(retry: Retry, words: Translations) -> str:
    """The pool and the requests of a question that is asked again."""
    queue = " ".join(map(str, retry.free_block_ids))
    numbers = {"block_size": retry.block_size, "a_tokens": retry.a_tokens, "b_tokens": retry.b_tokens}
    return words.text("explain.again_scene", queue=queue, **numbers)


def _draw_form(question: Question, turn: int, run: Run, words: Translations) -> None:
    label = words.text(f"explain.again_question.{question.id}")
    ask_questions(
        f"again.{question.id}",
        [Field(question, f"again.{question.id}.{turn}", label, partial(format_answer, question, words, "task"))],
        lambda values, _sure: _save_answer(run, question, turn, question.place(*values)),
        words,
        submit="explain.again_submit",
        key=f"again_submit.{question.id}",
        beside=True,
    )


def get_answers(run: Run, question: Question) -> list[int]:
    """The saved answers to the retries of this question in this attempt, in order."""
    given = record.read().get_beside(run.attempt)
    turns = (given.get(f"again.{question.id}.{turn}") for turn in count())
    possible = range(question.largest + 1)
    return [each for each in takewhile(lambda each: each is not None, turns) if type(each) is int and each in possible]


def _save_answer(run: Run, question: Question, turn: int, value: int) -> None:
    if turn == len(get_answers(run, question)):
        record.add_beside(run.attempt, f"again.{question.id}.{turn}", value)
