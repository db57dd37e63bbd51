"""The first lesson: a question, an animation in five scenes that stops twice for a prediction, the question again."""

from __future__ import annotations

import streamlit as st

from lab.activities.intuition.progress import QUESTIONS, Visit
from lab.engine.errors import LabError
from lab.figures.theme import dark_colors
from lessons.activity import course
from lessons.activity.flow import wait_for_engine
from lessons.activity.one_view import one_view, title_row
from lessons.intuition import attempt, questions
from lessons.lesson.self_explanation import write
from lessons.state import attempts
from lessons.text.sentences import say_error
from lessons.text.translations import WordsOf
from lessons.text.translations import words as words_of
from lessons.widgets import cards
from lessons.widgets.focus import focus_on


def intuition() -> None:
    """Draw the page."""
    words = words_of(attempts.language())
    with title_row():
        cards.heading(1, words.text("intuition.title"))
    try:
        visit = attempt.asked_for()
        if visit.answers:
            wait_for_engine(words)
            visit.check(attempt.frame_counts())
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=say_error(problem, words)))
        visit = Visit()
    if not visit.answers:
        st.markdown(words.text("intuition.lead"))
        st.markdown(words.text("task.intro_kv"))
        questions.ask(visit, QUESTIONS[0], words)
        _land(visit)
        return
    attempts.pictures_beside_words(True)
    counts = attempt.frame_counts()
    ended = attempt.has_ended(visit, counts)
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
            st.button(words.text("task.start_over_yes"), key="start_over_yes", on_click=attempt.start_over)
    if ended:
        course.way_on(attempt.KEY, words)
    _land(visit)


def _land(visit: Visit) -> None:
    """After an answer the film is next, with its verdicts above it; after a press for the question, that question."""
    columns = str(attempts.measured_columns())  # another number makes the picture longer
    focus_on("film", key="film_focus", stamp=str(len(visit.answers)), view="verdicts", look=columns, opens=True)
    focus_on("film_question", key="film_question_focus", stamp=str(attempt.question_asked_for()))


def _animation(visit: Visit, words: WordsOf) -> None:
    """What may be seen after the answers so far."""
    from lessons.intuition.frames import reel  # noqa: PLC0415  (torch, pandas)
    from lessons.widgets.animation import animate  # noqa: PLC0415

    columns = attempts.measured_columns()
    animate(
        reel(words.language, columns, visit.last_scene),
        key="animation",
        at=f"{visit.scene}.{visit.frame}",
        words=words,
        topic=attempt.KEY,
        cue=words.text("intuition.cue") if visit.pending else "",
        opened=visit.opened,
        dark_colors=dark_colors(),
        on_place=attempt.move,
        on_columns=attempts.set_columns,
        columns=columns,
    )


def _table(visit: Visit, words: WordsOf) -> None:
    """The picture in view as a table."""
    with st.expander(words.text("task.as_table"), key="animation_table", on_change="rerun") as table:
        if table.open:
            from lab.activities.intuition.storyboard import scenes  # noqa: PLC0415  (torch, pandas)
            from lessons.intuition.frames import picture  # noqa: PLC0415

            frame = scenes()[visit.scene - 1][visit.frame - 1]
            st.table(picture(frame, words, attempts.measured_columns()).table, hide_index=True)


def _gate(visit: Visit, counts: tuple[int, ...], words: WordsOf) -> None:
    """Before the next scene its question, once what is open has been seen."""
    if visit.pending is None:
        return
    scene = visit.last_scene + 1
    if attempt.is_last_of_open(visit, counts):
        title = words.text("intuition.before_scene", scene=scene)
        with st.container(key="film_question"):
            questions.ask(visit, visit.pending, words, title=title)
        return
    st.markdown(f":material/lock: {words.text('intuition.not_yet', scene=scene)}")
    st.button(words.text("intuition.to_question"), key="to_question", on_click=attempt.to_question)


def _again(visit: Visit, words: WordsOf) -> None:
    """The opening question once more, one's own words, then ours."""
    first = QUESTIONS[0]
    cards.heading(2, words.text("intuition.ended_title"))
    st.markdown(words.text(f"intuition.question.{first}"))
    said = questions.option_text(first, visit.answers[0].option, words)
    owner, sure = "own" if attempt.own(visit) else "in_link", "_sure" if visit.answers[0].sure else ""
    st.markdown(words.text(f"intuition.first_answer.{owner}{sure}", answer=said))
    if write(attempt.KEY, words.text("intuition.ask"), words):
        st.markdown(words.text("intuition.why", **questions.facts_said(words)))
