"""The prediction: a form until it is committed, then a row of cards over which the outcomes are drawn."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.errors import InvalidAnswerError
from lab.prediction import QUESTIONS, Outcome, Prediction, Question, parse_number
from lessons import cards, state
from lessons.say import say_error
from lessons.text import WordsOf


def _answer_key(question: Question) -> str:
    return f"predict.{question.id}"


def _sure_key(question: Question) -> str:
    return f"predict.{question.id}.sure"


def _commit() -> None:
    """Commit what is typed, if all of it can be read; else keep what is off with each field."""
    answers: list[int] = []
    problems: dict[str, InvalidAnswerError] = {}
    for question in QUESTIONS:
        typed = state.field(_answer_key(question))
        try:
            if question.kind == "number":
                answers.append(parse_number(typed or ""))
            elif typed is None:
                raise InvalidAnswerError(reason="no_choice")
            else:
                answers.append(int(typed))
        except InvalidAnswerError as problem:
            problems[question.id] = problem
    state.note("problems", problems)
    if not problems:
        sure = tuple(bool(state.field(_sure_key(question))) for question in QUESTIONS)
        state.commit(Prediction(tuple(answers), sure))


def prediction_form(words: WordsOf) -> None:
    """Ask every question; nothing is committed before all answers have a readable form."""
    problems: dict[str, InvalidAnswerError] = state.noted("problems", {})
    with st.form("predict", enter_to_submit=False):
        st.markdown(words.text("task.predict_lead"))
        columns = st.columns(2, gap="large")
        for i, question in enumerate(QUESTIONS):
            with columns[i * len(columns) // len(QUESTIONS)]:
                _ask(question, problems.get(question.id), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        st.form_submit_button(words.text("task.commit"), type="primary", on_click=_commit, key="commit")


def _ask(question: Question, problem: InvalidAnswerError | None, words: WordsOf) -> None:
    label = words.text(f"task.question.{question.id}")
    with st.container(border=True):
        if question.kind == "number":
            st.text_input(label, key=_answer_key(question), max_chars=40, autocomplete="off")
        else:
            told = partial(yes_no, words, question)
            st.radio(label, (1, 0), index=None, horizontal=True, key=_answer_key(question), format_func=told)
        if problem:
            st.markdown(f":red[▲ {say_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=_sure_key(question))


def yes_no(words: WordsOf, question: Question, value: int) -> str:
    """The words of an answer to a yes-or-no question."""
    return words.text(f"task.yes_no.{value}_{question.id}")


def committed_prediction(prediction: Prediction, facts: dict[str, Outcome], words: WordsOf) -> None:
    """Each answer with what the engine did, once it has done it."""
    items = []
    for question, answer, sure in zip(QUESTIONS, prediction.answers, prediction.sure, strict=True):
        fact = facts.get(question.id)
        mark = f" ({words.text('task.was_sure')})" if sure else ""
        items.append(
            cards.Card(
                words.text(f"task.short.{question.id}"),
                f"{words.text('task.you')}: {_said(question, answer, words)}{mark}",
                _outcome(question, answer, fact, words),
                "waiting" if fact is None else "same" if fact.value == answer else "other",
            )
        )
    cards.cards(items, words.text("task.committed"))


def _said(question: Question, value: int, words: WordsOf) -> str:
    return str(value) if question.kind == "number" else yes_no(words, question, value)


def _outcome(question: Question, answer: int, fact: Outcome | None, words: WordsOf) -> str:
    if fact is None:
        return f"… {words.text('task.waiting')}"
    same = fact.value == answer
    verdict = words.text("task.matches" if same else "task.differs")
    return f"{'✓' if same else '≠'} {words.text('task.engine')}: {_said(question, fact.value, words)} ({verdict})"
