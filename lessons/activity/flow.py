"""The flow that every lesson shares: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import streamlit as st

from lab.activities.attempt import encode_run
from lab.activities.counterexample import find_counterexample
from lab.activities.question import observe_outcomes
from lab.activities.trace_points import Outcome, iterate_trace_points
from lab.trace.presets import USED_QUEUE, build_fresh_queue
from lab.trace.timeline import Timeline
from lessons.activity import prediction_form, run_panel
from lessons.activity.checkpoint import ask_checkpoint
from lessons.activity.look_closer import look_closer
from lessons.activity.one_view import focus_next, lay_out_view
from lessons.activity.picture_panel import draw_picture
from lessons.server.warmup import is_warm, wait_until_warm
from lessons.state import attempts, presenting, record
from lessons.state.view import Track, View
from lessons.text.sentences import format_list
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.copy_link import copy_link

Kind = Literal["primary", "secondary"]


Part = Callable[["Timeline"], None]


def draw_nothing(_timeline: Timeline) -> None:
    """A flow without a part of its own."""


def predict_and_run(
    place: View,
    words: Translations,
    then: Part = draw_nothing,
    *,
    lead: Callable[[], None],
    way_on: Part = draw_nothing,
) -> None:
    """Draw the flow for this place. The prediction needs no engine; the rest waits for it, showing its words.

    lead    draws what it is about, above the prediction.
    way_on  draws the button that leads on, with the operations.
    then    draws what follows below, once there is something to see, before the closer looks.
    """
    run = place.run
    attempts.set_pictures_beside_words(True)
    view = lay_out_view()
    with view.asking:
        lead()
        if run.prediction is None and not place.demonstration:
            cards.draw_heading(2, words.text("task.predict_title"))
            if record.get_committed(place.form, run) is None:
                prediction_form.ask_prediction(place, words, in_columns=1)
            else:
                _offer_resume(place, words)
            st.markdown(f":material/lock: {words.text('task.run_locked')}")
    wait_for_engine(words)
    timeline = attempts.get_timeline(run, place.track)
    lucky = None
    with view.asking:
        if run.prediction is not None:
            lucky = _show_outcomes(place, timeline, words)
        if place.demonstration:
            with st.container(horizontal=True, vertical_alignment="center", key="demonstration"):
                st.info(words.text("task.demo"))
                _start_over_button("try_yourself", place.track, run.config.free_block_ids, words)
    with view.doing:
        run_panel.draw_actions(place, timeline, words)
        if run.prediction is not None and run.operations:
            way_on(timeline)
    with view.showing:
        draw_picture(place, timeline, None, words)
    with view.explaining:
        _draw_what_happened(place, timeline, lucky, words)
    focus_next(place)
    attempts.set_pictures_beside_words(False)
    if run.prediction is not None and run.operations:
        then(timeline)
    if run.operations:
        look_closer(place, timeline, words)
    _offer_restart(place, words)


def wait_for_engine(words: Translations) -> None:
    """Say that the engine is starting, while it is."""
    if not is_warm():
        with st.spinner(words.text("site.warming")):
            wait_until_warm()


def _offer_resume(place: View, words: Translations) -> None:
    """This browser has committed a prediction for this scenario already: no second one without starting over."""
    st.info(words.text("task.committed_before"))
    with st.container(horizontal=True):
        st.button(
            words.text("task.resume"), type="primary", key="resume", on_click=attempts.resume, args=(place.track,)
        )
        _start_over_button("start_over", place.track, place.run.config.free_block_ids, words, kind="secondary")


def _show_outcomes(place: View, timeline: Timeline, words: Translations) -> tuple[Outcome, Outcome] | None:
    """The prediction with what the run up to the cursor says about it; where only luck made ids consecutive, the run's
    outcome and that of the run that shows it."""
    facts = observe_outcomes(
        list(iterate_trace_points(run_panel.get_seen_steps(timeline, place.cursor))), place.questions
    )
    lucky = facts.get("consecutive")
    witness = find_counterexample(lucky)
    if witness is not None:
        facts["consecutive"] = witness
    known = record.get_committed(place.form, place.run) == encode_run(place.run.beginning)
    mine = known or encode_run(place.run) in record.get_attempts()
    owner = "you" if mine or not record.is_known() else "in_link"
    prediction_form.show_prediction(place, facts, owner, words)
    return (lucky, witness) if lucky is not None and witness is not None else None


def _draw_what_happened(
    place: View, timeline: Timeline, lucky: tuple[Outcome, Outcome] | None, words: Translations
) -> None:
    """One quick question about the newest operation; then its events, which hold the answer."""
    if place.cursor.step:
        asked = place.at_end and not place.demonstration
        answered = ask_checkpoint(place, timeline, words) if asked else True
        run_panel.draw_closing(place, timeline, words)
        run_panel.draw_events(place, timeline, words, open_=answered)
    if lucky is not None and not presenting.hide_answer():
        here, there = (outcome.ids for outcome in lucky)
        key = "witness" if len(here) > 1 else "witness_single"
        st.markdown(words.text(f"task.{key}", here=format_list(here, words), there=format_list(there, words)))
    if place.run.prediction is not None:
        steps = run_panel.get_seen_steps(timeline, place.cursor)
        done = [step.operation for step in steps if step.refusal is None]
        if done and tuple(done) != place.plan[: len(done)]:
            st.markdown(words.text("task.other_order"))


def _offer_restart(place: View, words: Translations) -> None:
    """Start over (asks first), on this pool or the other one; earlier attempts."""
    queue = place.run.config.free_block_ids
    fresh = build_fresh_queue(len(queue))
    other, label = (USED_QUEUE, "task.try_used") if queue == fresh else (fresh, "task.try_fresh")
    with st.container(horizontal=True, key="again"):
        if place.run.prediction is None:
            st.button(words.text(label), key="other_pool", on_click=attempts.restart, args=(place.track, other))
        else:
            for name, target, title in (("again", queue, "task.start_over"), ("other", other, label)):
                with st.popover(words.text(title), key=f"ask_{name}"):
                    st.markdown(words.text("task.start_over_ask"))
                    _start_over_button("start_over_yes", place.track, target, words, key=name)
        if place.run.prediction is not None and place.run.operations:
            copy_link(
                key="copy_demo",
                label=words.text("task.copy_demo"),
                done_label=words.text("site.link_copied"),
                params={"lang": words.language, place.track.run: encode_run(replace(place.run, prediction=None))},
            )
    earlier = [text for text in record.get_attempts() if (run := record.parse(text)) and run.case is None]
    if earlier:
        with st.expander(words.text("task.attempts", count=len(earlier)), key="attempts"):
            for number, attempt in enumerate(earlier, 1):
                label = words.text("task.open_attempt", number=number)
                key = f"attempt_{number}"
                st.button(label, key=key, type="tertiary", on_click=attempts.open_attempt, args=(attempt,))


def _start_over_button(
    name: str, track: Track, queue: tuple[int, ...], words: Translations, *, key: str = "", kind: Kind = "primary"
) -> None:
    label = words.text(f"task.{name}")
    st.button(label, key=f"{name}{key}", type=kind, on_click=attempts.restart, args=(track, queue))
