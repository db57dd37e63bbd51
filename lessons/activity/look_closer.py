"""Behind the picture: life cycle, code, ref_count, fragmentation, invariants, tensor. Only the open tab is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from lab.figures.fragmentation import fragmentation_picture
from lab.figures.lifecycle import lifecycle_picture, stages
from lab.figures.picture import Picture
from lab.figures.refcount import ledger, refcount_picture
from lab.figures.theme import dark_colors
from lab.trace.kv_cache import choose_device
from lessons.activity.code_view import code_view
from lessons.activity.run_panel import seen_snapshot, seen_steps
from lessons.state import attempts
from lessons.state.view import Place
from lessons.text.findings import findings_said
from lessons.text.sentences import listed, ranges
from lessons.text.translations import WordsOf
from lessons.widgets import cards
from lessons.widgets.plot import draw

if TYPE_CHECKING:
    from lab.trace.snapshot import Snapshot
    from lab.trace.timeline import Timeline

INVARIANTS = ("free_used", "ref_count", "table_length", "used_ref")
TABS = ("lifecycle", "code", "refcount", "fragmentation", "checks", "tensor")


def look_closer(place: Place, timeline: Timeline, words: WordsOf) -> None:
    """Six views of the state at the cursor, one at a time."""
    cards.heading(3, words.text("task.look_closer"))
    tabs = st.tabs([words.text(f"task.tab_{name}") for name in TABS], key="look_closer", on_change="rerun")
    snapshot = seen_snapshot(timeline, place.cursor)
    for name, tab in zip(TABS, tabs, strict=True):
        if not tab.open:
            continue
        with tab:
            if name == "lifecycle":
                _lifecycle(place, timeline, words)
            elif name == "code":
                code_view(place, words)
            elif name == "refcount":
                _refcount(place, timeline, snapshot, words)
            elif name == "fragmentation":
                _show(fragmentation_picture(snapshot, words, columns=attempts.columns()), "fragmentation", words)
            elif name == "checks":
                _checks(place, timeline, snapshot, words)
            else:
                _tensor(place, timeline, snapshot, words)


def _show(picture: Picture, key: str, words: WordsOf) -> None:
    st.markdown(picture.sentence)
    draw(picture.spec, key=key, label=picture.sentence, dark_colors=dark_colors())
    with st.expander(words.text("task.as_table"), key=f"{key}_table", on_change="rerun") as table:
        if table.open:
            st.table(picture.table, hide_index=True)


def _lifecycle(place: Place, timeline: Timeline, words: WordsOf) -> None:
    here = place.cursor
    lit: tuple[str, ...] = ()
    if here.step:
        events = timeline.steps[here.step - 1].events
        chosen = events if here.event is None else events[here.event - 1 : here.event]
        lit = tuple(dict.fromkeys(stage for event in chosen for stage in stages(event)))
    _show(lifecycle_picture(lit, words, columns=attempts.columns()), "lifecycle", words)


def _refcount(place: Place, timeline: Timeline, snapshot: Snapshot, words: WordsOf) -> None:
    steps = seen_steps(timeline, place.cursor)
    event, inside = place.cursor.event, None
    if event is not None:
        inside = (event, len(timeline.steps[place.cursor.step - 1].events))
    _show(refcount_picture(steps, words, columns=attempts.columns(), inside=inside), "refcount", words)
    st.markdown(f"**{words.text('task.ledger')}**")
    if any(view.block_table for view in snapshot.sequences):
        st.table(ledger(snapshot, words), hide_index=True)
    else:
        st.markdown(words.text("task.ledger_empty"))


def _checks(place: Place, timeline: Timeline, snapshot: Snapshot, words: WordsOf) -> None:
    inside = place.cursor.event is not None
    broken = snapshot.findings()
    lights = {name: findings_said(broken.get(name, ()), words) for name in INVARIANTS}
    unfinished = {"table_length"} if snapshot.tables_in_progress else set[str]()
    if not inside:
        proofs = timeline.proofs(place.cursor.step)
        lights["kv"] = listed((proof.seq_id for proof in proofs if not proof.bit_equal), words)
    lines = [
        f"{_light(detail, inside or name in unfinished, words)} · {words.text(f'task.invariants.{name}')}"
        for name, detail in lights.items()
    ]
    if inside:  # the tensor holds what the whole operation wrote, so it proves nothing about a moment within it
        lines.append(f"◐ {words.text('task.invariants.in_progress')} · {words.text('task.invariants.kv')}")
    st.markdown(words.text("task.invariants.title"))
    st.markdown("\n".join(f"- {line}" for line in lines))
    if not inside:
        _left_out(snapshot, words)


def _left_out(snapshot: Snapshot, words: WordsOf) -> None:
    """Whose KV is not compared, since their last token has none yet."""
    if snapshot.waiting:
        st.markdown(words.text("task.proof.waiting", seq_ids=listed(snapshot.waiting, words)))


def _light(detail: str, inside: bool, words: WordsOf) -> str:
    if not detail:
        return f"● {words.text('task.invariants.holds')}"
    if inside:
        return f"◐ {words.text('task.invariants.in_progress')}"
    return f"✕ {words.text('task.invariants.broken', detail=detail)}"


def _tensor(place: Place, timeline: Timeline, snapshot: Snapshot, words: WordsOf) -> None:
    device = choose_device()
    st.markdown(words.text("task.proof.lead"))
    key = "cuda" if not device.reason else "cpu" if device.reason == "no_cuda" else "cpu_refused"
    st.markdown(words.text(f"task.proof.device_{key}", device=device.name, reason=device.reason))
    st.markdown(words.text("task.proof.shape", shape=tuple(timeline.cache.pool.shape)))
    if place.cursor.event is not None:
        st.info(words.text("task.proof.inside"))
        return
    proofs = timeline.proofs(place.cursor.step)
    _left_out(snapshot, words)
    if not proofs:
        if not snapshot.waiting:
            st.markdown(words.text("task.proof.none"))
        return
    rows = [
        {
            words.text("task.proof.request"): proof.seq_id,
            words.text("task.proof.slots"): ranges(proof.slots, words),
            words.text("task.proof.paged"): _numbers(proof.paged),
            words.text("task.proof.contiguous"): _numbers(proof.contiguous),
            words.text("task.proof.difference"): str(proof.difference),
            words.text("task.proof.equal"): words.text(f"task.proof.equal_{'yes' if proof.bit_equal else 'no'}"),
        }
        for proof in proofs
    ]
    st.table(pd.DataFrame(rows), hide_index=True)


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:+.4f}" for value in values[:4])
