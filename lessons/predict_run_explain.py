"""The flow that every lesson shares: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from lab.prediction import FORMS, Outcome, moments, outcomes
from lab.scenarios import USED_QUEUE, fresh_queue
from lessons import predict, record, run_panel, state
from lessons.text import WordsOf
from lessons.warmup import is_warm, wait_until_warm

if TYPE_CHECKING:
    from lab.timeline import Timeline


def predict_and_run(place: state.Place, words: WordsOf, then: Callable[[Timeline], None]) -> None:
    """Draw the flow for this place. The prediction needs no engine; the rest waits for it, showing its words.

    `then` draws what follows once there is something to see, before the closer looks.
    """
    run = place.run
    st.markdown(f"## {words.text('task.predict_title')}")
    if run.prediction is None and not place.demonstration:
        predict.prediction_form(place.track, words)
        st.markdown(f"## {words.text('task.run_title')}")
        st.markdown(f":material/lock: {words.text('task.run_locked')}")
    if not is_warm():
        with st.spinner(words.text("site.warming")):
            wait_until_warm()
    timeline = state.timeline(run, place.track)
    if run.prediction is not None:
        seen = list(moments(run_panel.seen_steps(timeline, place.cursor), place.cursor.event))
        facts = outcomes(seen, FORMS[place.track.form])
        lucky = facts.get("consecutive")
        witness = _counterexample(lucky)
        if witness is not None:
            facts["consecutive"] = witness
        predict.committed_prediction(run.prediction, facts, words)
        if witness is not None and lucky is not None:
            st.markdown(words.text("task.witness", here=list(lucky.ids), there=list(witness.ids)))
    if run.prediction is not None or place.demonstration:
        if place.demonstration:
            with st.container(horizontal=True, vertical_alignment="center", key="demonstration"):
                st.info(words.text("task.demo"))
                _start_over_button("try_yourself", place.track, run.config.free_block_ids, words)
        st.markdown(f"## {words.text('task.run_title')}")
        if not place.demonstration:
            run_panel.buttons(place, timeline, words)
        run_panel.time_travel(place, timeline, words)
    run_panel.picture(place, timeline, words)
    if place.cursor.step:
        left, right = st.columns(2, gap="large")
        with left:
            run_panel.events(place, timeline, words)
        with right:
            if not place.demonstration:
                run_panel.question(place, timeline, words)
            run_panel.closing(place, timeline, words)
    if run.prediction is not None and run.operations:
        then(timeline)
    from lessons.look_closer import look_closer  # noqa: PLC0415  (imports pandas and torch)

    if run.operations:
        look_closer(place, timeline, words)
    _again(place, words)


def _counterexample(lucky: Outcome | None) -> Outcome | None:
    """The run that shows that ids need not be consecutive, where this one's happened to be."""
    if lucky is None or not lucky.value:
        return None
    from lab.witness import consecutive_witness  # noqa: PLC0415  (after the warm-up)

    return consecutive_witness()


def _again(place: state.Place, words: WordsOf) -> None:
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
    earlier = record.attempts()
    if earlier:
        with st.expander(words.text("task.attempts", count=len(earlier)), key="attempts"):
            for number, attempt in enumerate(earlier, 1):
                st.page_link(
                    "page_task.py",
                    label=words.text("task.open_attempt", number=number),
                    query_params={"lang": words.language, "run": attempt},
                )


def _start_over_button(name: str, track: state.Track, queue: tuple[int, ...], words: WordsOf, key: str = "") -> None:
    st.button(
        words.text(f"task.{name}"), key=f"{name}{key}", type="primary", on_click=state.start_over, args=(track, queue)
    )
