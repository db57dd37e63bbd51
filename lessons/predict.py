"""The prediction: a form until it is committed, then a row of cards over which the outcomes are drawn."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.diagnosis import Diagnosis
from lab.errors import InvalidAnswerError
from lab.moments import Outcome
from lab.prediction import BY_ID, Prediction, Question, parse_number
from lessons import cards, present, state
from lessons.place import Place
from lessons.say import say_error
from lessons.text import WordsOf


def answer_key(place: Place, question: Question) -> str:
    """The widget's key of an answer."""
    return f"predict.{place.form}.{question.id}"


def _sure_key(place: Place, question: Question) -> str:
    return f"{answer_key(place, question)}.sure"


def _commit(place: Place, pick: int | None) -> None:
    """Commit what is typed, if all of it can be read; else keep what is off with each field."""
    questions = asked(place, pick)
    answers: list[int] = []
    problems: dict[str, InvalidAnswerError] = {}
    for question in questions:
        try:
            answers.append(read_answer(question, state.field(answer_key(place, question))))
        except InvalidAnswerError as problem:
            problems[question.id] = problem
    state.note(f"problems.{place.form}", problems)
    if not problems:
        sure = tuple(bool(state.field(_sure_key(place, question))) for question in questions)
        form = place.run.case.form(pick) if place.run.case else place.form
        state.commit(place.track, Prediction(tuple(answers), sure, form))


def asked(place: Place, pick: int | None) -> tuple[Question, ...]:
    """What is predicted here, with what is asked about the token at position `pick`, if one has been picked."""
    return place.run.case.questions(pick) if place.run.case else place.questions


def read_answer(question: Question, typed: str | int | None) -> int:
    """What was typed or chosen, as a number. Raises InvalidAnswerError."""
    if question.kind in ("number", "slot"):
        return parse_number(str(typed or ""))
    if typed is None:
        raise InvalidAnswerError(reason="no_choice")
    return int(typed)


def ask_value(question: Question, key: str, label: str, words: WordsOf, topic: str = "task") -> None:
    """The field for an answer to this question."""
    if question.kind in ("number", "slot"):
        st.text_input(label, key=key, max_chars=40, autocomplete="off")
    elif question.kind == "yes_no":
        st.radio(label, (1, 0), index=None, horizontal=True, key=key, format_func=partial(said, question, words, topic))
    else:
        choices = range(len(question.options))
        st.radio(label, choices, index=None, key=key, format_func=partial(said, question, words, topic))


def prediction_form(place: Place, words: WordsOf, *, pick: int | None = None, in_columns: int = 2) -> None:
    """Ask every question; nothing is committed before all answers have a readable form."""
    problems: dict[str, InvalidAnswerError] = state.noted(f"problems.{place.form}", {})
    with st.form(f"predict.{place.form}"):
        st.markdown(words.text("task.predict_lead" if place.track.topic == "task" else "site.predict_lead"))
        columns = st.columns(in_columns, gap="large")
        questions = asked(place, pick)
        for i, question in enumerate(questions):
            with columns[i * len(columns) // len(questions)]:
                _ask(place, question, pick, problems.get(question.id), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        label = words.text("task.commit")
        st.form_submit_button(label, type="primary", on_click=_commit, args=(place, pick), key="commit")


def _ask(
    place: Place, question: Question, pick: int | None, problem: InvalidAnswerError | None, words: WordsOf
) -> None:
    label = words.text(f"{place.track.topic}.question.{question.id}", **about(place, pick, words))
    with st.container(border=True):
        ask_value(question, answer_key(place, question), label, words, place.track.topic)
        if problem:
            st.markdown(f":red[▲ {say_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=_sure_key(place, question))


def about(place: Place, pick: int | None, words: WordsOf) -> dict[str, object]:
    """What the words of a question may use: the scenario's numbers and the token picked."""
    config, case = place.run.config, place.run.case
    values: dict[str, object] = {"block_size": config.block_size}
    for request in config.requests:
        values[f"{request.seq_id.lower()}_prompt"] = len(request.prompt)
    if case and pick is not None:
        values |= {"pos": pick, "token": words.token(config.request(case.pick_from).prompt[pick])}
    return values


def idea_key(topic: str, diagnosis: Diagnosis) -> str:
    """Key of the words about a wrong answer: the idea behind it, else how the run's own answer comes about."""
    if diagnosis.idea:
        return f"{topic}.idea.{diagnosis.question}_{diagnosis.idea}"
    return f"{topic}.derive.{diagnosis.question}"


def picked(prediction: Prediction) -> int | None:
    """The position of the token that a committed prediction is about, if any."""
    pick = prediction.form.partition("@")[2]
    return int(pick) if pick else None


def committed_prediction(place: Place, facts: dict[str, Outcome], owner: str, words: WordsOf) -> None:
    """The answers as given; with each, the outcome as soon as the run shows one.

    `owner`: "you", or "in_link" where the prediction came with the address and may be somebody else's.
    """
    prediction, topic = place.run.prediction, place.track.topic
    if prediction is None:
        return
    if present.covered():
        present.cover("prediction", words)
        return
    values = about(place, picked(prediction), words)
    items = []
    for question, answer, sure in zip(place.questions, prediction.answers, prediction.sure, strict=True):
        fact = facts.get(question.id)
        key = f"task.card.{owner}_sure" if sure else f"task.card.{owner}"
        items.append(
            cards.Card(
                words.text(f"{topic}.short.{question.id}", **values),
                words.text(key, answer=said(question, words, topic, answer)),
                _outcome(question, answer, fact, words, topic),
                "waiting" if fact is None else "same" if fact.value == answer else "other",
                new=fact is not None and fact.step == place.cursor.step - 1,
            )
        )
    cards.verdicts(items, words.text("task.committed"))


def said(question: Question, words: WordsOf, topic: str, value: int) -> str:
    """An answer as words."""
    if question.kind == "yes_no":
        return words.text(f"{topic}.yes_no.{value}_{question.id}")
    if question.kind == "choice":
        return words.text(f"{topic}.option.{question.id}_{question.options[value]}")
    return str(value)


def beside(diagnosis: Diagnosis, words: WordsOf) -> dict[str, str]:
    """A question's short name, the answer given and the run's, for a sentence that compares them."""
    question = BY_ID[diagnosis.question]
    return {
        "name": words.text(f"task.short.{question.id}"),
        "answer": said(question, words, "task", diagnosis.answer),
        "value": said(question, words, "task", diagnosis.outcome.value),
    }


def _outcome(question: Question, answer: int, fact: Outcome | None, words: WordsOf, topic: str) -> str:
    if fact is None:
        return words.text("task.card.waiting")
    key = "same" if fact.value == answer else "other"
    if question.said_by != "engine":
        key += f"_{question.said_by}"
    return words.text(f"task.card.{key}", value=said(question, words, topic, fact.value))
