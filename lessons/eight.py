"""The same task at block_size 8: predict, run, compare with 4, then any size with a slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pandas as pd
import streamlit as st

from lab.config import MAX_BLOCK_SIZE
from lab.diagnosis import diagnose
from lab.events import KVWritten
from lab.misconceptions.ideas import from_diagnosis
from lab.moments import moments
from lab.operations import Allocate, Append
from lab.prediction import FORMS, outcomes
from lab.scenarios import task_config
from lessons import cards, state
from lessons.aloud import say_aloud
from lessons.concepts import concept_table
from lessons.my_way import my_way
from lessons.place import EIGHT, MAIN, Place
from lessons.plot import draw
from lessons.predict import beside
from lessons.predict_run_explain import predict_and_run
from lessons.say import why
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.snapshot import SequenceView
    from lab.timeline import Timeline

STYLE = """
<style>
@media (max-width: 640px) {
  .st-key-eight_table [data-testid="stTable"] table { width: 100%; }
  .st-key-eight_table [data-testid="stTable"] :is(th, td) { padding: .3rem .2rem; font-size: .8rem; }
  .st-key-eight_table [data-testid="stTable"] th * { white-space: normal; }
}
</style>
"""
_NEXT: dict[str, Literal["primary", "secondary"]] = {"quiz": "primary", "report": "secondary"}
_COMPARED = (Allocate("A"), Allocate("B"), Append("B"))


@dataclass(frozen=True)
class _Row:
    """A request at one block_size, as a run left it: slots and tokens."""

    block_size: int
    view: SequenceView


def eight(words: WordsOf, introduction: Callable[[], None]) -> None:
    """Draw the part. `introduction` draws the words that the whole task begins with."""
    place = state.place(EIGHT)

    def lead() -> None:
        if place.problem:
            st.warning(words.text("eight.link_problem"))
        cards.heading(2, words.text("eight.title"))
        same = place.run.config.free_block_ids == state.place().run.config.free_block_ids
        text = "eight.lead" if same else "eight.lead_other_pool"
        st.markdown(words.text(text, block_size=place.run.config.block_size))
        introduction()

    def then(timeline: Timeline) -> None:
        if _settled(place, timeline, words):
            _compare(place, words)
            _slider(place, words)
            _way_on(words)

    predict_and_run(place, words, then, lead=lead)


def _settled(place: Place, timeline: Timeline, words: WordsOf) -> bool:
    """Say what was confused; True once the run has answered everything that was predicted."""
    prediction, form = place.run.prediction, FORMS[EIGHT.form]
    if prediction is None:
        return False
    seen = list(moments(timeline.steps))
    facts = outcomes(seen, form)
    for diagnosis in diagnose(prediction, facts, seen):
        if diagnosis.right:
            continue
        told = (words.text("explain.wrong", **beside(diagnosis, words)), why(diagnosis, words))
        st.markdown("≠ " + words.text("figures.gap").join(told))
        if (idea := from_diagnosis(diagnosis.idea)) is not None:
            my_way(idea, place.run.config, place.run.operations, words, diagnosis.question)
    return len(facts) == len(form)


def _way_on(words: WordsOf) -> None:
    """The task's end: what to do next."""
    with st.container(border=True, key="task_way_on"):
        cards.heading(3, words.text("eight.done_title"))
        st.markdown(words.text("eight.done"))
        with st.container(horizontal=True):
            for name, kind in _NEXT.items():
                title = words.text("quiz_page.title" if name == "quiz" else f"{name}.title")
                label = words.text("site.next_lesson", name=title)
                if st.button(label, key=f"task_to_{name}", type=kind):
                    st.switch_page(f"page_{name}.py", query_params=state.link())


def _compare(place: Place, words: WordsOf) -> None:
    cards.heading(3, words.text("eight.compare_title"))
    rows = [row for size in (MAIN.block_size, EIGHT.block_size) for row in _rows(size, place.run.config.free_block_ids)]
    rows.sort(key=lambda row: row.view.seq_id)
    names = ("request", "block_size", "blocks", "last", "empty", "percent")
    table = [
        (
            words.text("eight.tokens", seq_id=row.view.seq_id, tokens=row.view.num_tokens),
            str(row.block_size),
            str(len(row.view.block_table)),
            str(row.view.last_block_num_tokens),
            str(row.view.empty_slots),
            f"{row.view.percent_empty:.0f}%",
        )
        for row in rows
    ]
    with st.container(key="eight_table"):  # narrow, see STYLE: its last columns are its point
        st.html(STYLE)
        st.table(pd.DataFrame(table, columns=[words.text(f"eight.column.{name}") for name in names]), hide_index=True)
    st.markdown(words.text("eight.explanation"))
    b = [row for row in rows if row.view.seq_id == "B"]
    if len(b) == 2 and b[0].view.empty_slots == b[1].view.empty_slots:
        st.info(words.text("eight.same_waste", empty=b[0].view.empty_slots, **_both(b)))
    with st.expander(words.text("eight.concept_title"), key="eight_concepts"):
        concept_table(("block_size", "empty_slots"), words)


def _rows(block_size: int, queue: tuple[int, ...]) -> list[_Row]:
    """A after its allocate and B after its fifth token, read from a run of the engine."""
    from lab.timeline import Timeline  # noqa: PLC0415  (after the warm-up)

    run = Timeline.replay(task_config(block_size, queue), _COMPARED)
    last = {
        event.seq_id: step.after.sequence(event.seq_id)
        for step in run.steps
        for event in step.events
        if isinstance(event, KVWritten)
    }
    return [_Row(block_size, view) for view in last.values() if view is not None]


def _both(rows: list[_Row]) -> dict[str, str]:
    slots = [f"{len(row.view.block_table)} × {row.block_size} − {row.view.num_tokens}" for row in rows]
    return {"first": slots[0], "second": slots[1]}


def _slider(place: Place, words: WordsOf) -> None:
    """Any block_size: A's own tokens in their pages, and the empty slots beside those of every other size."""
    from lab.block_size_runs import SIZES, use  # noqa: PLC0415
    from lab.figures.block_size import block_size_picture  # noqa: PLC0415  (after the warm-up)
    from lab.figures.paged_anew import paged_anew  # noqa: PLC0415
    from lab.figures.theme import dark_colors  # noqa: PLC0415
    from lab.paged_runs import paged  # noqa: PLC0415

    cards.heading(3, words.text("eight.slider_title"))
    length = len(task_config().request("A").prompt)
    sizes = (5, 6, 11, 12)
    st.markdown(
        words.text(
            "eight.not_monotone",
            tokens=length,
            examples=words.text("eight.example_join").join(
                words.text("eight.example", size=size, empty=use(length, size).empty) for size in sizes
            ),
        )
    )
    size = st.slider(words.text("eight.slider"), 1, MAX_BLOCK_SIZE, EIGHT.block_size, key="size_slider")
    runs = paged(place.run.config.free_block_ids)
    pages = paged_anew(runs, SIZES.index(int(size)), words, columns=state.columns())
    draw(pages.spec, key="paged_anew", label=pages.sentence, dark_colors=dark_colors(), columns=state.columns())
    say_aloud(pages.sentence)
    drawn = block_size_picture(length, int(size), words, columns=state.columns())
    draw(drawn.spec, key="block_size", label=drawn.sentence, dark_colors=dark_colors())
    st.markdown(words.text("figures.gap").join((pages.sentence, drawn.sentence)))
    with st.expander(words.text("task.as_table"), key="block_size_table"):
        st.table(pages.table, hide_index=True)
        st.table(drawn.table, hide_index=True)
