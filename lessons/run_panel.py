"""Run: operations as buttons, the picture, the events of the step in view, one quick question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from lab.figures.theme import dark_colors
from lab.link import Cursor, cursor_text
from lab.operations import Operation, operation_text
from lab.snapshot import Snapshot, difference
from lessons import cards, present, state
from lessons.aloud import say_aloud
from lessons.operation_buttons import OperationButton, operation_buttons
from lessons.place import Place
from lessons.plot import draw
from lessons.say import say_error, say_event, say_operation
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.figures.memory_marks import Mark
    from lab.figures.picture import Picture
    from lab.timeline import Step, Timeline

CLICKABLE = ("page", "token", "block")  # kinds of targets in the picture that select knows


def seen_steps(timeline: Timeline, cursor: Cursor) -> list[Step]:
    """The steps up to the cursor; of the one that it stands in, only what has happened so far."""
    steps = timeline.steps[: cursor.step]
    if cursor.event is not None:
        last = steps[-1]
        steps[-1] = replace(last, events=last.events[: cursor.event], snapshots=last.snapshots[: cursor.event])
    return steps


def seen_snapshot(timeline: Timeline, cursor: Cursor) -> Snapshot:
    """The state at the cursor."""
    if cursor.event is not None:
        return timeline.steps[cursor.step - 1].snapshots[cursor.event - 1]
    return timeline.snapshot(cursor.step)


def buttons(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """The operations; the suggested next one stands out, none is forbidden: what cannot be done is refused."""
    suggested = suggestion(place, timeline)
    operation_buttons(
        [
            OperationButton(
                operation_text(operation),
                say_operation(operation, words),
                suggested=operation == suggested,
                disabled=not place.at_end,
                hint=words.text("task.suggested") if operation == suggested and place.at_end else "",
            )
            for operation in place.offered
        ],
        index=len(place.run.operations),
        key="operations",
        on_press=partial(state.operate, place.track),
        label=words.text("task.buttons_label"),
    )


def suggestion(place: Place, timeline: Timeline) -> Operation | None:
    """The plan's next operation. None at its end, and in a lesson where its rest leaves a question unanswered."""
    from lab.cases.plan import left, settles  # noqa: PLC0415  (after the warm-up)

    rest = left(place.plan, timeline.steps)
    case, run = place.run.case, place.run
    if not rest or (case is not None and not settles(run.config, run.operations, rest, place.questions)):
        return None
    return rest[0]


