"""Run: operations as buttons, the picture, the events of the step in view, one quick question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor, encode_cursor
from lab.activities.cases.plan import answers_all, remaining
from lab.figures.memory.marks import Mark
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.figures.theme import get_dark_colors
from lab.trace.operations import Operation, encode_operation
from lab.trace.snapshot import Snapshot, compare_snapshots
from lab.trace.timeline import Step, Timeline
from lessons.state import attempts, presenting
from lessons.state.view import View
from lessons.text.sentences import format_error, format_event, format_operation
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.announce import announce
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.plot import draw

CLICKABLE = ("page", "token", "block")  # kinds of targets in the picture that select knows


def get_seen_steps(timeline: Timeline, cursor: Cursor) -> list[Step]:
    """The steps up to the cursor; of the one that it stands in, only what has happened so far."""
    steps = timeline.steps[: cursor.step]
    if cursor.event is not None:
        last = steps[-1]
        steps[-1] = replace(last, events=last.events[: cursor.event], snapshots=last.snapshots[: cursor.event])
    return steps


def get_seen_snapshot(timeline: Timeline, cursor: Cursor) -> Snapshot:
    """The state at the cursor."""
    if cursor.event is not None:
        return timeline.steps[cursor.step - 1].snapshots[cursor.event - 1]
    return timeline.snapshot(cursor.step)


def draw_operations(place: View, timeline: Timeline, words: Translations) -> None:
    """The operations; the suggested next one stands out, none is forbidden: what cannot be done is refused."""
    suggested = find_suggestion(place, timeline)
    draw_operation_buttons(
        [
            OperationButton(
                encode_operation(operation),
                format_operation(operation, words),
                suggested=operation == suggested,
                disabled=not place.at_end,
                hint=words.text("task.suggested") if operation == suggested and place.at_end else "",
            )
            for operation in place.offered
        ],
        index=len(place.run.operations),
        key="operations",
        on_press=partial(attempts.operate, place.track),
        label=words.text("task.buttons_label"),
    )


def find_suggestion(place: View, timeline: Timeline) -> Operation | None:
    """The plan's next operation. None at its end, and in a lesson where its rest leaves a question unanswered."""
    rest = remaining(place.plan, timeline.steps)
    case, run = place.run.case, place.run
    if not rest or (case is not None and not answers_all(run.config, run.operations, rest, place.questions)):
        return None
    return rest[0]


def draw_time_travel(place: View, timeline: Timeline, words: Translations) -> None:
    """Forwards and back, by operation and by event; the position in words. Every target is absolute."""
    here, total = place.cursor, len(timeline.steps)
    targets = (
        ("first", ":material/first_page:", Cursor(0)),
        ("back", ":material/chevron_left:", Cursor(here.step - 1)),  # from inside a step, back to before it
        ("event_back", ":material/remove:", _step_event_back(here, timeline)),
        ("event_forward", ":material/add:", _step_event_forward(here, timeline)),
        ("forward", ":material/chevron_right:", Cursor(here.step + (here.event is None))),
        ("last", ":material/last_page:", Cursor(total)),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="time_travel"):
        for name, icon, target in targets:
            possible = 0 <= target.step <= total and target != here
            st.button(
                words.text(f"task.{name}"),
                icon=icon,
                key=f"go_{name}",
                disabled=not possible,
                on_click=attempts.seek,
                args=(place.track, None if target == Cursor(total) else target),
            )
        told, brief = escape(_format_position(here, timeline, words)), escape(f"{encode_cursor(here)} / {total}")
        st.html(f'<p class="kv-position"><span>{told}</span><span aria-hidden="true">{brief}</span></p>')
    if not place.at_end:
        with st.container(horizontal=True, vertical_alignment="center", key="looking_back"):
            st.markdown(words.text("task.looking_back"))
            st.button(
                words.text("task.return_to_end"), key="return_to_end", on_click=attempts.seek, args=(place.track, None)
            )


def _step_event_back(here: Cursor, timeline: Timeline) -> Cursor:
    """One event earlier; before a step's first event is the end of the step before."""
    if here.step == 0:
        return here
    shown = here.event or len(timeline.steps[here.step - 1].events)
    return Cursor(here.step, shown - 1) if shown > 1 else Cursor(here.step - 1)


def _step_event_forward(here: Cursor, timeline: Timeline) -> Cursor:
    """One event later; after the end of a step, the first event of the next."""
    step, shown = (here.step, here.event) if here.event is not None else (here.step + 1, 0)
    if step > len(timeline.steps):
        return here
    return Cursor(step, shown + 1) if shown + 1 < len(timeline.steps[step - 1].events) else Cursor(step)


