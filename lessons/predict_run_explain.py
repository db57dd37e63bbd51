"""The flow that every lesson shares: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import streamlit as st

from lab.link import run_text
from lab.moments import moments
from lab.prediction import outcomes
from lab.scenarios import USED_QUEUE, fresh_queue
from lessons import cards, predict, present, record, run_panel, state
from lessons.copy_link import copy_link
from lessons.place import Place, Track
from lessons.say import listed
from lessons.text import WordsOf
from lessons.warmup import is_warm, wait_until_warm

if TYPE_CHECKING:
    from lab.timeline import Timeline

Kind = Literal["primary", "secondary"]


def predict_and_run(place: Place, words: WordsOf, then: Callable[[Timeline], None]) -> None:
    """Draw the flow for this place. The prediction needs no engine; the rest waits for it, showing its words.

    `then` draws what follows once there is something to see, before the closer looks.
    """
    run = place.run
    cards.heading(2, words.text("task.predict_title"))
    if run.prediction is None and not place.demonstration:
        if record.committed(place.form, run) is None:
            predict.prediction_form(place, words)
        else:
            _committed_before(place, words)
        cards.heading(2, words.text("task.run_title"))
        st.markdown(f":material/lock: {words.text('task.run_locked')}")
    wait_for_engine(words)
    timeline = state.timeline(run, place.track)
    if run.prediction is not None:
        _outcomes(place, timeline, words)
    if place.demonstration:
        with st.container(horizontal=True, vertical_alignment="center", key="demonstration"):
            st.info(words.text("task.demo"))
            _start_over_button("try_yourself", place.track, run.config.free_block_ids, words)
    if run.prediction is not None or place.demonstration:
        cards.heading(2, words.text("task.run_title"))
        if not place.demonstration:
            run_panel.buttons(place, timeline, words)
        run_panel.time_travel(place, timeline, words)
    run_panel.picture(place, timeline, words)
    run_panel.what_happened(place, timeline, words)
    if run.prediction is not None and run.operations:
        then(timeline)
    if run.operations:
        from lessons.look_closer import look_closer  # noqa: PLC0415  (imports pandas and torch)

        look_closer(place, timeline, words)
    _again(place, words)


def wait_for_engine(words: WordsOf) -> None:
    """Say that the engine is starting, while it is."""
    if not is_warm():
        with st.spinner(words.text("site.warming")):
            wait_until_warm()


def _committed_before(place: Place, words: WordsOf) -> None:
    """This browser has committed a prediction for this scenario already: no second one without starting over."""
    st.info(words.text("task.committed_before"))
    with st.container(horizontal=True):
        st.button(words.text("task.resume"), type="primary", key="resume", on_click=state.resume, args=(place.track,))
        _start_over_button("start_over", place.track, place.run.config.free_block_ids, words, kind="secondary")


def _outcomes(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """The prediction with what the run up to the cursor says about it."""
    prediction = place.run.prediction
    if prediction is None:
        return
    from lab.witness import counterexample  # noqa: PLC0415  (after the warm-up)

    steps = run_panel.seen_steps(timeline, place.cursor)
    facts = outcomes(list(moments(steps)), place.questions)
    lucky = facts.get("consecutive")
    witness = counterexample(lucky)
    if witness is not None:
        facts["consecutive"] = witness
    known = record.committed(place.form, place.run) == run_text(place.run.beginning)
    mine = known or run_text(place.run) in record.attempts()
    owner = "you" if mine or not record.known() else "in_link"
    predict.committed_prediction(place, facts, owner, words)
    if witness is not None and lucky is not None and not present.covered():
        key = "witness" if len(lucky.ids) > 1 else "witness_single"
        st.markdown(words.text(f"task.{key}", here=listed(lucky.ids, words), there=listed(witness.ids, words)))
    done = [step.operation for step in steps if step.refusal is None]
    if done and tuple(done) != place.plan[: len(done)]:
        st.markdown(words.text("task.other_order"))


def _again(place: Place, words: WordsOf) -> None:
    """Start over (asks first), on this pool or the other one; earlier attempts."""
    queue = place.run.config.free_block_ids
    fresh = fresh_queue(len(queue))
    other, label = (USED_QUEUE, "task.try_used") if queue == fresh else (fresh, "task.try_fresh")
    with st.container(horizontal=True, key="again"):
        if place.run.prediction is None:
            st.button(words.text(label), key="other_pool", on_click=state.start_over, args=(place.track, other))
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
                params={"lang": words.language, place.track.run: run_text(replace(place.run, prediction=None))},
            )
    earlier = [text for text in record.attempts() if (run := record.parsed(text)) and run.case is None]
    if earlier:
        with st.expander(words.text("task.attempts", count=len(earlier)), key="attempts"):
            for number, attempt in enumerate(earlier, 1):
                label = words.text("task.open_attempt", number=number)
                key = f"attempt_{number}"
                st.button(label, key=key, type="tertiary", on_click=state.open_attempt, args=(attempt,))


def _start_over_button(
    name: str, track: Track, queue: tuple[int, ...], words: WordsOf, *, key: str = "", kind: Kind = "primary"
) -> None:
    label = words.text(f"task.{name}")
    st.button(label, key=f"{name}{key}", type=kind, on_click=state.start_over, args=(track, queue))
