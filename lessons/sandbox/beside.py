"""vLLM beside nano-vLLM: the same operations in both, stepped by one cursor, with the step in which they part.

The address key `beside` names the other engine, or is `none`; without it a prepared scenario's own engine runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

import streamlit as st

from lab.activities.attempt import Cursor, encode_cursor
from lab.engine.errors import LabError
from lab.figures.beside import describe_parting, draw_moment, tabulate_beside
from lab.figures.memory.metrics import Detail
from lab.figures.picture import Picture
from lab.sandbox.library import LIBRARY, get_prompt_after
from lab.sandbox.scenario import Scenario
from lab.trace.config import ENGINE_NAMES, Engine
from lab.trace.parting import Parting, find_parting
from lab.trace.timeline import Timeline
from lessons.activity import run_panel
from lessons.activity.run_film import PICTURE, OwnFrames
from lessons.presenter.detail import find_detail
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.fields import draw_remark
from lessons.server.asset_files import read_assets
from lessons.state import attempts, notes, presenting, runs
from lessons.state.slots import Track
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets.film import Frame, split_figure

KEY = "beside"
_NONE = "none"
_ENGINES = tuple(engine for engine in get_args(Engine) if engine != "nano_vllm")
_FIELD = "sandbox_beside"
_OTHER = "beside"  # the name of the other engine's figure
_TRACK = Track("sandbox_beside", "at_sandbox_beside")  # never in the address: caches the other engine's run
_STYLE = f"<style>\n{read_assets('components/sandbox/beside.css')}</style>"


@dataclass(frozen=True)
class EnginePair:
    """Both runs of the whole log, and where they part. `problem`: why the other engine cannot run it.

    covers           points are covered, but for that of step `revealed`.
    detail, tallest  see find_detail.
    """

    view: SandboxView
    words: Translations
    selected: str | None
    covers: bool
    revealed: int | None
    theirs: Timeline | None
    parting: Parting | None = None
    detail: Detail | None = None
    tallest: float = 0
    problem: LabError | None = None

    @property
    def parted_at(self) -> int | None:
        """The operation in which they part, counted from 1."""
        return self.parting.step + 1 if self.parting else None

    @property
    def _timelines(self) -> dict[str, Timeline]:
        """The runs by the name of their figure."""
        return {PICTURE: self.view.timeline, **({_OTHER: self.theirs} if self.theirs else {})}

    @property
    def titles(self) -> Mapping[str, str]:
        """The engines' names, by figure."""
        return {name: ENGINE_NAMES[timeline.config.engine] for name, timeline in self._timelines.items()}

    @property
    def frames(self) -> OwnFrames | None:
        """The frames of both, or None if the other engine cannot run the log."""
        if self.theirs is None:
            return None
        return OwnFrames(
            (self.theirs.config.engine, self.covers, self.revealed, self.view.scenario.key, self.detail),
            self._draw_frame,
            self.titles,
        )

    def _draw_frame(self, cursor: Cursor) -> Frame:
        """Draw both engines at that cursor, with where they part, and why unless that is a point still covered."""
        figures = {}
        for name, timeline in self._timelines.items():
            picture = draw_moment(
                timeline, self.words, cursor.step, cursor.event, selected=self.selected, detail=self.detail
            )
            figures[name] = split_figure(picture.spec, f"{ENGINE_NAMES[timeline.config.engine]}: {picture.sentence}")
        where, why = describe_parting(self.view.timeline, self.parting, self.words, cursor.step, cursor.event)
        is_point = get_prompt_after(self.view.scenario, cursor.step) is not None
        is_covered = self.covers and cursor.step != self.revealed
        sentence = "" if where and is_point and is_covered else why
        return Frame(encode_cursor(cursor), figures, sentence, where, still=cursor.event is None)

    def build_tables(self) -> list[tuple[str, Picture]]:
        """Both engines at the cursor in view: side by side, then block by block."""
        step, event = self.view.cursor.step, self.view.cursor.event
        timelines = list(self._timelines.values())
        both = Picture({}, "", lambda: tabulate_beside(timelines, self.words, step, event))
        alone = ((ENGINE_NAMES[each.config.engine], draw_moment(each, self.words, step, event)) for each in timelines)
        return [("", both), *alone]


def find_pair(view: SandboxView, words: Translations) -> EnginePair | None:
    """Run the log on the other engine, if one is chosen."""
    engine = get_engine(view)
    if engine is None:
        return None
    selected, covers = run_panel.get_selected(), presenting.is_on()
    covered = (covers, view.cursor.step if covers and not presenting.is_hidden() else None)
    try:
        config = view.scenario.config.run_by(engine)
        theirs = runs.run_on_engine(_TRACK, config, view.scenario.operations)
    except LabError as problem:  # nothing but the null block, or a limit of the lab
        return EnginePair(view, words, selected, *covered, None, problem=problem)
    parting, detail = find_parting(view.timeline, theirs), find_detail(words, view.timeline, theirs)
    return EnginePair(view, words, selected, *covered, theirs, parting, *detail)


def draw_choice(view: SandboxView, pair: EnginePair | None, words: Translations, *, tells_ahead: bool) -> None:
    """Draw the choice of the other engine, a button to the parting step if it may be told, and the versions."""
    if view.problem is not None:
        return
    notes.set_field(_FIELD, get_engine(view) or _NONE)
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
    if pair.problem is not None:
        st.warning(words.text("beside.stopped", reason=format_error(pair.problem, words)))
        return
    at = pair.parted_at
    may_tell = tells_ahead or (at is not None and at <= view.cursor.step)
    with st.container(key="beside_view"):
        st.html(_STYLE)
        if at is not None and may_tell and view.cursor != Cursor(at):
            label = words.text("beside.to_part", step=at)
            st.button(label, key="beside_to_part", on_click=sandbox.move, args=(Cursor(at),))
        draw_remark(words.text("beside.caption"))
        if may_tell:
            draw_remark(words.text("beside.changed"))


def get_usual_engine(scenario: Scenario) -> Engine | None:
    """The engine that a prepared scenario is opened beside."""
    prepared = LIBRARY.get(scenario.key)
    return prepared.beside if prepared else None


def get_engine(view: SandboxView) -> Engine | None:
    """The engine that the address names; without a name, the prepared scenario's."""
    chosen = attempts.get_choice(KEY, (_NONE, *_ENGINES))
    return get_usual_engine(view.scenario) if chosen is None else None if chosen == _NONE else cast(Engine, chosen)


def _choose() -> None:
    """In a callback: write the choice into the address."""
    attempts.set_value(KEY, str(notes.get_field(_FIELD) or ""))
