"""The quiz: a round of questions about small scenarios that the engine runs, one at a time, with feedback at once."""

from __future__ import annotations

import streamlit as st

from lab.quiz.question import Question, Value
from lab.quiz.words import ask, difficulty_name, kind_name, scene
from lessons import cards, quiz_form, quiz_place, state
from lessons.focus import focus_on
from lessons.quiz_end import end
from lessons.quiz_pictures import picture_after, picture_before
from lessons.quiz_place import QuizPlace
from lessons.quiz_progress import progress
from lessons.quiz_start import start
from lessons.quiz_told import my_way_panel, verdict, way_on
from lessons.say import say_error
from lessons.text import WordsOf
from lessons.text import words as words_of


def page() -> None:
    """Draw what the address says."""
    words = words_of(state.language())
    place = quiz_place.place()
    cards.heading(1, words.text("quiz_page.title"))
    focus_on(_target(place), key="quiz_focus", stamp=_stamp(place))
    if place.problem:
        st.warning(words.text("quiz_page.link_problem", reason=say_error(place.problem, words)))
    if place.single is None and place.played is None:
        start(words)
        return
    _head(place, words)
    question = place.question
    if question is None:
        end(place, words)
    else:
        _one(place, question, words)


def _value(place: QuizPlace) -> Value | None:
    """What was answered to the question in view; None while it is open."""
    if place.single is not None:
        return quiz_place.answered_alone(place.single)
    turn = place.turn
    answered = place.played is not None and turn is not None and turn.result is not None
    return place.played.answers[place.index] if place.played and answered else None


def _target(place: QuizPlace) -> str:
    return "quiz_verdict" if place.question and _value(place) is not None else "quiz_here"


def _stamp(place: QuizPlace) -> str:
    """Changes with what is in view."""
    return f"{place.key}.{_value(place) is not None}"


def _head(place: QuizPlace, words: WordsOf) -> None:
    """Whose round it is, its settings, its marks, the way out of it."""
    if place.played is None:
        with st.container(horizontal=True, vertical_alignment="center", key="quiz_alone"):
            st.markdown(words.text("quiz_page.single"))
            name = "back_to_round" if state.value(quiz_place.ROUND) else "start_round"
            action = quiz_place.back_to_round if name == "back_to_round" else quiz_place.leave
            st.button(words.text(f"quiz_page.{name}"), key="quiz_to_round", on_click=action)
        return
    if not place.own:
        with st.container(border=True, key="quiz_foreign"):
            st.markdown(words.text("quiz_page.foreign"))
            st.button(words.text("quiz_page.take"), type="primary", key="quiz_take", on_click=quiz_place.take)
    with st.container(horizontal=True, vertical_alignment="center", key="quiz_setting"):
        difficulty = difficulty_name(place.played.difficulty, words)
        st.markdown(words.text("quiz_page.setting", block_size=place.played.block_size, difficulty=difficulty))
        if not place.own:
            st.button(words.text("quiz_page.leave"), key="quiz_leave_yes", on_click=quiz_place.leave)
        elif not place.played.over:
            with st.popover(words.text("quiz_page.leave"), key="quiz_leave", type="tertiary"):
                st.markdown(words.text("quiz_page.leave_ask"))
                st.button(words.text("quiz_page.leave_yes"), key="quiz_leave_yes", on_click=quiz_place.leave)
    progress(place, words)


def _one(place: QuizPlace, question: Question, words: WordsOf) -> None:
    """One question: asked, or with its feedback. The picture is at the right, on a phone above the fields."""
    value = _value(place)
    state.pictures_beside_words(True)
    with st.container(key="lesson"):  # a grid, see assets/one_view.css
        asking, showing, explaining = (
            st.container(key=f"lesson_{name}") for name in ("asking", "showing", "explaining")
        )
    with asking:
        _asked(place, question, words)
        if value is not None:
            verdict(place, question, value, words)
    with explaining:
        if value is not None:
            way_on(place, question, words)
        elif place.own:
            quiz_form.ask(place, words)
    with showing:
        if value is None:
            picture_before(place, words)
        else:
            picture_after(question, value, words)
    if value is not None:
        my_way_panel(question, value, words)


def _how_again(place: QuizPlace, earlier: int) -> str:
    """Key of the sentence that says that the question in view comes again, and what of it is new."""
    first, now = place.turns[earlier].question, place.question
    if now is None or now.form != "several":
        return "quiz_page.again"
    return "quiz_page.again_statements" if now.name.kind != first.name.kind else "quiz_page.again_before"


def _asked(place: QuizPlace, question: Question, words: WordsOf) -> None:
    """The scene, step by step, and what is asked."""
    kind = kind_name(question.name.kind, words)
    with st.container(key="quiz_here"):
        if place.played is None:
            cards.heading(2, kind)
        else:
            number = words.text("quiz_page.question", number=place.index + 1, length=place.played.length)
            cards.heading(2, number)
            st.markdown(words.text("quiz_page.kind", kind=kind))
    if place.turn is not None and place.turn.again is not None:
        st.info(words.text(_how_again(place, place.turn.again), number=place.turn.again + 1), icon=":material/replay:")
    first, *steps = scene(question, words) or [""]
    if first:
        st.markdown(first)
    if steps:
        lines = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        st.markdown(f"{words.text('quiz_page.steps')}\n\n{lines}")
    st.markdown(f"**{ask(question, words)}**")


page()
