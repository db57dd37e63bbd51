"""The first lesson: a question, an animation in five scenes that stops twice for a prediction, the question again."""

from __future__ import annotations

import streamlit as st

from lab.errors import LabError
from lab.figures.theme import dark_colors
from lab.intuition.visit import QUESTIONS, Visit
from lessons import cards, course, intuition_visit, state
from lessons import intuition_questions as questions
from lessons.focus import focus_on
from lessons.one_view import one_view, title_row
from lessons.own_words import write
from lessons.predict_run_explain import wait_for_engine
from lessons.say import say_error
from lessons.text import WordsOf
from lessons.text import words as words_of


def intuition() -> None:
    """Draw the page."""
    words = words_of(state.language())
    with title_row():
        cards.heading(1, words.text("intuition.title"))
    try:
        visit = intuition_visit.asked_for()
        if visit.answers:
            wait_for_engine(words)
            visit.check(intuition_visit.frame_counts())
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=say_error(problem, words)))
        visit = Visit()
    if not visit.answers:
        st.markdown(words.text("intuition.lead"))
        st.markdown(words.text("task.intro_kv"))
        questions.ask(visit, QUESTIONS[0], words)
        _land(visit)
        return
    state.pictures_beside_words(True)
    counts = intuition_visit.frame_counts()
    ended = intuition_visit.has_ended(visit, counts)
    view = one_view()
    with view.asking:
        questions.answers(visit, ended, words)
    with view.showing:
        with st.container(key="film"):
            _animation(visit, words)
        _table(visit, words)
    with view.explaining:
        _gate(visit, counts, words)
        questions.ideas(visit, ended, words)
        if ended:
            _again(visit, words)
        with st.popover(words.text("task.start_over"), key="ask_again"):
            st.markdown(words.text("intuition.start_over_ask"))
            st.button(words.text("task.start_over_yes"), key="start_over_yes", on_click=intuition_visit.start_over)
    if ended:
        course.way_on(intuition_visit.KEY, words)
    _land(visit)


def _land(visit: Visit) -> None:
    """After an answer the film is next, with its verdicts above it; after a press for the question, that question."""
    columns = str(state.measured_columns())  # another number makes the picture longer
    focus_on("film", key="film_focus", stamp=str(len(visit.answers)), view="verdicts", look=columns, opens=True)
    focus_on("film_question", key="film_question_focus", stamp=str(intuition_visit.question_asked_for()))


def _animation(visit: Visit, words: WordsOf) -> None:
    """What may be seen after the answers so far."""
    from lessons.animation import animate  # noqa: PLC0415
    from lessons.intuition_film import reel  # noqa: PLC0415  (torch, pandas)

    columns = state.measured_columns()
    animate(
        reel(words.language, columns, visit.last_scene),
        key="animation",
        at=f"{visit.scene}.{visit.frame}",
        words=words,
        topic=intuition_visit.KEY,
        cue=words.text("intuition.cue") if visit.pending else "",
        opened=visit.opened,
        dark_colors=dark_colors(),
        on_place=intuition_visit.move,
        on_columns=state.set_columns,
        columns=columns,
    )


def _table(visit: Visit, words: WordsOf) -> None:
    """The picture in view as a table."""
    with st.expander(words.text("task.as_table"), key="animation_table", on_change="rerun") as table:
        if table.open:
            from lab.intuition.scenes import scenes  # noqa: PLC0415  (torch, pandas)
            from lessons.intuition_film import picture  # noqa: PLC0415

            frame = scenes()[visit.scene - 1][visit.frame - 1]
            st.table(picture(frame, words, state.measured_columns()).table, hide_index=True)


def _gate(visit: Visit, counts: tuple[int, ...], words: WordsOf) -> None:
    """Before the next scene its question, once what is open has been seen."""
    if visit.pending is None:
        return
    scene = visit.last_scene + 1
    if intuition_visit.is_last_of_open(visit, counts):
        title = words.text("intuition.before_scene", scene=scene)
        with st.container(key="film_question"):
            questions.ask(visit, visit.pending, words, title=title)
        return
    st.markdown(f":material/lock: {words.text('intuition.not_yet', scene=scene)}")
    st.button(words.text("intuition.to_question"), key="to_question", on_click=intuition_visit.to_question)


def _again(visit: Visit, words: WordsOf) -> None:
    """The opening question once more, one's own words, then ours."""
    first = QUESTIONS[0]
    cards.heading(2, words.text("intuition.ended_title"))
    st.markdown(words.text(f"intuition.question.{first}"))
    said = questions.option_text(first, visit.answers[0].option, words)
    owner, sure = "own" if intuition_visit.own(visit) else "in_link", "_sure" if visit.answers[0].sure else ""
    st.markdown(words.text(f"intuition.first_answer.{owner}{sure}", answer=said))
    if write(intuition_visit.KEY, words.text("intuition.ask"), words):
        st.markdown(words.text("intuition.why", **questions.facts_said(words)))
