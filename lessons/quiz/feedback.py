"""Feedback right after an answer: what the engine did and why, the misconception, and the next question."""

from __future__ import annotations

import streamlit as st

from lab.activities.ideas import is_slip
from lab.activities.question import Grade, Value
from lab.quiz.grade import grade
from lab.quiz.link import encode_name
from lab.quiz.question import QuizQuestion
from lab.quiz.words import explain_answer, format_feedback, format_idea, format_option
from lessons.activity import what_if
from lessons.activity.flow import wait_for_engine
from lessons.quiz import attempt as quiz
from lessons.quiz.attempt import SINGLE, QuizAttempt
from lessons.text.quiz_values import format_value
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.copy_link import copy_link


def show_verdict(attempt: QuizAttempt, question: QuizQuestion, value: Value, words: Translations) -> None:
    """Show whether the answer was right, both answers, the misconception, and how the engine gets its answer."""
    result = grade(question, value)
    with st.container(border=True, key="quiz_verdict"):
        wrong = "wrong_several" if result.verdicts else "wrong_reason" if result.only_reason else "wrong"
        cards.draw_heading(3, words.text("quiz_page.right" if result.right else f"quiz_page.{wrong}"))
        _show_answers(attempt, question, value, result, words)
        if result.idea:
            st.markdown(f"**{words.text('quiz_page.idea', idea=format_idea(result.idea, words))}**")
            if not result.verdicts:
                st.markdown("  \n".join(format_feedback(question, result, words)))
        st.markdown(explain_answer(question, result, words))
        level = attempt.sure[attempt.index] if attempt.index < len(attempt.sure) else None
        if level is not None:
            st.markdown(words.text("quiz_page.sure_was", level=words.text(f"quiz_page.sure.{level}")))


def _show_answers(
    attempt: QuizAttempt, question: QuizQuestion, value: Value, result: Grade, words: Translations
) -> None:
    """Show the learner's answer and the engine's in a way that suits the form."""
    if question.form == "several":
        texts = format_feedback(question, result, words)
        for each, text in zip(result.verdicts, texts, strict=True):
            same = each.chosen == each.true
            what = f"{'chosen' if each.chosen else 'left'}_{'right' if same else 'wrong'}"
            judged = words.text(f"quiz_page.{what}" if attempt.is_mine else f"quiz_page.they_{what}")
            option = question.option(each.option_id)
            option_text = format_option(option, words) if option else ""
            st.markdown(f"**{option_text}**  \n{'✓' if same else '≠'} {judged}{words.text('figures.gap')}{text}")
        return
    if question.form == "order":
        _show_order(attempt, question, value, words)
        return
    theirs = "you_said" if attempt.is_mine else "they_said"
    if not result.right:
        st.markdown("≠ " + words.text(f"quiz_page.{theirs}", answer=format_value(question, value, words)))
    st.markdown("✓ " + words.text("quiz_page.engine_said", answer=format_value(question, question.answer, words)))


def _show_order(attempt: QuizAttempt, question: QuizQuestion, value: Value, words: Translations) -> None:
    """Show the engine's order, and the position of each step in the answer."""
    if not isinstance(value, tuple) or not isinstance(question.answer, tuple):
        return
    lines = []
    for number, option_id in enumerate(question.answer, 1):
        option, at = question.option(option_id), value.index(option_id) + 1
        how = "place_right" if at == number else "place_wrong" if attempt.is_mine else "place_theirs"
        text = format_option(option, words) if option else ""
        sign = "✓" if at == number else "≠"
        lines.append(f"{number}. {sign} {words.text(f'quiz_page.{how}', text=text, place=at)}")
    st.markdown("\n".join(lines))


def offer_what_if(question: QuizQuestion, value: Value, words: Translations) -> None:
    """Offer to run the misconception beside the engine on the question's operations. A slip has none to run."""
    idea = grade(question, value).idea
    if not idea or is_slip(idea):
        return
    wait_for_engine(words)
    what_if.offer_what_if(idea, question.config, question.operations, words, key=f"quiz_{question.name.kind}")


def offer_next(attempt: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    """Offer the next question and the link to this one."""
    with st.container(horizontal=True, vertical_alignment="center", key="quiz_on"):
        if attempt.single is not None:
            _offer_after_single(question, words)
        elif attempt.played is not None and (
            attempt.is_mine or attempt.played.over or attempt.index + 1 < len(attempt.turns) - 1
        ):
            following = attempt.index + 1
            last = following == attempt.played.length
            label = words.text("quiz_page.to_end" if last else "quiz_page.next")
            st.button(label, type="primary", key="quiz_next", on_click=quiz.seek, args=(following,))
            if attempt.played.over and not last:
                label = words.text("quiz_page.back_to_end")
                st.button(label, key="quiz_to_end", on_click=quiz.seek, args=(attempt.played.length,))
        copy_link(
            key="copy_question",
            label=words.text("quiz_page.copy_question"),
            done_label=words.text("site.link_copied"),
            params={"lang": words.language, SINGLE: encode_name(question.name)},
            only=True,
        )


def _offer_after_single(question: QuizQuestion, words: Translations) -> None:
    """A single question has no next one: offer another of its kind, or the same again."""
    st.button(
        words.text("quiz_page.another"),
        type="primary",
        key="quiz_another",
        on_click=lambda: quiz.ask_alone(question, another=True),
    )
    st.button(words.text("quiz_page.retry"), key="quiz_retry", on_click=quiz.ask_alone, args=(question,))
