"""The flow of the task and of every lesson: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import streamlit as st

from lab.activities.attempt import Attempt, encode
from lab.activities.cases.task import TASKS
from lab.activities.counterexample import add_counterexample
from lab.engine.errors import LabError
from lab.trace.presets import USED_QUEUE, build_fresh_queue
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.checkpoint import ask_checkpoint
from lessons.activity.look_closer import look_closer
from lessons.activity.next_words import draw_next_words
from lessons.activity.one_view import focus_next, lay_out_view
from lessons.activity.run_film import AskSlots, DrawMore, ask_no_slots, build_track_seek
from lessons.activity.run_picture import build_asked_slots, draw_run_picture
from lessons.activity.slot_marks import AskedSlots
from lessons.presenter.unanswered import set_steps
from lessons.server.warmup import is_warm, wait_until_warm
from lessons.state import attempts, presenting, record, runs, viewport
from lessons.state.slots import Slot
from lessons.state.view import View
from lessons.text.sentences import format_error, format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.copy_link import copy_link

_T = TypeVar("_T")
Part = Callable[["Timeline"], None]


def draw_nothing(_timeline: Timeline) -> None:
    """An empty part of a flow."""


def predict_and_run(
    view: View,
    words: Translations,
    *,
    lead: Callable[[], None],
    given: Part = draw_nothing,
    way_on: Part = draw_nothing,
    explain: Part,
    below: Part,
    slots: AskSlots = ask_no_slots,
    under: DrawMore | None = None,
    under_table: str = "",
) -> None:
    """Draw the flow for this view. The prediction needs no engine; the rest waits until the engine is imported.

    lead     draws the introduction above the prediction.
    given    draws what belongs to the case: above the form, or below the questions of a class; once a prediction is
             committed, below the buttons.
    way_on   draws the button that leads on, beside the operations.
    explain  draws what happened, beside the picture.
    below    draws what follows below the picture.
    slots, under, under_table  see draw_run_picture; `slots` asks once the prediction is answered.
    """
    run = view.run
    viewport.set_pictures_beside_words(True)
    layout = lay_out_view()
    if presenting.is_on():
        set_steps(view.track, at_end=view.at_end or not view.demonstration)
    with layout.asking:
        lead()
        above = st.container()
        pick = _ask(view, words)
        below_form = st.container()
    wait_for_engine(words)
    timeline = runs.get_timeline(run, view.track)
    with layout.showing:  # first, since the browser waits for it
        asked = _choose_slots(view, pick, slots)
        send_ahead = draw_run_picture(view, timeline, words, asked, under=under, under_table=under_table)
        draw_next_words(view, timeline, words)
    with layout.asking:
        if run.is_predicted:
            prediction_form.show_prediction(view, add_counterexample(runs.observe(view, timeline)), words)
        elif view.demonstration and not presenting.is_on():
            offer_own_try(view, words)
    with layout.doing:
        run_panel.draw_actions(view, timeline, build_track_seek(view), words)
        if run.is_predicted and run.operations:
            way_on(timeline)
    with layout.explaining if run.is_predicted else below_form if presenting.is_on() else above:
        given(timeline)
    with layout.explaining:
        prediction_form.draw_owner_notice(view, words)
        explain(timeline)
    focus_next(view)
    viewport.set_pictures_beside_words(False)
    below(timeline)
    send_ahead()


def _ask(view: View, words: Translations) -> int | None:
    """Draw the form until a prediction is committed. Returns the position of the token that it is about, if any."""
    case = view.run.case
    if view.run.is_predicted:
        return view.run.pick
    if view.demonstration:
        if presenting.is_on():
            prediction_form.ask_prediction(view, words, pick=case.last_pick)
        return None
    pick = None
    if not view.track.lesson:
        cards.draw_heading(2, words.text("task.predict_title"))
    if runs.find_saved(view.run) is not None:
        start_over = partial(runs.restart, view.track, view.run.config.free_block_ids)
        offer_resume("task.committed_before", words, partial(runs.resume, view.track), start_over)
    else:
        pick = prediction_form.ask_pick(view, words) if case.pick_from else None
        prediction_form.ask_prediction(view, words, pick=pick, in_columns=1)
    st.markdown(f":material/lock: {words.text('task.run_locked')}")
    return pick


def _choose_slots(view: View, pick: int | None, slots: AskSlots) -> AskSlots:
    """What is asked about slots in the picture: by the prediction, then by the page."""

    def ask(moment: View, run: Timeline) -> AskedSlots | None:
        return slots(moment, run) or build_asked_slots(moment, pick, lambda: runs.observe(moment, run))

    is_asked = slots is not ask_no_slots or any(question.form == "slot" for question in view.run.case.questions(pick))
    return ask if is_asked else ask_no_slots


def run_task(
    view: View, words: Translations, then: Part = draw_nothing, *, lead: Callable[[], None], way_on: Part = draw_nothing
) -> None:
    """Draw the flow of a part of the task. `then`: what follows once an operation was run, before the closer look."""

    def below(timeline: Timeline) -> None:
        if view.run.is_predicted and view.run.operations:
            then(timeline)
        if view.run.operations:
            look_closer(view, timeline, words)
        _offer_restart(view, words)

    explain = partial(_draw_what_happened, view, words=words)
    predict_and_run(view, words, lead=lead, way_on=way_on, explain=explain, below=below)


def wait_for_engine(words: Translations) -> None:
    """Wait until the engine is imported, and say so meanwhile."""
    if not is_warm():
        with st.spinner(words.text("site.warming")):
            wait_until_warm()


def read_or_warn(slot: Slot, read: Callable[[Attempt, str], _T], words: Translations) -> _T | None:
    """What `read` makes of the attempt in the address and the place in view; None without one, or if it cannot be read,
    which the page then says."""
    try:
        attempt, place = attempts.read(slot)
        return read(attempt, place) if attempt else None
    except LabError as problem:
        st.warning(words.text("site.link_problem", reason=format_error(problem, words)))
        return None


def offer_resume(told: str, words: Translations, resume: Callable[[], None], start_over: Callable[[], None]) -> None:
    """Say with the text `told` that this browser has committed answers here, and offer to go on or to start over."""
    st.info(words.text(told))
    with st.container(horizontal=True):
        st.button(words.text("task.resume"), type="primary", key="resume", on_click=resume)
        st.button(words.text("task.start_over"), key="start_over", on_click=start_over)


def offer_own_try(view: View, words: Translations) -> None:
    """Say that the run in view is a demonstration, and offer to begin one's own."""
    with st.container(horizontal=True, vertical_alignment="center", key="demonstration"):
        st.info(words.text("task.demo"))
        draw_start_over("try_yourself", view, words)


