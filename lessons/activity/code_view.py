"""The engine's lines that ran in the operation in view, in order, with the values that decided."""

from __future__ import annotations

from functools import lru_cache
from html import escape

import streamlit as st

from lab.trace.config import Config
from lab.trace.line_trace import Execution, LineVisit, trace_step
from lab.trace.operations import Operation
from lessons.state.view import View
from lessons.text.translations import Translations

# All sessions share the cache: the same run always has the same trace.
_trace_cached = lru_cache(maxsize=64)(trace_step)


def draw_code(view: View, words: Translations) -> None:
    """Draw the lines of the step at the cursor. Inside a step, mark those that led to the event in view."""
    cursor = view.cursor
    if not cursor.step:
        st.markdown(words.text("code.nothing"))
        return
    st.markdown(words.text("code.lead"))
    execution = trace_operation(view.run.config, view.run.operations, cursor.step - 1)
    source = execution.source.splitlines()
    current = set(map(id, execution.get_lines_behind(cursor.event))) if cursor.event is not None else set()
    if outside := execution.outside(cursor.event):
        st.markdown(words.text(f"code.outside_{outside}"))
    rows = "".join(_build_row(visit, source, id(visit) in current, words) for visit in execution.visits)
    st.html(f'<ol class="kv-code">{rows}</ol>' if rows else f"<p>{escape(words.text('code.none'))}</p>")


def trace_operation(config: Config, operations: tuple[Operation, ...], index: int) -> Execution:
    """Trace `operations[index]`; later operations are ignored. Raises what `trace_step` raises."""
    return _trace_cached(config, operations[: index + 1], index)


def format_line_values(visit: LineVisit) -> str:
    """The values that the line used, then its results."""
    used = [f"{text} = {value}" for text, value in (*visit.because, *visit.values)]
    results = [f"→ {text} = {value}" if text != "return" else f"→ return {value}" for text, value in visit.results]
    return "; ".join(used + results)


def _build_row(visit: LineVisit, source: list[str], is_current: bool, words: Translations) -> str:
    code = " ".join(line.strip() for line in source[visit.line - 1 : visit.end_line])
    place = words.text("code.place", function=visit.function, line=visit.line)
    mark = ' aria-current="step"' if is_current else ""
    return (
        f'<li{mark} style="margin-left: {visit.depth}rem"><span class="where">{escape(place)}</span>'
        f'<code>{escape(code)}</code><span class="facts">{escape(format_line_values(visit))}</span></li>'
    )
