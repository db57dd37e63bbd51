"""The same task at block_size 8: predict, run, compare with block_size 4, then try any size with a slider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from lab.activities.block_size_runs import SIZES, measure_use, run_at_all_sizes
from lab.activities.diagnosis import diagnose
from lab.activities.trace_points import iterate_trace_points
from lab.figures.block_size import draw_block_size
from lab.figures.phrases import format_percent
from lab.figures.picture import Picture
from lab.figures.repaging import draw_repaging
from lab.trace.events import KVWritten
from lab.trace.late_imports import pandas as pd
from lab.trace.operations import Allocate, Append
from lab.trace.presets import build_task_config
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Timeline, run_whole
from lessons.activity.course import get_page_file
from lessons.activity.flow import run_task
from lessons.activity.prediction_form import format_comparison
from lessons.activity.what_if import offer_what_if
from lessons.lesson.glossary import draw_glossary
from lessons.server.asset_files import read_assets
from lessons.state import attempts, notes, record, runs, viewport
from lessons.state.slots import EIGHT, MAIN
from lessons.state.view import View
from lessons.text.sentences import explain_grade
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.film import SHARED_CHUNKS, Chunk, Film, Frame, encode_chunk, split_figure
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import PlayerLook, Seek, draw_player

STYLE = f"<style>\n{read_assets('components/block_size_comparison/block_size_comparison.css')}</style>"
_NEXT: dict[str, Literal["primary", "secondary"]] = {"quiz": "primary", "report": "secondary"}
_COMPARED = (Allocate("A"), Allocate("B"), Append("B"))
_COMPARED_SIZES = (MAIN.block_size, EIGHT.block_size)
_LOOK = PlayerLook(
    ("controls", "headline", "stage", "sentence", "story"),
    controls=("back", "forward", "slider"),
    keys="",
    by_event=False,
)


@dataclass(frozen=True)
class _SizeRow:
    """A request at one block_size, as its run left it."""

    block_size: int
    sequence: SequenceView


def draw_part(words: Translations, introduction: Callable[[], None]) -> None:
    """Draw this part of the task. `introduction` draws the introduction to the whole task."""
    view = runs.get_view(EIGHT)

    def lead() -> None:
        if view.problem:
            st.warning(words.text("eight.link_problem"))
        cards.draw_heading(2, words.text("eight.title"))
        same = view.run.config.free_block_ids == runs.get_view().run.config.free_block_ids
        text = "eight.lead" if same else "eight.lead_other_pool"
        st.markdown(words.text(text, block_size=view.run.config.block_size))
        introduction()

    def then(timeline: Timeline) -> None:
        if _show_diagnoses(view, timeline, words):
            _compare(view, words)
            _draw_slider(view, words)
            _offer_next(words)

    run_task(view, words, then, lead=lead)


def _show_diagnoses(view: View, timeline: Timeline, words: Translations) -> bool:
    """Explain wrong predictions. Returns whether the run has answered all of them."""
    if not view.run.is_predicted:
        return False
    points = list(iterate_trace_points(timeline.steps))
    whose = "" if record.is_mine(view.run.attempt) else "_in_link"
    outcomes = runs.observe_all(view, timeline)
    for diagnosis in diagnose(view.run, outcomes, points):
        if diagnosis.right:
            continue
        sentences = (
            words.text(f"explain.wrong{whose}", **format_comparison(diagnosis, words)),
            explain_grade("task", diagnosis, words),
        )
        st.markdown("≠ " + words.text("figures.gap").join(sentences))
        offer_what_if(diagnosis.idea, view.run.config, view.run.operations, words, diagnosis.question)
    return len(outcomes) == len(view.questions)


def _offer_next(words: Translations) -> None:
    """Draw what to do next, at the end of the task."""
    with st.container(border=True, key="task_way_on"):
        cards.draw_heading(3, words.text("eight.done_title"))
        st.markdown(words.text("eight.done"))
        with st.container(horizontal=True):
            for name, kind in _NEXT.items():
                title = words.text(f"{name}.title")
                label = words.text("site.next_lesson", name=title)
                if st.button(label, key=f"task_to_{name}", type=kind):
                    st.switch_page(get_page_file(name), query_params=attempts.get_link())


def _compare(view: View, words: Translations) -> None:
    cards.draw_heading(3, words.text("eight.compare_title"))
    rows = [row for size in _COMPARED_SIZES for row in _run_rows(size, view.run.config.free_block_ids)]
    rows.sort(key=lambda row: row.sequence.seq_id)
    names = ("request", "block_size", "blocks", "last", "empty", "percent")
    table = [
        (
            words.text("eight.tokens", seq_id=row.sequence.seq_id, tokens=row.sequence.num_tokens),
            str(row.block_size),
            str(len(row.sequence.block_table)),
            str(row.sequence.last_block_num_tokens),
            str(row.sequence.empty_slots),
            format_percent(row.sequence.empty_slots, row.sequence.num_slots),
        )
        for row in rows
    ]
    with st.container(key="eight_table"):  # narrow enough that a phone shows the last columns, which matter most
        st.html(STYLE)
        st.table(pd.DataFrame(table, columns=[words.text(f"eight.column.{name}") for name in names]), hide_index=True)
    st.markdown(words.text("eight.explanation"))
    b = [row for row in rows if row.sequence.seq_id == "B"]
    if len(b) == 2 and b[0].sequence.empty_slots == b[1].sequence.empty_slots:
        st.info(words.text("eight.same_waste", empty=b[0].sequence.empty_slots, **_format_both(b)))
    with st.expander(words.text("eight.concept_title"), key="eight_concepts"):
        draw_glossary(("block_size", "empty_slots"), words)


def _run_rows(block_size: int, queue: tuple[int, ...]) -> list[_SizeRow]:
    """Run the engine, and return A after its allocate and B after its fifth token."""
    run = run_whole(build_task_config(block_size, queue), _COMPARED)
    last = {
        event.seq_id: step.after.sequence(event.seq_id)
        for step in run.steps
        for event in step.events
        if isinstance(event, KVWritten)
    }
    return [_SizeRow(block_size, sequence) for sequence in last.values() if sequence is not None]


def _format_both(rows: list[_SizeRow]) -> dict[str, str]:
    slots = [f"{len(row.sequence.block_table)} × {row.block_size} − {row.sequence.num_tokens}" for row in rows]
    return {"first": slots[0], "second": slots[1]}


def _draw_slider(view: View, words: Translations) -> None:
    """Draw A's tokens in pages of any block_size, and the empty slots of every size."""
    cards.draw_heading(3, words.text("eight.slider_title"))
    length = len(build_task_config().request("A").prompt)
    sizes = (5, 6, 11, 12)
    st.markdown(
        words.text(
            "eight.not_monotone",
            tokens=length,
            examples=words.text("eight.example_join").join(
                words.text("eight.example", size=size, empty=measure_use(length, size).empty) for size in sizes
            ),
        )
    )
    at = _get_size()
    queue, columns = view.run.config.free_block_ids, viewport.get_columns()
    key = (queue, columns, length, words.identity)
    film = SHARED_CHUNKS.get(key, lambda: _draw_sizes(queue, columns, length, words))
    draw_player(
        Film([str(size) for size in SIZES], [film]),
        _LOOK,
        key="block_size",
        at=str(at),
        seek=Seek("sizes", _seek_size),
        words=words,
        own_words={"slider": words.text("eight.slider"), "label": words.text("eight.slider")},
        columns=columns,
    )
    draw_tables(
        "block_size_table",
        words,
        lambda: [("", picture) for picture in _draw_size(run_at_all_sizes(queue), length, at, columns, words).values()],
    )


