"""The quiz: a round of questions about small scenarios that the engine runs, one at a time, with feedback at once."""

from __future__ import annotations

import streamlit as st

from lab.quiz.question import QuizQuestion, Value
from lab.quiz.words import ask, describe_scene, format_difficulty, format_kind
from lessons.quiz import attempt, form
from lessons.quiz.attempt import QuizAttempt
from lessons.quiz.feedback import offer_next, offer_what_if, show_verdict
from lessons.quiz.pictures import draw_after, draw_before
from lessons.quiz.progress import draw_progress
from lessons.quiz.start import start
from lessons.quiz.summary import end
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.focus import focus_on


def draw_page() -> None:
    """Draw what the address says."""
    words = words_of(attempts.get_language())
    place = attempt.place()
    cards.draw_heading(1, words.text("quiz_page.title"))
    focus_on(_get_focus_target(place), key="quiz_focus", stamp=_build_stamp(place))
    if place.problem:
        st.warning(words.text("quiz_page.link_problem", reason=format_error(place.problem, words)))
    if place.single is None and place.played is None:
        start(words)
        return
    _draw_head(place, words)
    question = place.question
    if question is None:
        end(place, words)
    else:
        _draw_question(place, question, words)


def _get_value(place: QuizAttempt) -> Value | None:
    """What was answered to the question in view; None while it is open."""
    if place.single is not None:
        return attempt.get_single_answer(place.single)
    turn = place.turn
    answered = place.played is not None and turn is not None and turn.result is not None
    return place.played.answers[place.index] if place.played and answered else None


def _get_focus_target(place: QuizAttempt) -> str:
    return "quiz_verdict" if place.question and _get_value(place) is not None else "quiz_here"


def _build_stamp(place: QuizAttempt) -> str:
    """Changes with what is in view."""
    return f"{place.key}.{_get_value(place) is not None}"


def _draw_head(place: QuizAttempt, words: Translations) -> None:
    """Whose round it is, its settings, its marks, the way out of it."""
    if place.played is None:
        with st.container(horizontal=True, vertical_alignment="center", key="quiz_alone"):
            st.markdown(words.text("quiz_page.single"))
            name = "back_to_round" if attempts.get_value(attempt.ROUND) else "start_round"
            action = attempt.return_to_round if name == "back_to_round" else attempt.leave
            st.button(words.text(f"quiz_page.{name}"), key="quiz_to_round", on_click=action)
        return
    if not place.own:
        with st.container(border=True, key="quiz_foreign"):
            st.markdown(words.text("quiz_page.foreign"))
            st.button(words.text("quiz_page.take"), type="primary", key="quiz_take", on_click=attempt.take)
    with st.container(horizontal=True, vertical_alignment="center", key="quiz_setting"):
        difficulty = format_difficulty(place.played.difficulty, words)
        st.markdown(words.text("quiz_page.setting", block_size=place.played.block_size, difficulty=difficulty))
        if not place.own:
            st.button(words.text("quiz_page.leave"), key="quiz_leave_yes", on_click=attempt.leave)
        elif not place.played.over:
            with st.popover(words.text("quiz_page.leave"), key="quiz_leave", type="tertiary"):
                st.markdown(words.text("quiz_page.leave_ask"))
                st.button(words.text("quiz_page.leave_yes"), key="quiz_leave_yes", on_click=attempt.leave)
    draw_progress(place, words)


def _draw_question(place: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    """One question: asked, or with its feedback. The picture is at the right, on a phone above the fields."""
    value = _get_value(place)
    attempts.set_pictures_beside_words(True)
    with st.container(key="lesson"):  # a grid, see assets/components/one_view/one_view.css
        asking, showing, explaining = (
            st.container(key=f"lesson_{name}") for name in ("asking", "showing", "explaining")
        )
    with asking:
        _draw_scene(place, question, words)
        if value is not None:
            show_verdict(place, question, value, words)
    with explaining:
        if value is not None:
            offer_next(place, question, words)
        elif place.own:
            form.ask(place, words)
    with showing:
        if value is None:
            draw_before(place, words)
        else:
            draw_after(question, value, words)
    if value is not None:
        offer_what_if(question, value, words)


def _get_retry_key(place: QuizAttempt, earlier: int) -> str:
    """Key of the sentence that says that the question in view comes again, and what of it is new."""
    first, now = place.turns[earlier].question, place.question
    if now is None or now.form != "several":
        return "quiz_page.again"
    return "quiz_page.again_statements" if now.name.kind != first.name.kind else "quiz_page.again_before"


def _draw_scene(place: QuizAttempt, question: QuizQuestion, words: Translations) -> None:
    """The scene, step by step, and what is asked."""
    kind = format_kind(question.name.kind, words)
    with st.container(key="quiz_here"):
        if place.played is None:
            cards.draw_heading(2, kind)
        else:
            number = words.text("quiz_page.question", number=place.index + 1, length=place.played.length)
            cards.draw_heading(2, number)
            st.markdown(words.text("quiz_page.kind", kind=kind))
    if place.turn is not None and place.turn.again is not None:
        st.info(
            words.text(_get_retry_key(place, place.turn.again), number=place.turn.again + 1), icon=":material/replay:"
        )
    first, *steps = describe_scene(question, words) or [""]
    if first:
        st.markdown(first)
    if steps:
        lines = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        st.markdown(f"{words.text('quiz_page.steps')}\n\n{lines}")
    st.markdown(f"**{ask(question, words)}**")


draw_page()