def _format_position(here: Cursor, timeline: Timeline, words: Translations) -> str:
    total = len(timeline.steps)
    if here.step == 0:
        return words.text("task.position_start", total=total)
    step = timeline.steps[here.step - 1]
    values = {"step": here.step, "total": total, "operation": format_operation(step.operation, words)}
    if here.event is None:
        return words.text("task.position", **values)
    return words.text("task.position_event", event=here.event, events=len(step.events), **values)


def draw_picture(place: View, timeline: Timeline, words: Translations, *, refusals: bool = True) -> None:
    """The memory picture at the cursor, its sentence beside it and its table behind it. `refusals`: say above it why
    the operation in view was refused."""
    drawn = build_memory_picture(place, timeline, words)
    now = describe_now(place, timeline, words) if refusals or place.cursor.event is not None else ""
    # On a phone the picture must come before the long sentence; a class is to look at the picture.
    narrow = attempts.get_columns() < 8 or presenting.is_on()
    cards.draw_headline(now, "" if narrow else drawn.sentence)
    draw(
        drawn.spec,
        key="memory",
        label=drawn.sentence,
        dark_colors=get_dark_colors(),
        on_click=select,
        on_columns=attempts.set_columns,
        columns=attempts.get_columns(),
    )
    if narrow:
        st.markdown(drawn.sentence)
        announce(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


def build_memory_picture(
    place: View,
    timeline: Timeline,
    words: Translations,
    *,
    marks: Mapping[int, Mark] | None = None,
    slots: bool = False,
    veiled: bool = False,
    compact: bool = False,
) -> Picture:
    """The memory picture at the cursor; of a compact one the browser's measure says how many columns it has.

    `marks`, `veiled`, `compact`: see memory_picture; `slots`: they may be clicked.
    """
    steps = get_seen_steps(timeline, place.cursor)
    snapshot = get_seen_snapshot(timeline, place.cursor)
    changed, selected = None, attempts.get_note("selected")
    if len(steps) > len(place.run.beginning.operations):  # what was there when a case opened is not new
        last = steps[-1]
        inside = place.cursor.event is not None and len(last.snapshots) > 1
        changed = compare_snapshots(last.snapshots[-2] if inside else last.before, snapshot)
        selected = selected or last.operation.seq_id
    return draw_memory(
        snapshot,
        words,
        changed=changed,
        selected=selected,
        columns=attempts.get_measured_columns() if compact else attempts.get_columns(),
        compact=compact,
        clickable=(*CLICKABLE, "slot") if slots else CLICKABLE,
        marks=marks,
        veiled=veiled,
    )


def select(target: str) -> None:
    """A click on a request's page or token makes its connectors the strong ones; any other click undoes that."""
    kind, _, rest = target.partition(":")
    attempts.set_note("selected", rest.split(":")[0] if kind in ("page", "token") else None)


def describe_now(place: View, timeline: Timeline, words: Translations) -> str:
    """The event that one stands behind, or why the operation in view was refused; empty where neither applies."""
    steps = get_seen_steps(timeline, place.cursor)
    if not steps:
        return ""
    last = steps[-1]
    if place.cursor.event is not None:
        return format_event(last.events[-1], words)
    return format_event(last.refusal, words) if last.refusal else ""


def draw_actions(place: View, timeline: Timeline, words: Translations) -> None:
    """The operations, once a prediction is committed; with them why the last press was refused, or the event that one
    stands behind."""
    if place.run.prediction is None and not place.demonstration:
        return
    cards.draw_heading(2, words.text("task.run_title"))
    if place.run.prediction is not None:
        draw_operations(place, timeline, words)
    if refusal := attempts.pop_flash():
        st.warning(format_error(refusal, words))
    if now := describe_now(place, timeline, words):
        cards.draw_headline(now, "")


def draw_events(place: View, timeline: Timeline, words: Translations, *, open_: bool) -> None:
    """What the step in view did, one event under another, the current one marked."""
    here = place.cursor
    step = timeline.steps[here.step - 1]
    title = f"{words.text('task.events_title')} · {format_operation(step.operation, words)}"
    if step.refusal:
        title += f" · {words.text('task.refused_mark')}"
    with st.expander(title, expanded=open_, key=f"events_{open_}"):
        cards.draw_event_list([format_event(event, words) for event in step.events], here.event or len(step.events))


def draw_closing(place: View, timeline: Timeline, words: Translations) -> None:
    """When everything has been released: as many free blocks as at the start, in which order?"""
    now = get_seen_snapshot(timeline, place.cursor)
    if now.sequences or all(step.refusal for step in get_seen_steps(timeline, place.cursor)):
        return
    before = timeline.start.free_block_ids
    key = "task.all_free_same" if now.free_block_ids == before else "task.all_free"
    values = {"before": " ".join(map(str, before)), "after": " ".join(map(str, now.free_block_ids))}
    st.info(words.text(key, free=len(now.free_block_ids), **values))
