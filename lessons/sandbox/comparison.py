"""How a change of the pool or the requests changed the outcome of the operations so far."""

from __future__ import annotations

from html import escape

import streamlit as st

from lab.activities.attempt import Cursor
from lab.sandbox.resize import Changed, compare_runs
from lab.sandbox.scenario import Scenario
from lab.trace.timeline import Step
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxAttempt
from lessons.sandbox.fields import get_stop
from lessons.sandbox.sentences import format_ending, get_pool
from lessons.state import runs
from lessons.state.slots import Track
from lessons.text.sentences import format_error, format_operation
from lessons.text.translations import Translations
from lessons.widgets import cards

SHOWN = 6  # operations listed before the rest is folded
_BEFORE = Track("sandbox_before", "at_sandbox_before")  # never in the address: caches the run of the previous scenario


def draw_comparison(attempt: SandboxAttempt, words: Translations) -> None:
    """After a change that ran operations again, list those that now end differently."""
    before = sandbox.get_compared()
    if before is None or _only_words(before, attempt.scenario):
        return
    remaining = _list_remaining(before, attempt.scenario)
    limit = get_stop()
    if not remaining or not (attempt.scenario.operations or limit) or _only_adds(before, attempt.scenario):
        return
    old = runs.run_on_engine(_BEFORE, before.config, before.operations).steps
    was, now = [old[i] for i in remaining], attempt.timeline.steps
    if [step.operation for step in was[: len(now)]] != [step.operation for step in now]:
        return
    position_of = {index: position for position, index in enumerate(remaining)}
    changed = list(compare_runs(was, now))
    with st.container(border=True, key="sandbox_compared", gap="small"):
        cards.draw_heading(3, words.text("sandbox.compared"))
        cards.draw_headline("", _format_summary(before, attempt.scenario, len(changed), len(now), words))
        if limit:
            st.warning(
                words.text("sandbox.stopped", first=len(now) + 1, last=len(was), reason=format_error(limit, words))
            )
        for each in changed[:SHOWN]:
            _draw_entry(each, position_of[each.step], was, now, words)
        if rest := changed[SHOWN:]:
            with st.expander(
                words.text("sandbox.compared_more", count=len(rest)), key="sandbox_compared_more", on_change="rerun"
            ) as more:
                for each in rest if more.open else ():
                    _draw_entry(each, position_of[each.step], was, now, words)


def _list_remaining(before: Scenario, now: Scenario) -> list[int]:
    """List the operations of the old log whose requests still exist."""
    names = {request.seq_id for request in now.requests}
    return [i for i, operation in enumerate(before.operations) if operation.seq_id in names]


def _only_words(before: Scenario, now: Scenario) -> bool:
    """Whether the change is one that the engine does not see."""
    same_run = before.config == now.config and before.operations == now.operations
    return same_run and before.script != now.script


def _only_adds(before: Scenario, now: Scenario) -> bool:
    """Whether the change only added requests, which no operation uses yet."""
    return get_pool(before) == get_pool(now) and now.requests[: len(before.requests)] == before.requests


def _format_summary(before: Scenario, now: Scenario, changed: int, of: int, words: Translations) -> str:
    what = words.text("sandbox.changed_other")
    if before.block_size != now.block_size:
        what = words.text("sandbox.changed_size", before=before.block_size, now=now.block_size)
    elif before.num_blocks != now.num_blocks:
        what = words.text("sandbox.changed_blocks", before=before.num_blocks, now=now.num_blocks)
    key = {0: "sandbox.compared_none", 1: "sandbox.compared_one"}.get(changed, "sandbox.compared_some")
    return words.text(key, what=what, changed=changed, of=of)


def _draw_entry(changed: Changed, position: int, was: list[Step], now: list[Step], words: Translations) -> None:
    """Draw an operation as a button to its step, with its outcome before and after the change."""
    label = words.text("sandbox.compared_step", step=position + 1, operation=format_operation(changed.operation, words))
    with st.container(gap=None):
        st.button(
            label, type="tertiary", key=f"sandbox_to_{position}", on_click=sandbox.move, args=(Cursor(position + 1),)
        )
        what = words.text("figures.semicolon").join(words.text(f"sandbox.what.{name}") for name in changed.what)
        sides = (("sandbox.before", was[position]), ("sandbox.now", now[position]))
        rows = "<br>".join(escape(words.text(key, ending=format_ending([step], words))) for key, step in sides)
        st.html(f'<p class="kv-ending"><strong>{escape(what)}</strong><br>{rows}</p>')