def time_travel(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """Forwards and back, by operation and by event; the position in words. Every target is absolute."""
    here, total = place.cursor, len(timeline.steps)
    targets = (
        ("first", ":material/first_page:", Cursor(0)),
        ("back", ":material/chevron_left:", Cursor(here.step - 1)),  # from inside a step, back to before it
        ("event_back", ":material/remove:", _event_back(here, timeline)),
        ("event_forward", ":material/add:", _event_forward(here, timeline)),
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
                on_click=state.look,
                args=(place.track, None if target == Cursor(total) else target),
            )
        told, brief = escape(_position(here, timeline, words)), escape(f"{cursor_text(here)} / {total}")
        st.html(f'<p class="kv-position"><span>{told}</span><span aria-hidden="true">{brief}</span></p>')
    if not place.at_end:
        with st.container(horizontal=True, vertical_alignment="center", key="looking_back"):
            st.markdown(words.text("task.looking_back"))
            st.button(
                words.text("task.return_to_end"), key="return_to_end", on_click=state.look, args=(place.track, None)
            )


def _event_back(here: Cursor, timeline: Timeline) -> Cursor:
    """One event earlier; before a step's first event is the end of the step before."""
    if here.step == 0:
        return here
    shown = here.event or len(timeline.steps[here.step - 1].events)
    return Cursor(here.step, shown - 1) if shown > 1 else Cursor(here.step - 1)


def _event_forward(here: Cursor, timeline: Timeline) -> Cursor:
    """One event later; after the end of a step, the first event of the next."""
    step, shown = (here.step, here.event) if here.event is not None else (here.step + 1, 0)
    if step > len(timeline.steps):
        return here
    return Cursor(step, shown + 1) if shown + 1 < len(timeline.steps[step - 1].events) else Cursor(step)


def _position(here: Cursor, timeline: Timeline, words: WordsOf) -> str:
    total = len(timeline.steps)
    if here.step == 0:
        return words.text("task.position_start", total=total)
    step = timeline.steps[here.step - 1]
    values = {"step": here.step, "total": total, "operation": say_operation(step.operation, words)}
    if here.event is None:
        return words.text("task.position", **values)
    return words.text("task.position_event", event=here.event, events=len(step.events), **values)


def picture(place: Place, timeline: Timeline, words: WordsOf, *, refusals: bool = True) -> None:
    """The memory picture at the cursor, its sentence beside it and its table behind it. `refusals`: say above it why
    the operation in view was refused."""
    drawn = memory(place, timeline, words)
    now = what_now(place, timeline, words) if refusals or place.cursor.event is not None else ""
    # On a phone the picture must come before the long sentence; a class is to look at the picture.
    narrow = state.columns() < 8 or present.on()
    cards.headline(now, "" if narrow else drawn.sentence)
    draw(
        drawn.spec,
        key="memory",
        label=drawn.sentence,
        dark_colors=dark_colors(),
        on_click=select,
        on_columns=state.set_columns,
        columns=state.columns(),
    )
    if narrow:
        st.markdown(drawn.sentence)
        say_aloud(drawn.sentence)
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


def memory(
    place: Place,
    timeline: Timeline,
    words: WordsOf,
    *,
    marks: Mapping[int, Mark] | None = None,
    slots: bool = False,
    veiled: bool = False,
    compact: bool = False,
) -> Picture:
    """The memory picture at the cursor; of a compact one the browser's measure says how many columns it has.

    `marks`, `veiled`, `compact`: see memory_picture; `slots`: they may be clicked.
    """
    from lab.figures.memory import memory_picture  # noqa: PLC0415  (after the warm-up)

    steps = seen_steps(timeline, place.cursor)
    snapshot = seen_snapshot(timeline, place.cursor)
    changed, selected = None, state.noted("selected")
    if len(steps) > len(place.run.beginning.operations):  # what was there when a case opened is not new
        last = steps[-1]
        inside = place.cursor.event is not None and len(last.snapshots) > 1
        changed = difference(last.snapshots[-2] if inside else last.before, snapshot)
        selected = selected or last.operation.seq_id
    return memory_picture(
        snapshot,
        words,
        changed=changed,
        selected=selected,
        columns=state.measured_columns() if compact else state.columns(),
        compact=compact,
        clickable=(*CLICKABLE, "slot") if slots else CLICKABLE,
        marks=marks,
        veiled=veiled,
    )


def select(target: str) -> None:
    """A click on a request's page or token makes its connectors the strong ones; any other click undoes that."""
    kind, _, rest = target.partition(":")
    state.note("selected", rest.split(":")[0] if kind in ("page", "token") else None)


def what_now(place: Place, timeline: Timeline, words: WordsOf) -> str:
    """The event that one stands behind, or why the operation in view was refused; empty where neither applies."""
    steps = seen_steps(timeline, place.cursor)
    if not steps:
        return ""
    last = steps[-1]
    if place.cursor.event is not None:
        return say_event(last.events[-1], words)
    return say_event(last.refusal, words) if last.refusal else ""


def do(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """The operations, once a prediction is committed; with them why the last press was refused, or the event that one
    stands behind."""
    if place.run.prediction is None and not place.demonstration:
        return
    cards.heading(2, words.text("task.run_title"))
    if place.run.prediction is not None:
        buttons(place, timeline, words)
    if refusal := state.told():
        st.warning(say_error(refusal, words))
    if now := what_now(place, timeline, words):
        cards.headline(now, "")


def events(place: Place, timeline: Timeline, words: WordsOf, *, open_: bool) -> None:
    """What the step in view did, one event under another, the current one marked."""
    here = place.cursor
    step = timeline.steps[here.step - 1]
    title = f"{words.text('task.events_title')} · {say_operation(step.operation, words)}"
    if step.refusal:
        title += f" · {words.text('task.refused_mark')}"
    with st.expander(title, expanded=open_, key=f"events_{open_}"):
        cards.event_list([say_event(event, words) for event in step.events], here.event or len(step.events))


def closing(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """When everything has been released: as many free blocks as at the start, in which order?"""
    now = seen_snapshot(timeline, place.cursor)
    if now.sequences or all(step.refusal for step in seen_steps(timeline, place.cursor)):
        return
    before = timeline.start.free_block_ids
    key = "task.all_free_same" if now.free_block_ids == before else "task.all_free"
    values = {"before": " ".join(map(str, before)), "after": " ".join(map(str, now.free_block_ids))}
    st.info(words.text(key, free=len(now.free_block_ids), **values))
