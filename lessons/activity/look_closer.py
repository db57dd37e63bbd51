"""A closer look: life cycle, code, ref_count, fragmentation, invariants, tensor. Only the open tab is computed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lab.figures.fragmentation import draw_fragmentation
from lab.figures.lifecycle import draw_lifecycle, find_stages
from lab.figures.picture import Picture
from lab.figures.refcount import draw_refcount, tabulate_ledger
from lab.trace.kv_cache import Proof
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import choose_device
from lessons.activity.code_view import draw_code
from lessons.activity.next_words import draw_about, format_word, read_proofs
from lessons.activity.run_panel import get_seen_snapshot
from lessons.state import runs, viewport
from lessons.state.view import View
from lessons.text.findings import format_findings
from lessons.text.sentences import format_list, format_ranges
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.picture_panel import draw_picture_panel

INVARIANTS = ("free_used", "ref_count", "table_length", "used_ref")
TABS = ("lifecycle", "code", "refcount", "fragmentation", "checks", "tensor")


def look_closer(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw tabs with six views of the state at the cursor."""
    cards.draw_heading(3, words.text("task.look_closer"))
    tabs = st.tabs([words.text(f"task.tab_{name}") for name in TABS], key="look_closer", on_change="rerun")
    snapshot = get_seen_snapshot(timeline, view.cursor)
    for name, tab in zip(TABS, tabs, strict=True):
        if not tab.open:
            continue
        with tab:
            if name == "lifecycle":
                _draw_lifecycle(view, timeline, words)
            elif name == "code":
                draw_code(view, words)
            elif name == "refcount":
                draw_counts(view, timeline, words, said="above")
            elif name == "fragmentation":
                _show(draw_fragmentation(snapshot, words, columns=viewport.get_columns()), "fragmentation", words)
            elif name == "checks":
                _draw_checks(view, timeline, snapshot, words)
            else:
                _draw_tensor(view, timeline, snapshot, words)


def _show(picture: Picture, key: str, words: Translations) -> None:
    draw_picture_panel(picture, key, words, said="above")


def _draw_lifecycle(view: View, timeline: Timeline, words: Translations) -> None:
    cursor = view.cursor
    stages: tuple[str, ...] = ()
    if cursor.step:
        events = timeline.steps[cursor.step - 1].events
        current = events if cursor.event is None else events[cursor.event - 1 : cursor.event]
        stages = tuple(dict.fromkeys(stage for event in current for stage in find_stages(event)))
    _show(draw_lifecycle(stages, words, columns=viewport.get_columns()), "lifecycle", words)


def draw_counts(view: View, timeline: Timeline, words: Translations, **how: Any) -> None:
    """Draw ref_count over the steps, as draw_picture_panel is told to, and who holds which blocks."""
    event, inside = view.cursor.event, None
    if event is not None:
        inside = (event, len(timeline.steps[view.cursor.step - 1].events))
    steps, snapshot = runs.get_seen_steps(timeline, view.cursor), get_seen_snapshot(timeline, view.cursor)
    drawn = draw_refcount(steps, words, columns=viewport.get_columns(), inside=inside)
    draw_picture_panel(drawn, "refcount", words, **how)
    st.markdown(f"**{words.text('task.ledger')}**")
    if any(sequence.block_table for sequence in snapshot.sequences):
        st.table(tabulate_ledger(snapshot, words), hide_index=True)
    else:
        st.markdown(words.text("task.ledger_empty"))


def _draw_checks(view: View, timeline: Timeline, snapshot: Snapshot, words: Translations) -> None:
    inside = view.cursor.event is not None
    broken = snapshot.findings()
    lights = {name: format_findings(broken.get(name, ()), words) for name in INVARIANTS}
    unfinished = {"table_length"} if snapshot.tables_in_progress else set[str]()
    if not inside:
        proofs = _read_all_proofs(view, timeline, snapshot)
        lights["kv"] = format_list((words.request(proof.seq_id) for proof in proofs if not proof.bit_equal), words)
    lines = [
        f"{_format_light(detail, inside or name in unfinished, words)} · {words.text(f'task.invariants.{name}')}"
        for name, detail in lights.items()
    ]
    if inside:  # the tensor already holds what the whole operation wrote, so it proves nothing about this event
        lines.append(f"◐ {words.text('task.invariants.in_progress')} · {words.text('task.invariants.kv')}")
    st.markdown(words.text("task.invariants.title"))
    st.markdown("\n".join(f"- {line}" for line in lines))
    if not inside:
        _list_left_out(snapshot, words)


def _read_all_proofs(view: View, timeline: Timeline, snapshot: Snapshot) -> tuple[Proof, ...]:
    return read_proofs(timeline, view.cursor.step, [sequence.seq_id for sequence in snapshot.sequences])


def _list_left_out(snapshot: Snapshot, words: Translations) -> None:
    """List the requests whose KV is not compared, because their last token has none yet."""
    if snapshot.waiting:
        st.markdown(words.text("task.proof.waiting", seq_ids=format_list(map(words.request, snapshot.waiting), words)))


def _format_light(detail: str, inside: bool, words: Translations) -> str:
    if not detail:
        return f"● {words.text('task.invariants.holds')}"
    if inside:
        return f"◐ {words.text('task.invariants.in_progress')}"
    return f"✕ {words.text('task.invariants.broken', detail=detail)}"


def _draw_tensor(view: View, timeline: Timeline, snapshot: Snapshot, words: Translations) -> None:
    device = choose_device()
    st.markdown(words.text("task.proof.lead"))
    key = "cuda" if not device.reason else "cpu" if device.reason == "no_cuda" else "cpu_refused"
    st.markdown(words.text(f"task.proof.device_{key}", device=device.name, reason=device.reason))
    st.markdown(words.text("task.proof.shape", shape=tuple(timeline.cache.pool.shape)))
    if view.cursor.event is not None:
        st.info(words.text("task.proof.inside"))
        return
    proofs = _read_all_proofs(view, timeline, snapshot)
    _list_left_out(snapshot, words)
    if not proofs:
        if not snapshot.waiting:
            st.markdown(words.text("task.proof.none"))
        return
    rows = [
        {
            words.text("task.proof.request"): words.request(proof.seq_id),
            words.text("task.proof.slots"): format_ranges(proof.slots, words),
            words.text("task.proof.paged"): format_word(proof.paged, words),
            words.text("task.proof.contiguous"): format_word(proof.contiguous, words),
            words.text("task.proof.difference"): str(proof.difference),
            words.text("task.proof.equal"): words.text(f"task.proof.equal_{'yes' if proof.bit_equal else 'no'}"),
        }
        for proof in proofs
    ]
    st.table(pd.DataFrame(rows), hide_index=True)
    draw_about(words)