def draw_start_over(
    name: str,
    view: View,
    words: Translations,
    queue: tuple[int, ...] | None = None,
    *,
    key: str = "",
) -> None:
    """Draw a button that starts over. `queue`: the task's other pool; None: the same."""
    args = (view.track, queue or view.run.config.free_block_ids)
    st.button(words.text(f"task.{name}"), key=f"{name}{key}", type="primary", on_click=runs.restart, args=args)


def _draw_what_happened(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the quick question about the newest operation, then its events, which give the answer away.

    If block ids are consecutive by luck only, the counterexample follows.
    """
    if view.cursor.step:
        has_question = view.at_end and not view.demonstration
        answered = ask_checkpoint(view, timeline, words) if has_question else True
        run_panel.draw_closing(view, timeline, words)
        run_panel.draw_events(view, timeline, words, open_=answered)
    outcomes = runs.observe(view, timeline) if view.run.is_predicted else {}
    if (facts := add_counterexample(outcomes)) != outcomes and not presenting.hide_answer():
        ids, other_ids = (each["consecutive"].ids for each in (outcomes, facts))
        key = "witness" if len(ids) > 1 else "witness_single"
        st.markdown(words.text(f"task.{key}", here=format_list(ids, words), there=format_list(other_ids, words)))
    if view.run.is_predicted:
        steps = runs.get_seen_steps(timeline, view.cursor)
        done = [step.operation for step in steps if step.refusal is None]
        if done and tuple(done) != view.plan[: len(done)]:
            st.markdown(words.text("task.other_order"))


def _offer_restart(view: View, words: Translations) -> None:
    """Draw the buttons to start over on this pool or another one (they ask first), and the earlier attempts."""
    queue = view.run.config.free_block_ids
    fresh = build_fresh_queue(len(queue))
    other, label = (USED_QUEUE, "task.try_used") if queue == fresh else (fresh, "task.try_fresh")
    with st.container(horizontal=True, key="again"):
        if not view.run.is_predicted:
            st.button(words.text(label), key="other_pool", on_click=runs.restart, args=(view.track, other))
        else:
            for name, target, title in (("again", queue, "task.start_over"), ("other", other, label)):
                with st.popover(words.text(title), key=f"ask_{name}"):
                    st.markdown(words.text("task.start_over_ask"))
                    draw_start_over("start_over_yes", view, words, target, key=name)
        if view.run.is_predicted and view.run.operations:
            copy_link(
                key="copy_demo",
                label=words.text("task.copy_demo"),
                done_label=words.text("site.link_copied"),
                params={"lang": words.language, view.track.key: encode(replace(view.run.attempt, answers=()))},
            )
    earlier = [each for each in record.read().list_earlier() if each.kind in TASKS]
    if earlier:
        with st.expander(words.text("task.attempts", count=len(earlier)), key="attempts"):
            for number, attempt in enumerate(earlier, 1):
                label = words.text("task.open_attempt", number=number)
                key = f"attempt_{number}"
                st.button(label, key=key, type="tertiary", on_click=runs.open_earlier, args=(attempt,))
