"""The page of a lesson: one case after another, each predicted, run and explained; what it was for; the way on.

One idea is on screen at a time: words, questions and buttons beside the picture that they are about; see one_view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from lab.cases import LESSONS
from lab.link import run_text
from lab.moments import Outcome, moments
from lab.prediction import outcomes
from lessons import cards, course, predict, record, run_panel, state
from lessons.ideas_told import ideas_told
from lessons.lesson_picture import Slots, asked_slots, no_slots, picture
from lessons.one_view import land, one_view, title_row
from lessons.own_words import own_words
from lessons.place import Place, Track
from lessons.predict_run_explain import wait_for_engine
from lessons.say import say_error
from lessons.text import WordsOf
from lessons.text import words as words_of

if TYPE_CHECKING:
    from lab.timeline import Timeline

Look = Callable[[Place, "Timeline", WordsOf], None]


def nothing(_place: Place, _timeline: Timeline, _words: WordsOf) -> None:
    """A lesson without a look of its own."""


@dataclass(frozen=True)
class Looks:
    """What a lesson shows besides the flow that all share.

    given  with the lead, as long as one predicts; then behind the buttons.
    under  right below the picture.
    slots  what is asked about slots once the prediction is settled; None: its marks stay.
    beside  with the words, before the explanation; where there is one column, after the picture.
    events_open  are the events of the step in view unfolded, until all that was predicted is settled?
    """

    given: Look = nothing
    under: Look = nothing
    beside: Look = nothing
    slots: Callable[[Place, Timeline], Slots | None] = no_slots
    events_open: bool = True


def lesson(name: str, looks: Looks = Looks()) -> None:
    """Draw the page of a lesson."""
    words = words_of(state.language())
    place = state.place(Track.of(name))
    state.pictures_beside_words(True)
    case = place.run.case
    if case is None:  # a lesson's track holds cases alone
        return
    with title_row():
        cards.heading(1, words.text(f"{name}.title"))
        _choose_case(place, words)
    if place.problem:
        st.warning(words.text("site.link_problem", reason=say_error(place.problem, words)))
    committed = place.run.prediction is not None
    view = one_view()
    with view.asking:
        cards.heading(2, words.text(f"{name}.case.{case.id}.title"))
        st.markdown(words.text(f"{name}.case.{case.id}.lead", **predict.about(place, None, words)))
        given = st.container()
        pick = _predict(place, words)
    wait_for_engine(words)
    timeline = state.timeline(place.run, place.track)
    facts = outcomes(list(moments(run_panel.seen_steps(timeline, place.cursor))), place.questions)
    with view.showing:
        slots = looks.slots(place, timeline) or asked_slots(place, pick, facts)
        picture(place, timeline, slots, words, lambda: looks.under(place, timeline, words))
    with view.asking:
        _predicted(place, facts, words)
    with view.doing:
        run_panel.do(place, timeline, words)
    with view.explaining if committed else given:
        looks.given(place, timeline, words)
    with view.explaining:
        looks.beside(place, timeline, words)
        if len(place.run.operations) > len(place.run.beginning.operations) and place.cursor.step:
            run_panel.events(place, timeline, words, open_=looks.events_open and len(facts) < len(place.questions))
        _explain(place, timeline, facts, words)
    land(place)
    _end(place, words, settled=len(facts) == len(place.questions))


def _choose_case(place: Place, words: WordsOf) -> None:
    """The lesson's cases in order, those that are done marked."""
    track, case = place.track, place.run.case
    done = record.done()
    state.set_field("case", case.id if case else None)
    st.segmented_control(
        words.text("site.cases"),
        [each.id for each in LESSONS[track.lesson]],
        key="case",
        required=True,
        format_func=lambda case_id: course.marked(
            words.text(f"{track.lesson}.case.{case_id}.name"), done=case_id in done, words=words
        ),
        label_visibility="collapsed",
        on_change=lambda: state.open_case(track, state.field("case")),
    )


