"""The setup of a sandbox: the pool, its free queue and the requests. A change runs the same operations again."""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from lab.activities.answer import parse_item
from lab.sandbox.queue import Queue, complete_queue, shorten_queue
from lab.sandbox.scenario import Scenario
from lab.trace.config import MAX_BLOCK_SIZE, MAX_BLOCKS
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.comparison import draw_comparison
from lessons.sandbox.fields import change, draw_remark, fill_field, get_refusal
from lessons.sandbox.writing.requests import draw_requests
from lessons.server.asset_files import read_assets
from lessons.state import notes
from lessons.text.sentences import format_list
from lessons.text.translations import Translations
from lessons.widgets.question_form import draw_problem

QUEUES = ("fresh", "used", "typed")
_BLOCKS, _SIZE, _QUEUE, _IDS = "sandbox_blocks", "sandbox_block_size", "sandbox_queue", "sandbox_queue_ids"
_MOST_DIGITS = 400  # characters in the queue field: more than 64 ids need

_STYLE = f"<style>\n{read_assets('components/sandbox/setup.css')}</style>"


def draw_setup(view: SandboxView, words: Translations) -> None:
    """Draw the pool, what the last change did, and the requests. Both parts are open until the first operation."""
    st.html(_STYLE)
    begun = bool(view.scenario.operations)
    with st.expander(words.text("sandbox.pool"), expanded=not begun, key=f"sandbox_pool_{begun}"):
        _draw_pool(view.scenario, words)
    draw_comparison(view, words)
    with st.expander(words.text("sandbox.requests"), expanded=not begun, key=f"sandbox_requests_{begun}"):
        draw_requests(view, words)


def _draw_pool(scenario: Scenario, words: Translations) -> None:
    notes.set_field(_SIZE, scenario.block_size)
    st.slider(words.text("sandbox.block_size"), 1, MAX_BLOCK_SIZE, key=_SIZE, on_change=_set_size)
    notes.set_field(_BLOCKS, scenario.num_blocks)
    st.slider(words.text("sandbox.blocks"), 1, MAX_BLOCKS, key=_BLOCKS, on_change=_set_blocks)
    draw_remark(words.text("sandbox.replays"))
    notes.set_field(_QUEUE, _classify_queue(scenario.queue))
    st.segmented_control(
        words.text("sandbox.queue"),
        QUEUES,
        key=_QUEUE,
        required=True,
        format_func=lambda kind: words.text(f"sandbox.queue_{kind}"),
        on_change=_set_queue,
    )
    if _classify_queue(scenario.queue) != "typed":
        draw_remark(words.text("sandbox.queue_is", ids=format_list(scenario.free_block_ids, words)))
        return
    fill_field(_IDS, " ".join(map(str, shorten_queue(scenario.free_block_ids))))
    with st.form("sandbox_queue_form", border=False):
        label = words.text("sandbox.queue_ids", last=scenario.num_blocks - 1)
        st.text_input(label, key=_IDS, max_chars=_MOST_DIGITS, autocomplete="off")
        draw_remark(words.text("sandbox.queue_is", ids=format_list(scenario.free_block_ids, words)))
        st.form_submit_button(words.text("sandbox.queue_use"), key="sandbox_queue_use", on_click=_set_ids)
    if problem := get_refusal("queue", scenario):
        draw_problem(problem, words)


def _classify_queue(queue: Queue) -> str:
    return queue if isinstance(queue, str) else "typed"


def _set_size() -> None:
    change("pool", lambda scenario: replace(scenario, block_size=int(notes.get_field(_SIZE))), row=_SIZE)


def _set_blocks() -> None:
    def resize(scenario: Scenario) -> Scenario:
        blocks, queue = int(notes.get_field(_BLOCKS)), scenario.queue
        if isinstance(queue, tuple):  # new ids join the tail
            queue = (*(block for block in queue if block < blocks), *range(len(queue), blocks))
        return replace(scenario, num_blocks=blocks, queue=queue)

    change("pool", resize, row=_BLOCKS)


def _set_queue() -> None:
    kind = notes.get_field(_QUEUE)

    def reorder(scenario: Scenario) -> Scenario:
        queue: Queue = scenario.free_block_ids if kind == "typed" else "fresh" if kind == "fresh" else "used"
        return replace(scenario, queue=queue)

    change("pool", reorder)


def _set_ids() -> None:
    change("queue", lambda scenario: replace(scenario, queue=complete_queue(_parse_ids(), scenario.num_blocks)))


def _parse_ids() -> tuple[int, ...]:
    """Return the ids in the field. Raises InvalidAnswerError."""
    pieces = re.split(r"[\s,，、;；]+", str(notes.get_field(_IDS) or "").strip(" \n\t,，、;；"))
    return tuple(map(parse_item, pieces))
