"""The page of a lesson: a series of cases, each predicted, run and explained.

One case is on screen at a time, with text, questions and buttons beside their picture; see one_view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from lab.activities.cases import LESSONS
from lab.trace.timeline import Timeline
from lessons.activity import course, prediction_form, run_panel
from lessons.activity.feedback import show_ideas
from lessons.activity.flow import draw_start_over, predict_and_run, wait_for_engine
from lessons.activity.one_view import draw_title_row
from lessons.activity.run_film import AskSlots, DrawMore, ask_no_slots
from lessons.lesson.self_explanation import ask_self_explanation
from lessons.state import attempts, notes, record, runs
from lessons.state.slots import Track
from lessons.state.view import View
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets import cards

DrawPart = Callable[[View, "Timeline", Translations], None]


def draw_nothing(_place: View, _timeline: Timeline, _words: Translations) -> None:
    """Draw nothing: the lesson has no such part."""


@dataclass(frozen=True)
class LessonParts:
    """What a lesson shows in addition to the flow that all lessons share.

    given        part of the case: below the lead while predicting, afterwards below the buttons.
    under        a figure directly below the picture; `under_table` is the key of the title of its table.
    slots        a question about slots once the prediction is answered; None keeps the marks of the prediction.
    beside       in the text column, before the explanation.
    events_open  whether the events of the step in view are unfolded until the prediction is answered.
    """

    given: DrawPart = draw_nothing
    under: DrawMore | None = None
    under_table: str = ""
    beside: DrawPart = draw_nothing
    slots: AskSlots = ask_no_slots
    events_open: bool = True


def draw_lesson(name: str, parts: LessonParts = LessonParts()) -> None:
    """Draw the page of a lesson."""
    words = words_of(attempts.get_language())
    track = Track.of(name)
    if attempts.get_value(track.key):
        wait_for_engine(words)  # reading a link runs it
    view = runs.get_view(track)
    case = view.run.case
    with draw_title_row():
        cards.draw_heading(1, words.text(f"{name}.title"))
        _choose_case(view, words)
    if view.problem:
        st.warning(words.text("site.link_problem", reason=format_error(view.problem, words)))

    def lead() -> None:
        cards.draw_heading(2, words.text(f"{name}.case.{case.id}.title"))
        st.markdown(words.text(f"{name}.case.{case.id}.lead", **prediction_form.collect_values(view, None, words)))

    def explain(timeline: Timeline) -> None:
        parts.beside(view, timeline, words)
        answered = len(runs.observe(view, timeline)) == len(view.questions)
        if len(view.run.operations) > len(view.run.beginning.operations) and view.cursor.step:
            run_panel.draw_events(view, timeline, words, open_=parts.events_open and not answered)
        _explain(view, timeline, words, answered=answered)

    predict_and_run(
        view,
        words,
        lead=lead,
        given=lambda timeline: parts.given(view, timeline, words),
        explain=explain,
        below=lambda timeline: _draw_end(view, timeline, words),
        slots=parts.slots,
        under=parts.under,
        under_table=parts.under_table,
    )


def _choose_case(view: View, words: Translations) -> None:
    """Draw the choice of a case, with done cases marked."""
    track, case = view.track, view.run.case
    done = record.get_done()
    notes.set_field("case", case.id)
    st.segmented_control(
        words.text("site.cases"),
        [each.id for each in LESSONS[track.lesson]],
        key="case",
        required=True,
        format_func=lambda case_id: course.mark_done(
            words.text(f"{track.lesson}.case.{case_id}.name"), done=case_id in done, words=words
        ),
        label_visibility="collapsed",
        on_change=lambda: runs.open_case(track, notes.get_field("case")),
    )


def _explain(view: View, timeline: Timeline, words: Translations, *, answered: bool) -> None:
    """Once the whole prediction is answered, draw the explanation and the button to the next case."""
    if not view.run.is_predicted:
        return
    if view.at_end and answered:
        ask_self_explanation(view, timeline, words)
        _offer_next_case(view, words)
    elif view.at_end and run_panel.find_suggestion(view, timeline) is None:  # another order than planned
        st.info(words.text("site.not_settled"))
        show_ideas(view, timeline, words)
    with st.popover(words.text("task.start_over"), key="ask_again"):
        st.markdown(words.text("task.start_over_ask"))
        draw_start_over("start_over_yes", view, words)


def _offer_next_case(view: View, words: Translations) -> None:
    cases = [case.id for case in LESSONS[view.track.lesson]]
    following = cases[cases.index(view.form) + 1 :]
    if following:
        name = words.text(f"{view.track.lesson}.case.{following[0]}.name")
        label = words.text("site.next_case", name=name)
        st.button(label, type="primary", key="next_case", on_click=runs.open_case, args=(view.track, following[0]))


def _draw_end(view: View, timeline: Timeline, words: Translations) -> None:
    """After the last case, say what the learner knows now and offer the next lesson."""
    name = view.track.lesson
    answered = len(runs.observe(view, timeline)) == len(view.questions)
    last = view.form == LESSONS[name][-1].id and view.run.is_predicted and answered
    if last or all(case.id in record.get_done() for case in LESSONS[name]):
        course.offer_next(name, words)