def _predict(place: Place, words: WordsOf) -> int | None:
    """The form, until a prediction is committed; the position of the token picked for it, if any."""
    if place.run.prediction is not None:
        return predict.picked(place.run.prediction)
    case = place.run.case
    if case is None or place.demonstration:
        return None
    if record.committed(place.form, place.run) is not None:
        st.info(words.text("task.committed_before"))
        with st.container(horizontal=True):
            label = words.text("task.resume")
            st.button(label, type="primary", key="resume", on_click=state.resume, args=(place.track,))
            _start_over(place, words)
        return None
    pick = None
    if case.pick_from:
        prompt = place.run.config.request(case.pick_from).prompt
        pick = st.pills(
            words.text(f"{place.track.topic}.pick"),
            range(len(prompt)),
            default=len(prompt) - 1,
            key=f"pick.{case.id}",
            required=True,
            format_func=lambda pos: words.text("site.token_at", pos=pos, token=words.token(prompt[pos])),
            on_change=_forget_slot,
            args=(place,),
        )
    predict.prediction_form(place, words, pick=pick, in_columns=1)
    return pick


def _forget_slot(place: Place) -> None:
    """Another token has been picked: the slot given for the one before is not meant for it."""
    case = place.run.case
    for question in case.questions(0) if case else ():
        if question.kind == "slot":
            state.set_field(predict.answer_key(place, question), "")


def _predicted(place: Place, facts: Mapping[str, Outcome], words: WordsOf) -> None:
    """The prediction with its outcomes; before it is committed, why nothing runs yet."""
    run = place.run
    if run.prediction is None:
        if place.demonstration:
            st.info(words.text("task.demo"))
            _start_over(place, words, key="try_yourself", label="task.try_yourself")
        else:
            st.markdown(f":material/lock: {words.text('task.run_locked')}")
        return
    known = record.committed(place.form, run) == run_text(run.beginning)
    owner = "you" if known or run_text(run) in record.attempts() or not record.known() else "in_link"
    predict.committed_prediction(place, dict(facts), owner, words)


def _explain(place: Place, timeline: Timeline, facts: Mapping[str, Outcome], words: WordsOf) -> None:
    """Once all that was predicted is settled: why it is so; then the next case."""
    if place.run.prediction is None:
        return
    if place.at_end and len(facts) == len(place.questions):
        own_words(place, timeline, words)
        _next_case(place, words)
    elif place.at_end and run_panel.suggestion(place, timeline) is None:  # the order was another than the plan's
        st.info(words.text("site.not_settled"))
        ideas_told(place, timeline, words)
    with st.popover(words.text("task.start_over"), key="ask_again"):
        st.markdown(words.text("task.start_over_ask"))
        _start_over(place, words, key="start_over_yes", label="task.start_over_yes")


def _start_over(place: Place, words: WordsOf, *, key: str = "start_over", label: str = "task.start_over") -> None:
    queue = place.run.config.free_block_ids
    st.button(words.text(label), key=key, on_click=state.start_over, args=(place.track, queue))


def _next_case(place: Place, words: WordsOf) -> None:
    cases = [case.id for case in LESSONS[place.track.lesson]]
    following = cases[cases.index(place.form) + 1 :]
    if following:
        name = words.text(f"{place.track.lesson}.case.{following[0]}.name")
        label = words.text("site.next_case", name=name)
        st.button(label, type="primary", key="next_case", on_click=state.open_case, args=(place.track, following[0]))


def _end(place: Place, words: WordsOf, *, settled: bool) -> None:
    """After the last case: what one can say now, and where the way goes on."""
    name = place.track.lesson
    last = place.form == LESSONS[name][-1].id and place.run.prediction is not None and settled
    if last or all(case.id in record.done() for case in LESSONS[name]):
        course.way_on(name, words)
