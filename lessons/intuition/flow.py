"""The first lesson: a question, a film of five scenes with two more questions, and the first question again."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lab.activities.intuition.progress import QUESTIONS, IntuitionView
from lab.activities.intuition.storyboard import build_scenes
from lab.engine.errors import LabError
from lab.figures.picture import Picture
from lessons.activity import course
from lessons.activity.flow import wait_for_engine
from lessons.activity.one_view import draw_title_row, lay_out_view
from lessons.intuition import attempt as intuition
from lessons.intuition import questions
from lessons.intuition.frames import build_film, draw_frame, list_jumps
from lessons.lesson.self_explanation import ask_own_words
from lessons.presenter.unanswered import draw_questions
from lessons.state import attempts, presenting, record, viewport
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards
from lessons.widgets.after_page import focus_on
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import PlayerLook, Seek, draw_player

_FIRST = "1.1"  # frame
_PARTS = ("controls", "title", "sentence", "stage", "cue", "story")
_CONTROLS = ("jumps", "speed", "back", "play", "forward", "slider")


def draw_page() -> None:
    """Draw the page."""
    words = words_of(attempts.get_language())
    with draw_title_row():
        cards.draw_heading(1, words.text("intuition.title"))
    try:
        attempt = intuition.read_url()
        if attempt.scene:
            wait_for_engine(words)
            attempt.check(intuition.count_frames())
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=format_error(problem, words)))
        attempt = IntuitionView()
    if not attempt.scene:
        st.markdown(words.text("intuition.lead"))
        st.markdown(words.text("task.intro_kv"))
        questions.ask(attempt, QUESTIONS[0], words)
        _focus_next(attempt)
        return
    viewport.set_pictures_beside_words(True)
    counts = intuition.count_frames()
    ended = intuition.has_ended(attempt, counts)
    areas = lay_out_view()
    if presenting.is_on():
        presenting.get_stage().reset = partial(intuition.move, _FIRST)
    with areas.asking:
        if attempt.is_open:
            draw_questions([words.text(f"intuition.question.{QUESTIONS[0].id}")], words)
        questions.show_answers(attempt, ended, words)
    with areas.showing:
        with st.container(key="film"):
            _draw_film(attempt, words)
        _draw_table(attempt, words)
    with areas.explaining:
        _ask_question(attempt, counts, words)
        if attempt.answers and not presenting.hide_answer():
            questions.show_ideas(attempt, ended, words)
            if ended:
                _ask_opening_again(attempt, words)
        if attempt.answers:
            _offer_start_over(words)
    if ended and attempt.answers:
        course.offer_next(intuition.KEY, words)
    _focus_next(attempt)


def _offer_start_over(words: Translations) -> None:
    with st.popover(words.text("task.start_over"), key="ask_again"):
        st.markdown(words.text("intuition.start_over_ask"))
        st.button(words.text("task.start_over_yes"), key="start_over_yes", on_click=intuition.start_over)


def _focus_next(attempt: IntuitionView) -> None:
    """After an answer focus the film, with the verdicts above it; after a press for the question, the question."""
    columns = str(viewport.get_measured_columns())  # another number changes the picture's height
    focus_on("film", key="film_focus", stamp=str(len(attempt.answers)), view="verdicts", look=columns, opens=True)
    focus_on("film_question", key="film_question_focus", stamp=str(intuition.count_question_presses()))


def _draw_film(attempt: IntuitionView, words: Translations) -> None:
    """Draw the film up to the last scene that the answers have opened."""
    columns = viewport.get_measured_columns()
    names = ("back", "forward", "slider", "jumps", "story", "label")
    own_words = {name: words.text(f"intuition.play.{name}") for name in names}
    own_words["cue"] = words.text("intuition.cue") if attempt.pending else ""
    draw_player(
        build_film(words.language, columns, attempt.last_scene),
        PlayerLook(
            _PARTS,
            _CONTROLS,
            keys="all" if presenting.is_on() else "arrows",
            by_event=False,
            opened=attempt.opened,
            story_open=True,
        ),
        key="player",
        at=attempt.place,
        seek=Seek(str(attempt.last_scene), intuition.move, intuition.SLOT),
        words=words,
        jumps=list_jumps(attempt.last_scene, words),
        own_words=own_words,
        on_columns=viewport.set_columns,
        columns=columns,
    )


def _draw_table(attempt: IntuitionView, words: Translations) -> None:
    """Draw the frame in view as a table."""

    def build() -> list[tuple[str, Picture]]:
        frame = build_scenes()[attempt.scene - 1][attempt.frame - 1]
        return [("", draw_frame(frame, words, viewport.get_measured_columns()))]

    draw_tables("film_table", words, build)


def _ask_question(attempt: IntuitionView, counts: tuple[int, ...], words: Translations) -> None:
    """Ask the question before the next scene, once all open frames have been seen."""
    if attempt.pending is None:
        return
    scene = attempt.last_scene + 1
    if intuition.is_last_of_open(attempt, counts):
        title = words.text("intuition.before_scene", scene=scene)
        with st.container(key="film_question"):
            questions.ask(attempt, attempt.pending, words, title=title)
        return
    st.markdown(f":material/lock: {words.text('intuition.not_yet', scene=scene)}")
    st.button(words.text("intuition.to_question"), key="to_question", on_click=intuition.seek_question)


def _ask_opening_again(attempt: IntuitionView, words: Translations) -> None:
    """Ask the opening question again: first the learner explains it, then the lesson does."""
    first = QUESTIONS[0]
    cards.draw_heading(2, words.text("intuition.ended_title"))
    st.markdown(words.text(f"intuition.question.{first.id}"))
    said = questions.format_option(first, first.options[attempt.answers[0].number].id, words)
    owner, sure = "own" if record.is_mine(attempt.attempt) else "in_link", "_sure" if attempt.answers[0].is_sure else ""
    st.markdown(words.text(f"intuition.first_answer.{owner}{sure}", answer=said))
    if ask_own_words(intuition.KEY, words.text("intuition.ask"), words):
        st.markdown(words.text("intuition.why", **questions.format_values(words)))
