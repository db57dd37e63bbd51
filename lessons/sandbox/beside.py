"""vLLM beside nano-vLLM: the same operations in both, stepped by one cursor, with the step in which they part.

The address key `beside` names the other engine, or is `none`; without it a prepared scenario's own engine runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

import streamlit as st

from lab.activities.attempt import Cursor, Run
from lab.engine.errors import LabError
from lab.figures.beside import BesidePicture, draw_beside
from lab.figures.theme import get_dark_colors
from lab.sandbox.library import LIBRARY, get_prompt_after
from lab.trace.config import Engine
from lab.trace.parting import Parting, find_parting
from lab.trace.timeline import Timeline
from lessons.activity import run_panel
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxAttempt
from lessons.sandbox.fields import draw_remark
from lessons.server.asset_files import read_assets
from lessons.state import attempts, notes, presenting
from lessons.state.view import Track
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets import cards
from lessons.widgets.plot import draw

KEY = "beside"
_NONE = "none"
_ENGINES = tuple(engine for engine in get_args(Engine) if engine != "nano_vllm")
_FIELD = "sandbox_beside"
_TRACK = Track("sandbox_beside", "at_sandbox_beside")  # never in the address: caches the other engine's run
_STYLE = f"<style>\n{read_assets('components/sandbox/beside.css')}</style>"


@dataclass(frozen=True)
class EnginePair:
    """Both runs of the whole log, and where they part. Or `problem`: why the other engine cannot run it."""

    theirs: Timeline | None
    parting: Parting | None = None
    problem: LabError | None = None

    @property
    def parted_at(self) -> int | None:
        """The operation in which they part, counted from 1."""
        return self.parting.step + 1 if self.parting else None


def find_pair(attempt: SandboxAttempt) -> EnginePair | None:
    """Run the log on the other engine, if one is chosen."""
    engine = _read_engine(attempt)
    if engine is None:
        return None
    try:
        run = Run(attempt.scenario.config.run_by(engine), None, attempt.scenario.operations)
        theirs = attempts.get_timeline(run, _TRACK)
    except LabError as problem:  # nothing but the null block, or a limit of the lab
        return EnginePair(None, problem=problem)
    return EnginePair(theirs, find_parting(attempt.timeline, theirs))


def draw_pair(attempt: SandboxAttempt, pair: EnginePair, words: Translations) -> None:
    """Draw both memory pictures at the cursor, the sentence on where the engines part, and the table."""
    if pair.theirs is None:
        if pair.problem:
            st.warning(words.text("beside.stopped", reason=format_error(pair.problem, words)))
        run_panel.draw_picture(attempt.view, attempt.timeline, words)
        return
    st.html(_STYLE)
    both = draw_beside(
        attempt.timeline,
        pair.theirs,
        pair.parting,
        words,
        step=attempt.cursor.step,
        event=attempt.cursor.event,
        selected=notes.get_note("selected"),
    )
    with st.container(key="beside_view"):
        # Before a class, the reason may be the point that is still covered.
        covered = presenting.is_hidden() and get_prompt_after(attempt.scenario, attempt.cursor.step) is not None
        cards.draw_headline(both.where, "" if covered and both.where else both.sentence)
        for number, column in enumerate(st.columns(2, gap="small", vertical_alignment="bottom")):
            with column:
                _draw_engine(both, number)
        with st.expander(words.text("task.as_table"), key="memory_table", on_change="rerun") as table:
            if table.open:
                st.table(both.table, hide_index=True)


def _draw_engine(both: BesidePicture, number: int) -> None:
    name, picture = both.names[number], both.pictures[number]
    st.markdown(f"**{name}**")
    draw(
        picture.spec,
        key="memory_beside" if number else "memory",
        label=f"{name}: {picture.sentence}",
        dark_colors=get_dark_colors(),
        on_click=run_panel.select,
    )


def draw_choice(attempt: SandboxAttempt, pair: EnginePair | None, words: Translations, *, tells_ahead: bool) -> None:
    """Draw the choice of the other engine, a button to the parting step if it may be told, and the versions."""
    if attempt.problem is not None:
        return
    notes.set_field(_FIELD, _read_engine(attempt) or _NONE)
    st.segmented_control(
        words.text("beside.choose"),
        (_NONE, *_ENGINES),
        key=_FIELD,
        required=True,
        format_func=lambda name: words.text(f"beside.chosen_{name}"),
        on_change=_choose,
    )
    if pair is None:
        return
    at = pair.parted_at
    if at is not None and attempt.cursor != Cursor(at) and (tells_ahead or at <= attempt.cursor.step):
        label = words.text("beside.to_part", step=at)
        st.button(label, key="beside_to_part", on_click=sandbox.move, args=(Cursor(at),))
    draw_remark(words.text("beside.caption"))
    if tells_ahead or (at is not None and at <= attempt.cursor.step):
        draw_remark(words.text("beside.changed"))


def _read_engine(attempt: SandboxAttempt) -> Engine | None:
    """The engine that the address names; without a name, the prepared scenario's."""
    prepared = LIBRARY.get(attempt.scenario.key)
    usual = prepared.beside if prepared else None
    text = attempts.get_value(KEY)
    if text == _NONE:
        return None
    if text in _ENGINES:
        return cast(Engine, text)
    if text:
        attempts.add_unread(KEY)
    return usual


def _choose() -> None:
    """In a callback: write the choice into the address."""
    attempts.set_value(KEY, str(notes.get_field(_FIELD) or ""))