def _get_size() -> int:
    """The block_size in view."""
    size = notes.get_note("size")
    return size if size in SIZES else EIGHT.block_size


def _seek_size(text: str) -> None:
    """In a callback: note the size that the browser has in view. Another text changes nothing."""
    if text in map(str, SIZES):
        notes.set_note("size", int(text))


def _draw_sizes(queue: tuple[int, ...], columns: int, length: int, words: Translations) -> Chunk:
    """A frame for each block_size."""
    runs, frames = run_at_all_sizes(queue), []
    for size in SIZES:
        pictures = _draw_size(runs, length, size, columns, words)
        figures = {name: split_figure(picture.spec, picture.sentence) for name, picture in pictures.items()}
        sentence = words.text("figures.gap").join(picture.sentence for picture in pictures.values())
        frames.append(Frame(str(size), figures, sentence, f"block_size {size}", still=size in _COMPARED_SIZES))
    return encode_chunk(frames)


def _draw_size(
    runs: tuple[Snapshot, ...], length: int, size: int, columns: int, words: Translations
) -> dict[str, Picture]:
    """A's tokens in pages of this size, and the empty slots of every size."""
    return {
        "pages": draw_repaging(runs, SIZES.index(size), words, columns=columns),
        "sizes": draw_block_size(length, size, words, columns=columns),
    }
