"""The flow of every lesson: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import streamlit as st

from lab.activities.attempt import encode
from lab.activities.cases.task import TASKS
from lab.activities.counterexample import add_counterexample
from lab.activities.trace_points import Outcome
from lab.trace.presets import USED_QUEUE, build_fresh_queue
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.checkpoint import ask_checkpoint
from lessons.activity.look_closer import look_closer
from lessons.activity.next_words import draw_next_words
from lessons.activity.one_view import focus_next, lay_out_view
from lessons.activity.run_film import build_track_seek
from lessons.activity.run_picture import draw_run_picture
from lessons.presenter.unanswered import set_steps
from lessons.server.warmup import is_warm, wait_until_warm
from lessons.state import presenting, record, runs, viewport
from lessons.state.view import View
from lessons.text.sentences import format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.copy_link import copy_link

Kind = Literal["primary", "secondary"]
Part = Callable[["Timeline"], None]


def draw_nothing(_timeline: Timeline) -> None:
    """An empty part of a flow."""


def predict_and_run(
    view: View,
    words: Translations,
    then: Part = draw_nothing,
    *,
    lead: Callable[[], None],
    way_on: Part = draw_nothing,
) -> None:
    """Draw the flow for this view. The prediction needs no engine; the rest waits until the engine is imported.

    lead    draws the introduction above the prediction.
    way_on  draws the button that leads on, beside the operations.
    then    draws what follows below the picture once an operation was run, before the closer look.
    """
    run = view.run
    viewport.set_pictures_beside_words(True)
    layout = lay_out_view()
    is_presented = presenting.is_on()
    if is_presented:
        set_steps(view.track, at_end=view.at_end or not view.demonstration)
    with layout.asking:
        lead()
        if view.demonstration and is_presented:
            prediction_form.ask_prediction(view, words)
        if not run.is_predicted and not view.demonstration:
            cards.draw_heading(2, words.text("task.predict_title"))
            if runs.find_saved(run) is None:
                prediction_form.ask_prediction(view, words, in_columns=1)
            else:
                offer_resume(view, words)
            st.markdown(f":material/lock: {words.text('task.run_locked')}")
    wait_for_engine(words)
    timeline = runs.get_timeline(run, view.track)
    lucky = None
    with layout.showing:  # first, since the browser waits for it
        send_ahead = draw_run_picture(view, timeline, words)
        draw_next_words(view, timeline, words)
    with layout.asking:
        if run.is_predicted:
            lucky = _show_outcomes(view, timeline, words)
        if view.demonstration and not is_presented:
            offer_own_try(view, words)
    with layout.doing:
        run_panel.draw_actions(view, timeline, build_track_seek(view), words)
        if run.is_predicted and run.operations:
            way_on(timeline)
    with layout.explaining:
        prediction_form.draw_owner_notice(view, words)
        _draw_what_happened(view, timeline, lucky, words)
    focus_next(view)
    viewport.set_pictures_beside_words(False)
    if run.is_predicted and run.operations:
        then(timeline)
    if run.operations:
        look_closer(view, timeline, words)
    _offer_restart(view, words)
    send_ahead()


def wait_for_engine(words: Translations) -> None:
    """Wait until the engine is imported, and say so meanwhile."""
    if not is_warm():
        with st.spinner(words.text("site.warming")):
            wait_until_warm()


def offer_resume(view: View, words: Translations) -> None:
    """Offer to resume: this browser has committed a prediction for this scenario, so a new one needs a fresh start."""
    st.info(words.text("task.committed_before"))
    with st.container(horizontal=True):
        st.button(words.text("task.resume"), type="primary", key="resume", on_click=runs.resume, args=(view.track,))
        draw_start_over("start_over", view, words, kind="secondary")


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
    kind: Kind = "primary",
) -> None:
    """Draw a button that starts over. `queue`: the task's other pool; None: the same."""
    args = (view.track, queue or view.run.config.free_block_ids)
    st.button(words.text(f"task.{name}"), key=f"{name}{key}", type=kind, on_click=runs.restart, args=args)


def _show_outcomes(view: View, timeline: Timeline, words: Translations) -> tuple[Outcome, Outcome] | None:
    """Draw the prediction with the outcomes of the run up to the cursor.

    If block ids are consecutive by luck only, returns that outcome and the counterexample's; else None.
    """
    outcomes = runs.observe(view, timeline)
    facts = add_counterexample(outcomes)
    prediction_form.show_prediction(view, facts, words)
    return (outcomes["consecutive"], facts["consecutive"]) if facts != outcomes else None


def _draw_what_happened(
    view: View, timeline: Timeline, lucky: tuple[Outcome, Outcome] | None, words: Translations
) -> None:
    """Draw the quick question about the newest operation, then its events, which give the answer away."""
    if view.cursor.step:
        has_question = view.at_end and not view.demonstration
        answered = ask_checkpoint(view, timeline, words) if has_question else True
        run_panel.draw_closing(view, timeline, words)
        run_panel.draw_events(view, timeline, words, open_=answered)
    if lucky is not None and not presenting.hide_answer():
        ids, other_ids = (outcome.ids for outcome in lucky)
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
