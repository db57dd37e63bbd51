"""The prediction: a form until it is committed, then a row of cards that also show the outcomes."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.attempt import Answer
from lab.activities.cases.case import Case
from lab.activities.question import BY_ID, Grade, Question, Sure, Value
from lab.activities.trace_points import Outcome
from lab.trace.config import Config
from lessons.activity.answer_cards import AnswerCard, draw_answer_cards
from lessons.presenter.unanswered import draw_questions
from lessons.state import notes, presenting, record, runs
from lessons.state.view import View
from lessons.text.translations import Translations
from lessons.widgets.question_form import Field, ask_questions


def get_answer_key(view: View, question: Question) -> str:
    """The key of the widget for an answer."""
    return f"predict.{view.form}.{question.id}"


def ask_prediction(view: View, words: Translations, *, pick: int | None = None, in_columns: int = 2) -> None:
    """Draw the form with every question. Nothing is committed until all answers can be read."""
    topic, questions = view.track.topic, view.run.case.questions(pick)
    values = collect_values(view, pick, words)
    form = view.run.case.form(pick)
    presenting.get_stage().questions = [f"predict.{form}.{question.id}" for question in questions]

    if view.demonstration and presenting.is_on():  # stepped without a prediction
        draw_questions([words.text(f"{topic}.question.{question.id}", **values) for question in questions], words)
        return

    def commit(given: tuple[Value, ...], sure: tuple[Sure | None, ...]) -> None:
        picked = () if pick is None else (Answer((pick,)),)
        places = (question.place(value) for question, value in zip(questions, given, strict=True))
        runs.commit(view.track, *picked, *(Answer((place,), level) for place, level in zip(places, sure, strict=True)))

    ask_questions(
        f"predict.{view.form}",
        [
            Field(
                question,
                get_answer_key(view, question),
                words.text(f"{topic}.question.{question.id}", **values),
                partial(format_answer, question, words, topic),
                sure="box",
            )
            for question in questions
        ],
        commit,
        words,
        lead=words.text("task.predict_lead" if topic == "task" else "site.predict_lead"),
        columns=in_columns,
    )


def ask_pick(view: View, words: Translations) -> int:
    """Ask for the token that the prediction is about. Returns its position."""
    case = view.run.case
    prompt = view.run.config.request(case.pick_from).prompt

    def forget_slots() -> None:  # an answer about a slot was for the token picked before
        for question in case.questions(0):
            if question.form == "slot":
                notes.set_field(get_answer_key(view, question), "")

    return st.pills(
        words.text(f"{view.track.topic}.pick"),
        range(len(prompt)),
        default=len(prompt) - 1,
        key=f"pick.{case.id}",
        required=True,
        format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
        on_change=forget_slots,
    )


def collect_values(view: View, pick: int | None, words: Translations) -> dict[str, object]:
    """The values for placeholders in a question of this view."""
    return collect_setting(view.run.config, view.run.case, pick, words)


def collect_setting(config: Config, case: Case, pick: int | None, words: Translations) -> dict[str, object]:
    """The values for placeholders in a question: the scenario's numbers and the picked token."""
    values: dict[str, object] = {"block_size": config.block_size}
    for request in config.requests:
        values[f"{request.seq_id.lower()}_prompt"] = len(request.prompt)
    if pick is not None:
        values |= {"pos": pick, "token": words.token(config.request(case.pick_from).prompt[pick])}
    return values


def draw_owner_notice(view: View, words: Translations) -> None:
    """Say that the prediction in view came with a link. Stands below the picture, which stays in the window."""
    if not record.is_mine(view.run.attempt):
        st.caption(words.text("task.foreign"))


def show_prediction(view: View, facts: dict[str, Outcome], words: Translations) -> None:
    """Draw each answer with its outcome, as soon as the run shows one."""
    topic, values = view.track.topic, collect_values(view, view.run.pick, words)
    items = []
    for question, given in zip(view.questions, view.run.answers, strict=view.run.is_predicted):
        answer, fact = given.number, facts.get(question.id)
        items.append(
            AnswerCard(
                words.text(f"{topic}.short.{question.id}", **values),
                format_answer(question, words, topic, answer),
                _format_outcome(question, answer, fact, words, topic) if fact else "",
                right=fact is not None and fact.value == answer,
                sure=given.is_sure,
                new=fact is not None and fact.step == view.cursor.step - 1,
            )
        )
    draw_answer_cards(items, words, is_mine=record.is_mine(view.run.attempt))


def format_answer(question: Question, words: Translations, topic: str, value: Value | float) -> str:
    """An answer as text: a value, or the place of an option."""
    if question.form == "yes_no":
        return words.text(f"{topic}.yes_no.{value}_{question.id}")
    if question.form == "choice":
        return words.text(f"{topic}.option.{question.id}_{question.options[question.place(value)].id}")
    return str(value)


def format_comparison(diagnosis: Grade, words: Translations) -> dict[str, str]:
    """Values for a sentence that compares answers: the question's short name, the given answer, the run's answer."""
    question = BY_ID[diagnosis.question]
    return {
        "name": words.text(f"task.short.{question.id}"),
        "answer": format_answer(question, words, "task", diagnosis.answer),
        "value": format_answer(question, words, "task", diagnosis.value),
    }


def _format_outcome(question: Question, answer: int, fact: Outcome, words: Translations, topic: str) -> str:
    key = "same" if fact.value == answer else "other"
    if question.said_by != "engine":
        key += f"_{question.said_by}"
    return words.text(f"task.card.{key}", value=format_answer(question, words, topic, fact.value))
