"""The engine's own lines that the operation in view ran, in order, with the values that decided."""

from __future__ import annotations

from functools import lru_cache
from html import escape

import streamlit as st

from lab.trace.config import Config
from lab.trace.line_trace import Execution, LineVisit, trace_step
from lab.trace.operations import Operation
from lessons.state.view import View
from lessons.text.translations import Translations

# The same run means the same trace, whoever looks at it.
_traced = lru_cache(maxsize=64)(trace_step)


def draw_code(place: View, words: Translations) -> None:
    """The lines of the step at the cursor; inside the step, those that led to the event in view are marked."""
    here = place.cursor
    if not here.step:
        st.markdown(words.text("code.nothing"))
        return
    st.markdown(words.text("code.lead"))
    execution = trace_operation(place.run.config, place.run.operations, here.step - 1)
    source = execution.source.splitlines()
    now = set(map(id, execution.get_lines_behind(here.event))) if here.event is not None else set()
    if outside := execution.outside(here.event):
        st.markdown(words.text(f"code.outside_{outside}"))
    rows = "".join(_build_row(visit, source, id(visit) in now, words) for visit in execution.visits)
    st.html(f'<ol class="kv-code">{rows}</ol>' if rows else f"<p>{escape(words.text('code.none'))}</p>")


def trace_operation(config: Config, operations: tuple[Operation, ...], index: int) -> Execution:
    """The trace of `operations[index]`; what comes after it does not count. Raises as trace_step."""
    return _traced(config, operations[: index + 1], index)


def format_line_values(visit: LineVisit) -> str:
    """The values that the line had, then what came of it."""
    read = [f"{text} = {value}" for text, value in (*visit.because, *visit.values)]
    came = [f"→ {text} = {value}" if text != "return" else f"→ return {value}" for text, value in visit.results]
    return "; ".join(read + came)


def _build_row(visit: LineVisit, source: list[str], now: bool, words: Translations) -> str:
    code = " ".join(line.strip() for line in source[visit.line - 1 : visit.end_line])
    place = words.text("code.place", function=visit.function, line=visit.line)
    mark = ' aria-current="step"' if now else ""
    return (
        f'<li{mark} style="margin-left: {visit.depth}rem"><span class="where">{escape(place)}</span>'
        f'<code>{escape(code)}</code><span class="facts">{escape(format_line_values(visit))}</span></li>'
    )
