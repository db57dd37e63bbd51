"""The engine's whole source, folded by method. Lines that ran show their order and the values that decided."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape

import streamlit as st

from lab.activities.attempt import encode_cursor
from lab.activities.run import encode_run
from lab.trace.engine_source import SourcePart, split_parts
from lab.trace.line_trace import LineVisit, find_telling_line
from lessons.activity.code_view import format_line_values, trace_operation
from lessons.lesson import highlight
from lessons.server.asset_files import read_assets
from lessons.state import notes
from lessons.state.view import View
from lessons.text.sentences import format_ranges
from lessons.text.translations import Translations
from lessons.widgets.scroll_to_line import follow

HEIGHT = 300  # pixels; source_view.css overrides it
MOST = 4  # visits of a line whose values are shown
FOLDED = 5  # code between methods is folded from this many lines

STYLE = f"<style>\n{read_assets('components/source_view/source_view.css')}</style>"


@dataclass(frozen=True)
class RanLines:
    """What ran in a step up to the cursor.

    visits   (number in running order, visit) of each line.
    now      the numbers of the visits that led to the event in view.
    key      the line that tells most; 0 if none.
    outside  who caused the event in view, if the engine did not.
    """

    visits: tuple[tuple[int, LineVisit], ...] = ()
    now: frozenset[int] = frozenset()
    key: int = 0
    outside: str = ""

    @cached_property
    def by_line(self) -> dict[int, list[tuple[int, LineVisit]]]:
        """The visits by the line in which their statement begins."""
        found: dict[int, list[tuple[int, LineVisit]]] = {}
        for number, visit in self.visits:
            found.setdefault(visit.line, []).append((number, visit))
        return found


def get_ran_lines(view: View, lines: Container[int]) -> RanLines:
    """Return what ran in the step at the cursor. Empty until the learner has done an operation.

    `lines`: the lines that the case is about. At the end of a step, the key line is one of them.
    """
    cursor, begun = view.cursor, len(view.run.operations) > len(view.run.beginning.operations)
    if not cursor.step or not begun:
        return RanLines()
    execution = trace_operation(view.run.config, view.run.operations, cursor.step - 1)
    visits = execution.until(cursor.event)
    now = execution.get_lines_behind(cursor.event) if cursor.event is not None else ()
    outside = execution.outside(cursor.event)
    key = None if outside else find_telling_line(now or [v for v in visits if v.line in lines] or visits)
    return RanLines(
        tuple(enumerate(visits, 1)),
        frozenset(range(len(visits) - len(now) + 1, len(visits) + 1)),
        key.line if key else 0,
        outside,
    )


def draw_source(view: View, methods: tuple[str, ...], lines: Container[int], words: Translations) -> None:
    """Draw the source in a box that scrolls to what ran. Unfolds `methods` and what led to the event in view.

    `lines`: see `get_ran_lines`.
    """
    ran, at = get_ran_lines(view, lines), _format_moment(view)
    method, asked_at, count = notes.get_note("code.jump", ("", "", 0))
    jump = method if asked_at == at else ""
    begins = {part.name: part.first for part in split_parts() if part.name}
    unfolded = {*methods, *(visit.function for number, visit in ran.visits if number in ran.now), jump}
    st.html(STYLE)
    if ran.outside:
        st.markdown(words.text(f"code.outside_{ran.outside}"))
    with st.container(height=HEIGHT, key="source", gap=None):  # source_view.css sets the height
        for part in split_parts():
            st.html(_build_part(part, ran, words, unfolded=part.name in unfolded))
    last = ran.key or (ran.visits[-1][1].line if ran.visits else 0)
    target = begins.get(jump) or last or begins[methods[0]]
    follow(key="follow", line=target, stamp=f"{at}/{jump}/{count}/{words.language}", focus=bool(jump), top=not last)


def draw_jump_buttons(view: View, places: Mapping[str, list[int]], key: str, words: Translations) -> None:
    """Draw a button for each method with its lines. It scrolls the box to the method."""
    for method, lines in places.items():
        label = words.text("code.jump", method=method, lines=format_ranges(tuple(lines), words))
        st.button(label, key=f"{key}.{method}", on_click=_jump, args=(method, _format_moment(view)))


def _jump(method: str, at: str) -> None:
    """Scroll to the method. The count makes a second press scroll again."""
    *_, count = notes.get_note("code.jump", ("", "", 0))
    notes.set_note("code.jump", (method, at, count + 1))


def _format_moment(view: View) -> str:
    """Name the moment in view. A jump ends when the moment changes."""
    return f"{encode_run(view.run)}@{encode_cursor(view.cursor)}"


def _build_part(part: SourcePart, ran: RanLines, words: Translations, *, unfolded: bool) -> str:
    numbers = range(part.first, part.last + 1)
    rows = f'<ol role="list">{"".join(_build_row(line, ran, words, between=not part.name) for line in numbers)}</ol>'
    if not part.name and len(numbers) < FOLDED:
        return f'<div class="kv-src">{rows}</div>'
    name = f"<code>{escape(part.name)}</code>" if part.name else escape(words.text("code.head"))
    span = escape(words.text("code.lines", first=part.first, last=part.last))
    count = sum(line in ran.by_line for line in numbers)
    did = f" · {escape(words.text('code.ran', count=count))}" if count else ""
    return (
        f'<details class="kv-src"{" open" if unfolded else ""}><summary>{name} · {span}{did}</summary>{rows}</details>'
    )


def _build_row(line: int, ran: RanLines, words: Translations, *, between: bool) -> str:
    visits = ran.by_line.get(line, [])
    shown = [(n, v) for n, v in visits if n in ran.now] or visits
    now = bool(shown) and shown[0][0] in ran.now
    marks = " ".join(name for name, is_so in (("ran", visits), ("now", now), ("key", line == ran.key)) if is_so)
    current = ' aria-current="step"' if now else ""
    orders = ", ".join(str(n) for n, _ in shown[:MOST]) + (", …" if len(shown) > MOST else "")
    order = (
        f'<span class="o"><span aria-hidden="true">{"▶" if now else "•"} {orders}</span>'
        f'<span class="said">{escape(words.text("code.ran_as", orders=orders))}</span></span>'
        if visits
        else '<span class="o"></span>'
    )
    values = [(n, format_line_values(v)) for n, v in shown[:MOST]]
    texts = "".join(
        f'<span class="v">{f"{n}: " if len(shown) > 1 else ""}{escape(text)}</span>' for n, text in values if text
    )
    inner = max(0, highlight.measure_indent(line) - 4)  # methods are indented by four spaces
    return (
        f'<li data-line="{line}" class="{marks}"{current}>'
        f'<span class="n">{line}</span>{order}'
        f'<code{" class=between" if between else ""} style="--in: {inner}">'
        f"{highlight.highlight_lines()[line - 1]}</code>{texts}</li>"
    )
