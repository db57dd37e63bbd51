"""Run: operations as buttons, the picture, the events of the step in view, one quick question."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from lab.link import Cursor
from lab.operations import Allocate, Append, Operation, Release, operation_text
from lab.quick_check import Option, QuickCheck, quick_check
from lab.snapshot import Snapshot, difference
from lessons import cards, record, state
from lessons.operation_buttons import OperationButton, operation_buttons
from lessons.plot import draw
from lessons.say import say_error, say_event, say_operation
from lessons.text import WordsOf

if TYPE_CHECKING:
    from lab.timeline import Step, Timeline

# The order that the chapter suggests; every one may be pressed at any time.
SUGGESTED: tuple[Operation, ...] = (Allocate("A"), Allocate("B"), Append("B"), Release("A"), Release("B"))


def seen_steps(timeline: Timeline, cursor: Cursor) -> list[Step]:
    """The steps up to the cursor, the one it stands in included."""
    return timeline.steps[: cursor.step]


def seen_snapshot(timeline: Timeline, cursor: Cursor) -> Snapshot:
    """The state at the cursor."""
    if cursor.event is not None:
        return timeline.steps[cursor.step - 1].snapshots[cursor.event - 1]
    return timeline.snapshot(cursor.step)


def buttons(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """The operations; the suggested next one stands out, none is forbidden: what cannot be done is refused."""
    done = {step.operation for step in timeline.steps if step.refusal is None}
    suggested = next((operation for operation in SUGGESTED if operation not in done), None)
    operation_buttons(
        [
            OperationButton(
                operation_text(operation),
                say_operation(operation, words),
                suggested=operation == suggested,
                disabled=not place.at_end,
                hint=words.text("task.suggested") if operation == suggested and place.at_end else "",
            )
            for operation in SUGGESTED
        ],
        index=len(place.run.operations),
        key="operations",
        on_press=partial(state.operate, place.track),
        label=words.text("task.buttons_label"),
    )
    if refusal := state.told():
        st.warning(say_error(refusal, words))


def time_travel(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """Forwards and back, by operation and by event; the position in words. Every target is absolute."""
    here, total = place.cursor, len(timeline.steps)
    events = len(timeline.steps[here.step - 1].events) if here.step else 0
    shown = events if here.event is None else here.event
    targets = (
        ("first", ":material/first_page:", Cursor(0)),
        ("back", ":material/chevron_left:", Cursor(here.step - 1)),  # from inside a step, back to before it
        ("event_back", ":material/remove:", Cursor(here.step, shown - 1)),
        ("event_forward", ":material/add:", Cursor(here.step, shown + 1 if shown + 1 < events else None)),
        ("forward", ":material/chevron_right:", Cursor(here.step + (here.event is None))),
        ("last", ":material/last_page:", Cursor(total)),
    )
    with st.container(horizontal=True, vertical_alignment="center", key="time_travel"):
        for name, icon, target in targets:
            if name.startswith("event"):
                possible = shown >= 2 if name == "event_back" else shown < events
            else:
                possible = 0 <= target.step <= total and target != here
            st.button(
                words.text(f"task.{name}"),
                icon=icon,
                key=f"go_{name}",
                disabled=not possible,
                on_click=state.look,
                args=(place.track, None if target == Cursor(total) else target),
            )
        st.markdown(_position(here, timeline, words))
    if not place.at_end:
        with st.container(horizontal=True, vertical_alignment="center", key="looking_back"):
            st.markdown(words.text("task.looking_back"))
            st.button(
                words.text("task.return_to_end"), key="return_to_end", on_click=state.look, args=(place.track, None)
            )


def _position(here: Cursor, timeline: Timeline, words: WordsOf) -> str:
    total = len(timeline.steps)
    if here.step == 0:
        return words.text("task.position_start", total=total)
    step = timeline.steps[here.step - 1]
    values = {"step": here.step, "total": total, "operation": say_operation(step.operation, words)}
    if here.event is None:
        return words.text("task.position", **values)
    return words.text("task.position_event", event=here.event, events=len(step.events), **values)


def picture(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """The memory picture at the cursor, its sentence above it and its table behind it."""
    from lab.figures.memory import memory_picture  # noqa: PLC0415  (after the warm-up)
    from lab.figures.theme import dark_colors  # noqa: PLC0415

    here = place.cursor
    snapshot = seen_snapshot(timeline, here)
    changed, selected = None, None
    if here.step:
        step = timeline.steps[here.step - 1]
        before = step.before
        if here.event is not None and here.event > 1:
            before = step.snapshots[here.event - 2]
        changed, selected = difference(before, snapshot), step.operation.seq_id
    drawn = memory_picture(snapshot, words, changed=changed, selected=selected, columns=state.columns())
    cards.headline(_what_now(place, timeline, words), drawn.sentence)
    draw(
        drawn.figure,
        key="memory",
        label=drawn.sentence,
        dark_colors=dark_colors(),
        on_columns=state.set_columns,
        columns=state.columns(),
    )
    with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
        if table.open:
            st.table(drawn.table, hide_index=True)


def _what_now(place: state.Place, timeline: Timeline, words: WordsOf) -> str:
    """The event that one stands behind, or why the newest operation was refused; empty where neither applies."""
    here = place.cursor
    if here.step == 0:
        return ""
    step = timeline.steps[here.step - 1]
    if here.event is not None:
        return say_event(step.events[here.event - 1], words)
    return say_event(step.refusal, words) if step.refusal else ""


def events(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """What the step in view did, one event under another, the current one marked."""
    here = place.cursor
    if here.step == 0:
        return
    step = timeline.steps[here.step - 1]
    title = f"{words.text('task.events_title')} · {say_operation(step.operation, words)}"
    if step.refusal:
        title += f" · {words.text('task.refused_mark')}"
    st.markdown(f"### {title}")
    cards.event_list([say_event(event, words) for event in step.events], here.event or len(step.events))


def question(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """After the newest operation: what happened? Answered once; the answer is the step's own."""
    if not place.at_end or not timeline.steps:
        return
    step = timeline.steps[-1]
    asked = quick_check(step)
    by_id = {option.id: option for option in asked.options}
    key = f"check.{len(timeline.steps)}.{asked.kind}.{asked.seq_id}"
    earlier = record.checked(place.run)
    st.markdown(f"### {words.text('task.check_title')}")
    chosen = st.radio(
        words.text(f"task.check.{asked.kind}", seq_id=asked.seq_id),
        list(by_id),
        index=list(by_id).index(earlier) if earlier in by_id else None,
        key=key,
        format_func=lambda option_id: _option(asked, by_id[option_id], words),
        on_change=lambda: record.add_check(place.run, state.field(key)),
    )
    if chosen is None:
        return
    if chosen == asked.answer:
        st.success(words.text("task.check_right"), icon=":material/check:")
    else:
        right = _option(asked, by_id[asked.answer], words)
        st.warning(f"{words.text('task.check_wrong')} {words.text('task.engine')}: {right}", icon=":material/info:")


def _option(asked: QuickCheck, option: Option, words: WordsOf) -> str:
    name = f"{option.id}_none" if option.id == "joined" and not option.ids else option.id
    return words.text(f"task.option.{asked.kind}_{name}", ids=", ".join(map(str, option.ids)))


def closing(place: state.Place, timeline: Timeline, words: WordsOf) -> None:
    """When everything has been released: as many free blocks as at the start, in which order?"""
    now = seen_snapshot(timeline, place.cursor)
    if now.sequences or all(step.refusal for step in seen_steps(timeline, place.cursor)):
        return
    before = timeline.start.free_block_ids
    key = "task.all_free_same" if now.free_block_ids == before else "task.all_free"
    values = {"before": " ".join(map(str, before)), "after": " ".join(map(str, now.free_block_ids))}
    st.info(words.text(key, free=len(now.free_block_ids), **values))
