"""The quiz page: a round of questions about small scenarios that the engine runs, one question at a time."""

from __future__ import annotations

import streamlit as st

from lab.activities.question import Value
from lab.quiz.question import QuizQuestion
from lab.quiz.words import ask, describe_scene, format_difficulty, format_kind
from lessons.quiz import attempt as quiz
from lessons.quiz import form
from lessons.quiz.attempt import QuizAttempt
from lessons.quiz.feedback import offer_next, offer_what_if, show_verdict
from lessons.quiz.pictures import draw_after, draw_before
from lessons.quiz.progress import draw_progress
from lessons.quiz.start import draw_start
from lessons.quiz.summary import draw_summary
from lessons.state import attempts, viewport
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.after_page import focus_on


def draw_page() -> None:
    """Draw the page for the attempt in the address."""
    words = words_of(attempts.get_language())
    attempt = quiz.read_url()
    cards.draw_heading(1, words.text("quiz.title"))
    focus_on(_get_focus_target(attempt), key="quiz_focus", stamp=_build_stamp(attempt))
    if attempt.problem:
        st.warning(words.text("quiz_page.link_problem", reason=format_error(attempt.problem, words)))
    if attempt.single is None and attempt.played is None:
        draw_start(words)
        return
    _draw_head(attempt, words)
    question = attempt.question
    if question is None:
        draw_summary(attempt, words)
    else:
        _draw_question(attempt, question, words)


def _get_value(attempt: QuizAttempt) -> Value | None:
    """Return the answer to the question in view, or None if there is none yet."""
    if attempt.single is not None:
        return quiz.get_single_answer(attempt.single)
    turn = attempt.turn
    return turn.result.answer if turn is not None and turn.result is not None else None


def _get_focus_target(attempt: QuizAttempt) -> str:
    return "quiz_verdict" if attempt.question and _get_value(attempt) is not None else "quiz_here"


def _build_stamp(attempt: QuizAttempt) -> str:
    """A value that changes when another question, or its feedback, comes into view."""
    return f"{attempt.key}.{_get_value(attempt) is not None}"


def _draw_head(attempt: QuizAttempt, words: Translations) -> None:
    """Draw whose round it is, its settings, the progress marks and the way to leave."""
    if attempt.played is None:
        with st.container(horizontal=True, vertical_alignment="center", key="quiz_alone"):
            st.markdown(words.text("quiz_page.single"))
            name = "back_to_round" if attempts.get_value(quiz.ROUND) else "start_round"
            action = quiz.return_to_round if name == "back_to_round" else quiz.leave
            st.button(words.text(f"quiz_page.{name}"), key="quiz_to_round", on_click=action)
        return
    if not attempt.is_mine:
        with st.container(border=True, key="quiz_foreign"):
            st.markdown(words.text("quiz_page.foreign"))
            st.button(words.text("quiz_page.take"), type="primary", key="quiz_take", on_click=quiz.take)
    with st.container(horizontal=True, vertical_alignment="center", key="quiz_setting"):
        difficulty = format_difficulty(attempt.played.difficulty, words)
        st.markdown(words.text("quiz_page.setting", block_size=attempt.played.block_size, difficulty=difficulty))
        if not attempt.is_mine:
            st.button(words.text("quiz_page.leave"), key="quiz_leave_yes", on_click=quiz.leave)
        elif not attempt.played.over:
            with st.popover(words.text("quiz_page.leave"), key="quiz_leave", type="tertiary"):
                st.markdown(words.text("quiz_page.leave_ask"))
                st.button(words.text("quiz_page.leave_yes"), key="quiz_leave_yes", on_click=quiz.leave)
    draw_progress(attempt, words)


def _draw_question(attempt: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    """Draw a question or its feedback. The picture is on the right; on a phone it is above the fields."""
    value = _get_value(attempt)
    viewport.set_pictures_beside_words(True)
    with st.container(key="lesson"):  # a grid, see assets/components/one_view/one_view.css
        asking, showing, explaining = (
            st.container(key=f"lesson_{name}") for name in ("asking", "showing", "explaining")
        )
    with asking:
        _draw_scene(attempt, question, words)
        if value is not None:
            show_verdict(attempt, question, value, words)
    with explaining:
        if value is not None:
            offer_next(attempt, question, words)
        elif attempt.is_mine:
            form.ask(attempt, words)
    with showing:
        if value is None:
            draw_before(attempt, words)
        else:
            draw_after(question, value, words)
    if value is not None:
        offer_what_if(question, value, words)


def _get_retry_key(attempt: QuizAttempt, earlier: int) -> str:
    """Return the key of the sentence that says the question is repeated, and what is new in it."""
    first, now = attempt.turns[earlier].question, attempt.question
    if now is None or now.form != "several":
        return "quiz_page.again"
    return "quiz_page.again_statements" if now.name.kind != first.name.kind else "quiz_page.again_before"


def _draw_scene(attempt: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    """Draw the scenario step by step, and the question."""
    kind = format_kind(question.name.kind, words)
    with st.container(key="quiz_here"):
        if attempt.played is None:
            cards.draw_heading(2, kind)
        else:
            number = words.text("quiz_page.question", number=attempt.index + 1, length=attempt.played.length)
            cards.draw_heading(2, number)
            st.markdown(words.text("quiz_page.kind", kind=kind))
    if attempt.turn is not None and attempt.turn.again is not None:
        st.info(
            words.text(_get_retry_key(attempt, attempt.turn.again), number=attempt.turn.again + 1),
            icon=":material/replay:",
        )
    first, *steps = describe_scene(question, words) or [""]
    if first:
        st.markdown(first)
    if steps:
        lines = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        st.markdown(f"{words.text('quiz_page.steps')}\n\n{lines}")
    st.markdown(f"**{ask(question, words)}**")


draw_page()
