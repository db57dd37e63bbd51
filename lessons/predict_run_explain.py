"""The flow that every lesson shares: predict, run, see the outcome over the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import streamlit as st

from lab.link import run_text
from lab.moments import Outcome, moments
from lab.prediction import outcomes
from lab.scenarios import USED_QUEUE, fresh_queue
from lessons import cards, predict, present, record, run_panel, state
from lessons.copy_link import copy_link
from lessons.lesson_picture import picture
from lessons.one_view import land, one_view
from lessons.place import Place, Track
from lessons.quick_question import quick_question
from lessons.say import listed
from lessons.text import WordsOf
from lessons.warmup import is_warm, wait_until_warm

if TYPE_CHECKING:
    from lab.timeline import Timeline

Kind = Literal["primary", "secondary"]


Part = Callable[["Timeline"], None]


def nothing(_timeline: Timeline) -> None:
    """A flow without a part of its own."""


def predict_and_run(
    place: Place, words: WordsOf, then: Part = nothing, *, lead: Callable[[], None], way_on: Part = nothing
) -> None:
    """Draw the flow for this place. The prediction needs no engine; the rest waits for it, showing its words.

    lead    draws what it is about, above the prediction.
    way_on  draws the button that leads on, with the operations.
    then    draws what follows below, once there is something to see, before the closer looks.
    """
    run = place.run
    state.pictures_beside_words(True)
    view = one_view()
    with view.asking:
        lead()
        if run.prediction is None and not place.demonstration:
            cards.heading(2, words.text("task.predict_title"))
            if record.committed(place.form, run) is None:
                predict.prediction_form(place, words, in_columns=1)
            else:
                _committed_before(place, words)
            st.markdown(f":material/lock: {words.text('task.run_locked')}")
    wait_for_engine(words)
    timeline = state.timeline(run, place.track)
    lucky = None
    with view.asking:
        if run.prediction is not None:
            lucky = _outcomes(place, timeline, words)
        if place.demonstration:
            with st.container(horizontal=True, vertical_alignment="center", key="demonstration"):
                st.info(words.text("task.demo"))
                _start_over_button("try_yourself", place.track, run.config.free_block_ids, words)
    with view.doing:
        run_panel.do(place, timeline, words)
        if run.prediction is not None and run.operations:
            way_on(timeline)
    with view.showing:
        picture(place, timeline, None, words)
    with view.explaining:
        _what_happened(place, timeline, lucky, words)
    land(place)
    state.pictures_beside_words(False)
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


def _outcomes(place: Place, timeline: Timeline, words: WordsOf) -> tuple[Outcome, Outcome] | None:
    """The prediction with what the run up to the cursor says about it; where only luck made ids consecutive, the run's
    outcome and that of the run that shows it."""
    from lab.witness import counterexample  # noqa: PLC0415  (after the warm-up)

    facts = outcomes(list(moments(run_panel.seen_steps(timeline, place.cursor))), place.questions)
    lucky = facts.get("consecutive")
    witness = counterexample(lucky)
    if witness is not None:
        facts["consecutive"] = witness
    known = record.committed(place.form, place.run) == run_text(place.run.beginning)
    mine = known or run_text(place.run) in record.attempts()
    owner = "you" if mine or not record.known() else "in_link"
    predict.committed_prediction(place, facts, owner, words)
    return (lucky, witness) if lucky is not None and witness is not None else None


def _what_happened(place: Place, timeline: Timeline, lucky: tuple[Outcome, Outcome] | None, words: WordsOf) -> None:
    """One quick question about the newest operation; then its events, which hold the answer."""
    if place.cursor.step:
        asked = place.at_end and not place.demonstration
        answered = quick_question(place, timeline, words) if asked else True
        run_panel.closing(place, timeline, words)
        run_panel.events(place, timeline, words, open_=answered)
    if lucky is not None and not present.covered():
        here, there = (outcome.ids for outcome in lucky)
        key = "witness" if len(here) > 1 else "witness_single"
        st.markdown(words.text(f"task.{key}", here=listed(here, words), there=listed(there, words)))
    if place.run.prediction is not None:
        steps = run_panel.seen_steps(timeline, place.cursor)
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
