"""How a change of the pool or the requests changed the outcome of the operations so far."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor
from lab.sandbox.log import LogStep
from lab.sandbox.resize import Changed, compare_runs
from lab.sandbox.scenario import Scenario
from lab.trace.timeline import Step, join_steps
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.fields import get_stop
from lessons.sandbox.sentences import format_ending, get_pool
from lessons.state import runs
from lessons.state.slots import Track
from lessons.text.scenario_texts import format_step
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets import cards

SHOWN = 6  # operations listed before the rest is folded
_BEFORE = Track("sandbox_before", "at_sandbox_before")  # never in the address: caches the run of the previous scenario


def draw_comparison(view: SandboxView, words: Translations) -> None:
    """After a change that ran operations again, list those that now end differently."""
    before = sandbox.get_compared()
    if before is None or _only_words(before, view.scenario):
        return
    remaining = _list_remaining(before, view.scenario)
    limit = get_stop()
    if not remaining or not (view.scenario.operations or limit) or _only_adds(before, view.scenario):
        return
    steps = view.scenario.steps
    if [*map(_identify, remaining[: len(steps)])] != [*map(_identify, steps)]:
        return
    was = _join(remaining, runs.run_on_engine(_BEFORE, before.config, before.operations).steps)
    now = _join(steps, view.timeline.steps)
    position_of = {step.index: position for position, step in enumerate(was)}
    changed = [(position_of[each.step], each) for each in compare_runs(was, now)]
    with st.container(border=True, key="sandbox_compared", gap="small"):
        cards.draw_heading(3, words.text("sandbox.compared"))
        cards.draw_headline("", _format_summary(before, view.scenario, len(changed), len(now), words))
        if limit:
            st.warning(
                words.text("sandbox.stopped", first=len(now) + 1, last=len(was), reason=format_error(limit, words))
            )
        for at, each in changed[:SHOWN]:
            _draw_entry(steps[at], each, (was[at], now[at]), words)
        if rest := changed[SHOWN:]:
            with st.expander(
                words.text("sandbox.compared_more", count=len(rest)), key="sandbox_compared_more", on_change="rerun"
            ) as more:
                for at, each in rest if more.open else ():
                    _draw_entry(steps[at], each, (was[at], now[at]), words)


def _list_remaining(before: Scenario, now: Scenario) -> list[LogStep]:
    """List the steps of the old log that have a request which still exists."""
    names = {request.seq_id for request in now.requests}
    return [step for step in before.steps if any(operation.seq_id in names for operation in step.operations)]


def _identify(step: LogStep) -> tuple[object, ...]:
    """What is the same for a step that unfolds into another number of operations now."""
    if step.group is None:
        return step.operations
    return step.group.kind, step.group.times, step.operations[0] if step.group.kind != "decode" else None


def _join(steps: Sequence[LogStep], run: Sequence[Step]) -> list[Step]:
    return [join_steps(run[step.first - 1 : step.last]) for step in steps]


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


def _draw_entry(step: LogStep, changed: Changed, runs_of_it: tuple[Step, Step], words: Translations) -> None:
    """Draw a step as a button to its place, with its outcome in the run before the change and in the run after it."""
    label = words.text("sandbox.compared_step", step=step.last, operation=format_step(step, words))
    with st.container(gap=None):
        st.button(
            label, type="tertiary", key=f"sandbox_to_{step.last}", on_click=sandbox.move, args=(Cursor(step.last),)
        )
        what = words.text("figures.semicolon").join(words.text(f"sandbox.what.{name}") for name in changed.what)
        sides = zip(("sandbox.before", "sandbox.now"), runs_of_it, strict=True)
        rows = "<br>".join(escape(words.text(key, ending=format_ending([run], words))) for key, run in sides)
        st.html(f'<p class="kv-ending"><strong>{escape(what)}</strong><br>{rows}</p>')
