"""The questions of the first lesson: a form for each, then a card with the outcome of the run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import streamlit as st

from lab.activities.answer import encode_value
from lab.activities.attempt import Answer, Attempt
from lab.activities.intuition.outcomes import collect_values, compute_where_options, grade_answer
from lab.activities.intuition.progress import QUESTIONS, IntuitionView
from lab.activities.intuition.runs import CONFIG, PAGING
from lab.activities.intuition.storyboard import build_scenes
from lab.activities.question import Question, Sure, Value
from lessons.activity.answer_cards import AnswerCard, draw_answer_cards
from lessons.activity.flow import offer_resume
from lessons.activity.report_row import ReportRow, build_address
from lessons.activity.what_if import offer_what_if
from lessons.intuition import frames
from lessons.intuition.attempt import KEY, SLOT, commit, get_saved, resume, start_over
from lessons.state import record
from lessons.text.sentences import explain_grade, format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.question_form import Field, ask_questions


def ask(attempt: IntuitionView, question: Question, words: Translations, *, title: str = "") -> None:
    """Draw the form for the next question. If this browser has answered it before, offer to resume instead."""
    if title:
        cards.draw_heading(2, title)
    kept = get_saved()
    if kept is not None and len(kept.answers) > len(attempt.answers):
        offer_resume("intuition.answered_before", words, resume, start_over)
        return
    values = format_values(words) if attempt.answers else {}  # the first question comes before anything runs
    label = words.text(f"intuition.question.{question.id}", **values)

    def save(given: tuple[Value, ...], sure: tuple[Sure | None, ...]) -> None:
        commit(question, Answer(encode_value(question, given[0]), sure[0]))

    ask_questions(
        f"form.intuition.{question.id}",
        [
            Field(
                question,
                f"intuition.{question.id}",
                label,
                partial(format_option, question, words=words),
                sure="box",
            )
        ],
        save,
        words,
    )


def show_answers(attempt: IntuitionView, ended: bool, words: Translations) -> None:
    """Draw each answer, with the outcome once its scene has been seen. The first waits for the end."""
    items = []
    for i, (question, given) in enumerate(zip(QUESTIONS, attempt.answers, strict=False)):
        grade, outcome = grade_answer(question, given), ""
        if _is_answered(attempt, i, ended):
            same = "same" if grade.right else "other"
            outcome = words.text(f"task.card.{same}", value=format_option(question, grade.value, words))
        items.append(
            AnswerCard(
                words.text(f"intuition.short.{question.id}"),
                format_option(question, grade.answer, words),
                outcome,
                right=grade.right,
                sure=given.is_sure,
                new=i == len(attempt.answers) - 1 or (ended and i == 0),
            )
        )
    mine = record.is_mine(attempt.attempt)
    if not mine:
        st.caption(words.text("task.foreign"))
    draw_answer_cards(items, words, is_mine=mine)


def _is_answered(attempt: IntuitionView, i: int, ended: bool) -> bool:
    """Whether the learner has seen the answer to question `i`. The first question is answered at the end."""
    return ended or (i > 0 and (len(attempt.answers) > i + 1 or _is_seen(attempt, QUESTIONS[i])))


def _is_seen(attempt: IntuitionView, question: Question) -> bool:
    """Whether the frame in view, or an earlier one, shows the answer."""
    shown_by = {"where": "written", "returns": "last_user"}[question.id]
    before = [frame for scene in build_scenes()[: attempt.scene - 1] for frame in scene]
    return any(frame.caption == shown_by for frame in (*before, *build_scenes()[attempt.scene - 1][: attempt.frame]))


def show_ideas(attempt: IntuitionView, ended: bool, words: Translations) -> None:
    """Explain each wrong answer, once the learner has seen what the run did."""
    last = len(QUESTIONS) - 1
    ran = (
        PAGING if len(attempt.answers) > last and _is_answered(attempt, last, ended) else PAGING[:1]
    )  # only what has been seen
    offered: set[str] = set()
    for i, (question, given) in enumerate(zip(QUESTIONS, attempt.answers, strict=False)):
        grade = grade_answer(question, given)
        if _is_answered(attempt, i, ended) and not grade.right:
            with st.container(border=True):
                st.markdown("≠ " + explain_grade(KEY, grade, words, format_values(words)))
            if grade.idea not in offered:  # two answers may come from the same idea
                offered.add(grade.idea)
                offer_what_if(grade.idea, CONFIG, ran, words, question.id)


def format_option(question: Question, option_id: object, words: Translations) -> str:
    """Format an option; the options of `where` contain block ids."""
    ids = format_list(compute_where_options()[str(option_id)], words) if question.id == "where" else ""
    return words.text(f"intuition.option.{question.id}_{option_id}", ids=ids)


def format_values(words: Translations) -> dict[str, object]:
    """Return the run's numbers for the text of questions and misconceptions."""
    return frames.format_values(collect_values(), words)


def build_rows(attempt: Attempt, words: Translations) -> Iterator[ReportRow]:
    """Yield a report row for each answer. An outcome stays empty until the learner has seen it. Raises LabError."""
    done = KEY in record.get_done()
    for i, (question, given) in enumerate(zip(QUESTIONS, IntuitionView.read(attempt).answers, strict=False)):
        seen = done or (i > 0 and len(attempt.answers) > i + 1)
        grade = grade_answer(question, given)
        yield ReportRow.of(
            f"intuition.{question.id}",
            words.text("intuition.title"),
            words.text(f"intuition.question.{question.id}", **format_values(words)),
            given=grade.answer,
            grade=grade if seen else None,
            format_value=partial(format_option, question, words=words),
            why=partial(explain_grade, KEY, grade, words, format_values(words)),
            sure="sure" if given.is_sure else "think",
            state=build_address(KEY, SLOT, attempt),
        )
