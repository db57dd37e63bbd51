"""The first lesson: a question, an animation in five scenes that stops twice for a prediction, the question again."""

from __future__ import annotations

import streamlit as st

from lab.activities.intuition.progress import QUESTIONS, IntuitionAttempt
from lab.activities.intuition.storyboard import build_scenes
from lab.engine.errors import LabError
from lab.figures.theme import get_dark_colors
from lessons.activity import course
from lessons.activity.flow import wait_for_engine
from lessons.activity.one_view import draw_title_row, lay_out_view
from lessons.intuition import attempt, questions
from lessons.intuition.frames import build_frames, draw_frame
from lessons.lesson.self_explanation import write
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.animation import animate
from lessons.widgets.focus import focus_on


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    with draw_title_row():
        cards.draw_heading(1, words.text("intuition.title"))
    try:
        visit = attempt.read_url()
        if visit.answers:
            wait_for_engine(words)
            visit.check(attempt.count_frames())
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=format_error(problem, words)))
        visit = IntuitionAttempt()
    if not visit.answers:
        st.markdown(words.text("intuition.lead"))
        st.markdown(words.text("task.intro_kv"))
        questions.ask(visit, QUESTIONS[0], words)
        _focus_next(visit)
        return
    attempts.set_pictures_beside_words(True)
    counts = attempt.count_frames()
    ended = attempt.has_ended(visit, counts)
    view = lay_out_view()
    with view.asking:
        questions.show_answers(visit, ended, words)
    with view.showing:
        with st.container(key="film"):
            _draw_animation(visit, words)
        _draw_table(visit, words)
    with view.explaining:
        _ask_question(visit, counts, words)
        questions.show_ideas(visit, ended, words)
        if ended:
            _ask_opening_again(visit, words)
        with st.popover(words.text("task.start_over"), key="ask_again"):
            st.markdown(words.text("intuition.start_over_ask"))
            st.button(words.text("task.start_over_yes"), key="start_over_yes", on_click=attempt.start_over)
    if ended:
        course.offer_next(attempt.KEY, words)
    _focus_next(visit)


def _focus_next(visit: IntuitionAttempt) -> None:
    """After an answer the film is next, with its verdicts above it; after a press for the question, that question."""
    columns = str(attempts.get_measured_columns())  # another number makes the picture longer
    focus_on("film", key="film_focus", stamp=str(len(visit.answers)), view="verdicts", look=columns, opens=True)
    focus_on("film_question", key="film_question_focus", stamp=str(attempt.count_question_presses()))


def _draw_animation(visit: IntuitionAttempt, words: Translations) -> None:
    """What may be seen after the answers so far."""
    columns = attempts.get_measured_columns()
    animate(
        build_frames(words.language, columns, visit.last_scene),
        key="animation",
        at=f"{visit.scene}.{visit.frame}",
        words=words,
        topic=attempt.KEY,
        cue=words.text("intuition.cue") if visit.pending else "",
        opened=visit.opened,
        dark_colors=get_dark_colors(),
        on_place=attempt.move,
        on_columns=attempts.set_columns,
        columns=columns,
    )


def _draw_table(visit: IntuitionAttempt, words: Translations) -> None:
    """The picture in view as a table."""
    with st.expander(words.text("task.as_table"), key="animation_table", on_change="rerun") as table:
        if table.open:
            frame = build_scenes()[visit.scene - 1][visit.frame - 1]
            st.table(draw_frame(frame, words, attempts.get_measured_columns()).table, hide_index=True)


def _ask_question(visit: IntuitionAttempt, counts: tuple[int, ...], words: Translations) -> None:
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
    st.button(words.text("intuition.to_question"), key="to_question", on_click=attempt.seek_question)


def _ask_opening_again(visit: IntuitionAttempt, words: Translations) -> None:
    """The opening question once more, one's own words, then ours."""
    first = QUESTIONS[0]
    cards.draw_heading(2, words.text("intuition.ended_title"))
    st.markdown(words.text(f"intuition.question.{first}"))
    said = questions.format_option(first, visit.answers[0].option, words)
    owner, sure = "own" if attempt.is_mine(visit) else "in_link", "_sure" if visit.answers[0].sure else ""
    st.markdown(words.text(f"intuition.first_answer.{owner}{sure}", answer=said))
    if write(attempt.KEY, words.text("intuition.ask"), words):
        st.markdown(words.text("intuition.why", **questions.format_values(words)))
