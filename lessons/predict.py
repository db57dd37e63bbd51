"""The prediction: a form until it is committed, then a row of cards over which the outcomes are drawn."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.diagnosis import Diagnosis
from lab.errors import InvalidAnswerError
from lab.prediction import BY_ID, FORMS, Outcome, Prediction, Question, parse_number
from lessons import cards, state
from lessons.say import say_error
from lessons.text import WordsOf


def _answer_key(track: state.Track, question: Question) -> str:
    return f"predict.{track.form}.{question.id}"


def _sure_key(track: state.Track, question: Question) -> str:
    return f"predict.{track.form}.{question.id}.sure"


def _commit(track: state.Track) -> None:
    """Commit what is typed, if all of it can be read; else keep what is off with each field."""
    answers: list[int] = []
    problems: dict[str, InvalidAnswerError] = {}
    for question in FORMS[track.form]:
        try:
            answers.append(read_answer(question, state.field(_answer_key(track, question))))
        except InvalidAnswerError as problem:
            problems[question.id] = problem
    state.note(f"problems.{track.form}", problems)
    if not problems:
        sure = tuple(bool(state.field(_sure_key(track, question))) for question in FORMS[track.form])
        state.commit(track, Prediction(tuple(answers), sure, track.form))


def read_answer(question: Question, typed: str | int | None) -> int:
    """What was typed or chosen, as a number. Raises InvalidAnswerError."""
    if question.kind == "number":
        return parse_number(str(typed or ""))
    if typed is None:
        raise InvalidAnswerError(reason="no_choice")
    return int(typed)


def ask_value(question: Question, key: str, label: str, words: WordsOf) -> None:
    """The field for an answer to this question."""
    if question.kind == "number":
        st.text_input(label, key=key, max_chars=40, autocomplete="off")
    else:
        told = partial(yes_no, words, question)
        st.radio(label, (1, 0), index=None, horizontal=True, key=key, format_func=told)


def prediction_form(track: state.Track, words: WordsOf) -> None:
    """Ask every question; nothing is committed before all answers have a readable form."""
    problems: dict[str, InvalidAnswerError] = state.noted(f"problems.{track.form}", {})
    with st.form(f"predict.{track.form}", enter_to_submit=False):
        st.markdown(words.text("task.predict_lead"))
        columns = st.columns(2, gap="large")
        questions = FORMS[track.form]
        for i, question in enumerate(questions):
            with columns[i * len(columns) // len(questions)]:
                _ask(track, question, problems.get(question.id), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        st.form_submit_button(words.text("task.commit"), type="primary", on_click=_commit, args=(track,), key="commit")


def _ask(track: state.Track, question: Question, problem: InvalidAnswerError | None, words: WordsOf) -> None:
    label = words.text(f"task.question.{question.id}")
    with st.container(border=True):
        ask_value(question, _answer_key(track, question), label, words)
        if problem:
            st.markdown(f":red[▲ {say_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=_sure_key(track, question))


def yes_no(words: WordsOf, question: Question, value: int) -> str:
    """The words of an answer to a yes-or-no question."""
    return words.text(f"task.yes_no.{value}_{question.id}")


def committed_prediction(prediction: Prediction, facts: dict[str, Outcome], owner: str, words: WordsOf) -> None:
    """Each answer with what the engine did, once it has done it. `owner`: "you", or "in_link" for somebody else's."""
    items = []
    for question, answer, sure in zip(FORMS[prediction.form], prediction.answers, prediction.sure, strict=True):
        fact = facts.get(question.id)
        key = f"task.card.{owner}_sure" if sure else f"task.card.{owner}"
        items.append(
            cards.Card(
                words.text(f"task.short.{question.id}"),
                words.text(key, answer=said(question, answer, words)),
                _outcome(question, answer, fact, words),
                "waiting" if fact is None else "same" if fact.value == answer else "other",
            )
        )
    cards.cards(items, words.text("task.committed"))


def said(question: Question, value: int, words: WordsOf) -> str:
    """An answer as words."""
    return str(value) if question.kind == "number" else yes_no(words, question, value)


def beside(diagnosis: Diagnosis, words: WordsOf) -> dict[str, str]:
    """A question's short name, the answer given and the run's, for a sentence that compares them."""
    question = BY_ID[diagnosis.question]
    return {
        "name": words.text(f"task.short.{question.id}"),
        "answer": said(question, diagnosis.answer, words),
        "value": said(question, diagnosis.outcome.value, words),
    }


def _outcome(question: Question, answer: int, fact: Outcome | None, words: WordsOf) -> str:
    if fact is None:
        return words.text("task.card.waiting")
    key = "same" if fact.value == answer else "other"
    return words.text(f"task.card.{key}", value=said(question, fact.value, words))
