"""The prediction: a form until it is committed, then a row of cards that also show the outcomes."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.diagnosis import Diagnosis
from lab.activities.question import BY_ID, Prediction, Question, parse_number
from lab.activities.trace_points import Outcome
from lab.engine.errors import InvalidAnswerError
from lessons.presenter import presenter
from lessons.state import notes, presenting, runs
from lessons.state.view import View
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets import cards


def get_answer_key(view: View, question: Question) -> str:
    """The key of the widget for an answer."""
    return f"predict.{view.form}.{question.id}"


def _get_sure_key(view: View, question: Question) -> str:
    return f"{get_answer_key(view, question)}.sure"


def _commit(view: View, pick: int | None) -> None:
    """Commit the answers if all of them can be read; else note the problem of each field."""
    questions = list_asked(view, pick)
    answers: list[int] = []
    problems: dict[str, InvalidAnswerError] = {}
    for question in questions:
        try:
            answers.append(read_answer(question, notes.get_field(get_answer_key(view, question))))
        except InvalidAnswerError as problem:
            problems[question.id] = problem
    notes.set_note(f"problems.{view.form}", problems)
    if not problems:
        sure = tuple(bool(notes.get_field(_get_sure_key(view, question))) for question in questions)
        form = view.run.case.form(pick) if view.run.case else view.form
        runs.commit(view.track, Prediction(tuple(answers), sure, form))


def list_asked(view: View, pick: int | None) -> tuple[Question, ...]:
    """The questions of the prediction, with those about the token at position `pick` if one has been picked."""
    return view.run.case.questions(pick) if view.run.case else view.questions


def read_answer(question: Question, typed: str | int | None) -> int:
    """The typed or chosen answer as a number. Raises InvalidAnswerError."""
    if question.kind in ("number", "slot"):
        return parse_number(str(typed or ""))
    if typed is None:
        raise InvalidAnswerError(reason="no_choice")
    return int(typed)


def ask_value(question: Question, key: str, label: str, words: Translations, topic: str = "task") -> None:
    """Draw the field for an answer to this question."""
    if question.kind in ("number", "slot"):
        st.text_input(label, key=key, max_chars=40, autocomplete="off")
    elif question.kind == "yes_no":
        st.radio(
            label,
            (1, 0),
            index=None,
            horizontal=True,
            key=key,
            format_func=partial(format_answer, question, words, topic),
        )
    else:
        choices = range(len(question.options))
        st.radio(label, choices, index=None, key=key, format_func=partial(format_answer, question, words, topic))


def ask_prediction(view: View, words: Translations, *, pick: int | None = None, in_columns: int = 2) -> None:
    """Draw the form with every question. Nothing is committed until all answers can be read."""
    problems: dict[str, InvalidAnswerError] = notes.get_note(f"problems.{view.form}", {})
    with st.form(f"predict.{view.form}"):
        st.markdown(words.text("task.predict_lead" if view.track.topic == "task" else "site.predict_lead"))
        columns = st.columns(in_columns, gap="large")
        questions = list_asked(view, pick)
        for i, question in enumerate(questions):
            with columns[i * len(columns) // len(questions)]:
                _ask(view, question, pick, problems.get(question.id), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        label = words.text("task.commit")
        st.form_submit_button(label, type="primary", on_click=_commit, args=(view, pick), key="commit")


def _ask(
    view: View, question: Question, pick: int | None, problem: InvalidAnswerError | None, words: Translations
) -> None:
    label = words.text(f"{view.track.topic}.question.{question.id}", **collect_values(view, pick, words))
    with st.container(border=True):
        ask_value(question, get_answer_key(view, question), label, words, view.track.topic)
        if problem:
            st.markdown(f":red[▲ {format_error(problem, words)}]")
        st.checkbox(words.text("task.sure"), key=_get_sure_key(view, question))


def collect_values(view: View, pick: int | None, words: Translations) -> dict[str, object]:
    """The values for placeholders in a question: the scenario's numbers and the picked token."""
    config, case = view.run.config, view.run.case
    values: dict[str, object] = {"block_size": config.block_size}
    for request in config.requests:
        values[f"{request.seq_id.lower()}_prompt"] = len(request.prompt)
    if case and pick is not None:
        values |= {"pos": pick, "token": words.token(config.request(case.pick_from).prompt[pick])}
    return values


def get_idea_key(topic: str, diagnosis: Diagnosis) -> str:
    """The key of the text about a wrong answer: on the idea behind it, else on how the run's answer comes about."""
    if diagnosis.idea:
        return f"{topic}.idea.{diagnosis.question}_{diagnosis.idea}"
    return f"{topic}.derive.{diagnosis.question}"


def get_picked(prediction: Prediction) -> int | None:
    """The position of the token that a prediction is about; None if it is about none."""
    pick = prediction.form.partition("@")[2]
    return int(pick) if pick else None


def show_prediction(view: View, facts: dict[str, Outcome], owner: str, words: Translations) -> None:
    """Draw each answer with its outcome, as soon as the run shows one.

    `owner`: "you", or "in_link" if the prediction came with a link and may be somebody else's.
    """
    prediction, topic = view.run.prediction, view.track.topic
    if prediction is None:
        return
    if presenting.hide_answer():
        presenter.draw_placeholder("prediction", words)
        return
    values = collect_values(view, get_picked(prediction), words)
    items = []
    for question, answer, sure in zip(view.questions, prediction.answers, prediction.sure, strict=True):
        fact = facts.get(question.id)
        key = f"task.card.{owner}_sure" if sure else f"task.card.{owner}"
        items.append(
            cards.Card(
                words.text(f"{topic}.short.{question.id}", **values),
                words.text(key, answer=format_answer(question, words, topic, answer)),
                _format_outcome(question, answer, fact, words, topic),
                "waiting" if fact is None else "same" if fact.value == answer else "other",
                new=fact is not None and fact.step == view.cursor.step - 1,
            )
        )
    cards.draw_verdicts(items, words.text("task.committed"))


def format_answer(question: Question, words: Translations, topic: str, value: int) -> str:
    """An answer as text."""
    if question.kind == "yes_no":
        return words.text(f"{topic}.yes_no.{value}_{question.id}")
    if question.kind == "choice":
        return words.text(f"{topic}.option.{question.id}_{question.options[value]}")
    return str(value)


def compare_answers(diagnosis: Diagnosis, words: Translations) -> dict[str, str]:
    """Values for a sentence that compares answers: the question's short name, the given answer, the run's answer."""
    question = BY_ID[diagnosis.question]
    return {
        "name": words.text(f"task.short.{question.id}"),
        "answer": format_answer(question, words, "task", diagnosis.answer),
        "value": format_answer(question, words, "task", diagnosis.outcome.value),
    }


def _format_outcome(question: Question, answer: int, fact: Outcome | None, words: Translations, topic: str) -> str:
    if fact is None:
        return words.text("task.card.waiting")
    key = "same" if fact.value == answer else "other"
    if question.said_by != "engine":
        key += f"_{question.said_by}"
    return words.text(f"task.card.{key}", value=format_answer(question, words, topic, fact.value))
