"""Running operations: their buttons, the picture of a moment, and the events of the step in view."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from lab.activities.attempt import Cursor
from lab.activities.cases.plan import answers_all, remaining
from lab.figures.memory.marks import Mark
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.memory.metrics import Detail
from lab.figures.picture import Picture
from lab.trace.operations import Operation, encode_operation
from lab.trace.snapshot import Snapshot, compare_snapshots
from lab.trace.timeline import Timeline
from lessons.state import notes, presenting, runs
from lessons.state.view import View
from lessons.text.sentences import format_error, format_event, format_operation
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.player import Seek

CLICKABLE = ("page", "token", "block")  # kinds of targets in the picture that `select` handles


def get_seen_snapshot(timeline: Timeline, cursor: Cursor) -> Snapshot:
    """The state at the cursor."""
    if cursor.event is not None:
        return timeline.steps[cursor.step - 1].snapshots[cursor.event - 1]
    return timeline.snapshot(cursor.step)


def draw_operations(view: View, timeline: Timeline, seek: Seek, words: Translations) -> None:
    """Draw the operations as buttons and mark the suggested one. None is forbidden: the engine may refuse it."""
    suggested = find_suggestion(view, timeline)
    draw_operation_buttons(
        [
            OperationButton(
                encode_operation(operation),
                format_operation(operation, words),
                suggested=operation == suggested,
                disabled=not view.at_end,
                hint=words.text("task.suggested") if operation == suggested and view.at_end else "",
            )
            for operation in view.offered
        ],
        index=len(view.run.operations),
        key="operations",
        on_press=partial(runs.operate, view.track),
        label=words.text("task.buttons_label"),
        seek=seek,
        only_at_end=True,
    )


def find_suggestion(view: View, timeline: Timeline) -> Operation | None:
    """The plan's next operation. None at its end, or if the rest of a lesson's plan leaves a question unanswered."""
    rest = remaining(view.plan, timeline.steps)
    if not rest or (view.track.lesson and not answers_all(timeline, rest, view.questions)):
        return None
    return rest[0]


def build_memory_picture(
    view: View,
    timeline: Timeline,
    words: Translations,
    *,
    columns: int,
    selected: str | None = None,
    marks: Mapping[int, Mark] | None = None,
    slots: bool = False,
    hide_tokens: bool = False,
    compact: bool = False,
    detail: Detail | None = None,
) -> Picture:
    """Build the memory picture at the cursor.

    `selected`: the request whose connectors are strong, else that of the last operation; see `get_selected`.
    `slots`: slots may be clicked. For the others see `draw_memory`.
    """
    steps = runs.get_seen_steps(timeline, view.cursor)
    snapshot = get_seen_snapshot(timeline, view.cursor)
    changed = None
    if len(steps) > len(view.run.beginning.operations):  # what was done before a case opened is not new
        last = steps[-1]
        inside = view.cursor.event is not None and len(last.snapshots) > 1
        changed = compare_snapshots(last.snapshots[-2] if inside else last.before, snapshot)
        selected = selected or last.operation.seq_id
    return draw_memory(
        snapshot,
        words,
        changed=changed,
        selected=selected,
        columns=columns,
        compact=compact,
        detail=detail,
        clickable=(*CLICKABLE, "slot") if slots else CLICKABLE,
        marks=marks,
        hide_tokens=hide_tokens,
    )


def select(target: str) -> None:
    """Select the request whose page or token was clicked, to draw its connectors strong. Other clicks deselect."""
    kind, _, rest = target.partition(":")
    notes.set_note("selected", rest.split(":")[0] if kind in ("page", "token") else None)


def get_selected() -> str | None:
    """The request that was selected with a click, or None."""
    selected: str | None = notes.get_note("selected")
    return selected


def describe_now(view: View, timeline: Timeline, words: Translations) -> str:
    """The event before the cursor if it is inside a step; else why the operation in view was refused, or empty."""
    steps = runs.get_seen_steps(timeline, view.cursor)
    if not steps:
        return ""
    last = steps[-1]
    if view.cursor.event is not None:
        return format_event(last.events[-1], words)
    return format_event(last.refusal, words) if last.refusal else ""


def draw_actions(view: View, timeline: Timeline, seek: Seek, words: Translations) -> None:
    """Draw the operations once a prediction is committed, and why the last press or the one in view was refused."""
    if not view.run.is_predicted and not view.demonstration:
        return
    cards.draw_heading(2, words.text("task.run_title"))
    if view.run.is_predicted:
        draw_operations(view, timeline, seek, words)
    if refusal := notes.pop_flash():
        st.warning(format_error(refusal, words))
    if view.cursor.event is None and (now := describe_now(view, timeline, words)):
        cards.draw_headline(now, "")


def draw_events(view: View, timeline: Timeline, words: Translations, *, open_: bool, is_asked: bool = False) -> None:
    """List the events of the step in view and mark the current one.

    Inside a step that a question `is_asked` about, or before a class, those ahead are not listed.
    """
    cursor = view.cursor
    step = timeline.steps[cursor.step - 1]
    shown = cursor.event or len(step.events)
    listed = shown if is_asked or presenting.is_on() else len(step.events)
    title = f"{words.text('task.events_title')} · {format_operation(step.operation, words)}"
    if step.refusal and listed == len(step.events):
        title += f" · {words.text('task.refused_mark')}"
    with st.expander(title, expanded=open_, key=f"events_{open_}"):
        cards.draw_event_list([format_event(event, words) for event in step.events[:listed]], shown)


def draw_closing(view: View, timeline: Timeline, words: Translations) -> None:
    """Once everything is released, compare the free queue with the queue at the start."""
    now = get_seen_snapshot(timeline, view.cursor)
    if now.sequences or all(step.refusal for step in runs.get_seen_steps(timeline, view.cursor)):
        return
    before = timeline.start.free_block_ids
    key = "task.all_free_same" if now.free_block_ids == before else "task.all_free"
    values = {"before": " ".join(map(str, before)), "after": " ".join(map(str, now.free_block_ids))}
    st.info(words.text(key, free=len(now.free_block_ids), **values))
