"""The page of a lesson: a series of cases, each predicted, run and explained.

One case is on screen at a time, with text, questions and buttons beside their picture; see one_view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from lab.activities.cases import LESSONS
from lab.activities.trace_points import Outcome
from lab.trace.timeline import Timeline
from lessons.activity import course, prediction_form, run_panel
from lessons.activity.feedback import show_ideas
from lessons.activity.flow import draw_start_over, offer_own_try, offer_resume, wait_for_engine
from lessons.activity.next_words import draw_next_words
from lessons.activity.one_view import draw_title_row, focus_next, lay_out_view
from lessons.activity.run_film import AskSlots, DrawMore, ask_no_slots, build_track_seek
from lessons.activity.run_picture import build_asked_slots, draw_run_picture
from lessons.activity.slot_marks import AskedSlots
from lessons.lesson.self_explanation import ask_self_explanation
from lessons.presenter.unanswered import set_steps
from lessons.state import attempts, notes, presenting, record, runs, viewport
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
    viewport.set_pictures_beside_words(True)
    case = view.run.case
    with draw_title_row():
        cards.draw_heading(1, words.text(f"{name}.title"))
        _choose_case(view, words)
    if view.problem:
        st.warning(words.text("site.link_problem", reason=format_error(view.problem, words)))
    committed = view.run.is_predicted
    areas = lay_out_view()
    with areas.asking:
        cards.draw_heading(2, words.text(f"{name}.case.{case.id}.title"))
        st.markdown(words.text(f"{name}.case.{case.id}.lead", **prediction_form.collect_values(view, None, words)))
        above, below = st.container(), st.container()
        given, questions = (below, above) if presenting.is_on() else (above, below)  # a class reads the questions first
        with questions:
            pick = _predict(view, words)
    wait_for_engine(words)
    timeline = runs.get_timeline(view.run, view.track)
    outcomes = runs.observe(view, timeline)

    def ask_slots(moment: View, run: Timeline) -> AskedSlots | None:
        return parts.slots(moment, run) or build_asked_slots(moment, pick, lambda: runs.observe(moment, run))

    is_asked = parts.slots is not ask_no_slots or any(question.form == "slot" for question in view.questions)
    asked = ask_slots if is_asked or not committed else ask_no_slots
    with areas.showing:
        send_ahead = draw_run_picture(view, timeline, words, asked, under=parts.under, under_table=parts.under_table)
        draw_next_words(view, timeline, words)
    with areas.asking:
        _show_prediction(view, outcomes, words)
    with areas.doing:
        run_panel.draw_actions(view, timeline, build_track_seek(view), words)
    with areas.explaining if committed else given:
        parts.given(view, timeline, words)
    with areas.explaining:
        prediction_form.draw_owner_notice(view, words)
        parts.beside(view, timeline, words)
        if len(view.run.operations) > len(view.run.beginning.operations) and view.cursor.step:
            run_panel.draw_events(
                view, timeline, words, open_=parts.events_open and len(outcomes) < len(view.questions)
            )
        _explain(view, timeline, outcomes, words)
    focus_next(view)
    _draw_end(view, words, answered=len(outcomes) == len(view.questions))
    send_ahead()


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


def _predict(view: View, words: Translations) -> int | None:
    """Draw the form until a prediction is committed. Returns the position of the picked token, if any."""
    if view.run.is_predicted:
        return view.run.pick
    case = view.run.case
    if presenting.is_on():
        set_steps(view.track, at_end=view.at_end or not view.demonstration)
        if view.demonstration:
            prediction_form.ask_prediction(view, words, pick=case.last_pick)
    if view.demonstration:
        return None
    if runs.find_saved(view.run) is not None:
        offer_resume(view, words)
        return None
    pick = None
    if case.pick_from:
        prompt = view.run.config.request(case.pick_from).prompt
        pick = st.pills(
            words.text(f"{view.track.topic}.pick"),
            range(len(prompt)),
            default=len(prompt) - 1,
            key=f"pick.{case.id}",
            required=True,
            format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
            on_change=_forget_slot,
            args=(view,),
        )
    prediction_form.ask_prediction(view, words, pick=pick, in_columns=1)
    return pick


def _forget_slot(view: View) -> None:
    """Empty the slot field after another token was picked: its answer was for the previous token."""
    for question in view.run.case.questions(0):
        if question.form == "slot":
            notes.set_field(prediction_form.get_answer_key(view, question), "")


def _show_prediction(view: View, outcomes: Mapping[str, Outcome], words: Translations) -> None:
    """Draw the prediction with its outcomes; before it is committed, why nothing runs yet."""
    run = view.run
    if not run.is_predicted:
        if view.demonstration and not presenting.is_on():
            offer_own_try(view, words)
        elif not view.demonstration:
            st.markdown(f":material/lock: {words.text('task.run_locked')}")
        return
    prediction_form.show_prediction(view, dict(outcomes), words)


def _explain(view: View, timeline: Timeline, outcomes: Mapping[str, Outcome], words: Translations) -> None:
    """Once the whole prediction is answered, draw the explanation and the button to the next case."""
    if not view.run.is_predicted:
        return
    if view.at_end and len(outcomes) == len(view.questions):
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


def _draw_end(view: View, words: Translations, *, answered: bool) -> None:
    """After the last case, say what the learner knows now and offer the next lesson."""
    name = view.track.lesson
    last = view.form == LESSONS[name][-1].id and view.run.is_predicted and answered
    if last or all(case.id in record.get_done() for case in LESSONS[name]):
        course.offer_next(name, words)
