"""Pictures of a run as an animation to play, step through or scrub; as a storyboard for reduced motion and paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lessons.server import plotly_js
from lessons.server.asset_files import read_assets
from lessons.state import presenting
from lessons.state.session import get_event, get_session
from lessons.text.reading_time import estimate_reading_seconds
from lessons.text.translations import Translations

# Plotly's own styles do not reach into a shadow root, hence no isolation.
_mount = st.components.v2.component(
    "paged_kv_lab_animation",
    js=read_assets(
        "lib/colors.js",
        "lib/after_run.js",
        "lib/element.js",
        "lib/figure.js",
        "components/animation/storyboard.js",
        "components/animation/animation.js",
    ),
    css=read_assets("components/animation/animation.css"),
    isolate_styles=False,
)
_WORDS = ("play", "pause", "back", "forward", "speed", "position", "scenes", "story", "label")


@dataclass(frozen=True)
class Frame:
    """One picture of the animation.

    at       its place: `2.1` is scene 2, picture 1; both count from 1.
    caption  the text shown with it.
    label    the sentence for a screen reader.
    spec     the figure as Plotly's dict.
    still    is it part of the storyboard?
    """

    at: str
    caption: str
    label: str
    spec: dict[str, Any]
    still: bool

    @property
    def scene(self) -> int:
        """The number of its scene, from 1."""
        return int(self.at.partition(".")[0])


@dataclass(frozen=True)
class SceneName:
    """A scene's name. `open`: can its pictures be shown?"""

    name: str
    open: bool


def encode_animation(frames: Sequence[Frame], scenes: Sequence[SceneName]) -> str:
    """Encode the animation as JSON. Traces, shapes and layouts that pictures share are in it once. Pure.

    `reads`: the milliseconds that the caption takes to read; while playing, the picture stands that long.
    """
    traces: dict[str, int] = {}
    shapes: dict[str, int] = {}
    layouts: dict[str, int] = {}
    items = []
    for frame in frames:
        indices = [traces.setdefault(_dump(_strip_trace(trace)), len(traces)) for trace in frame.spec["data"]]
        layout = {**frame.spec["layout"]}
        paths = [shapes.setdefault(_dump(shape), len(shapes)) for shape in layout.pop("shapes", ())]
        items.append(
            {"at": frame.at, "scene": frame.scene, "caption": frame.caption, "label": frame.label, "still": frame.still}
            | {"traces": indices, "shapes": paths, "layout": layouts.setdefault(_dump(layout), len(layouts))}
            | {"reads": round(1000 * estimate_reading_seconds(frame.caption))}
        )
    names = [{"name": scene.name, "open": scene.open} for scene in scenes]
    shared = {"traces": traces, "shapes": shapes, "layouts": layouts}
    parts = {name: f"[{','.join(texts)}]" for name, texts in shared.items()}
    parts |= {"frames": _dump(items), "scenes": _dump(names)}
    return "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"


def animate(
    frames: str,
    *,
    key: str,
    at: str,
    words: Translations,
    topic: str,
    cue: str,
    opened: int,
    dark_colors: dict[str, str],
    on_place: Callable[[str], None],
    on_columns: Callable[[int], None],
    columns: int,
) -> None:
    """Draw the animation (see `encode_animation`). It never starts by itself.

    at          the place in the address. The browser goes there, unless it has reported that place itself.
    cue         shown at the last picture, if more pictures are still locked.
    opened      the first scene that the last answer has opened: the storyboard on the screen begins there.
    topic       the topic of the controls' texts: `<topic>.play.<name>`.
    on_place    called with the place after the reader has paused, stepped or reached the end.
    on_columns  called with 8 or 4 if the pictures have room for another number of columns than `columns`.
    """

    heard = f"{key}.heard"

    def handle_place() -> None:
        report = get_event(key, "place")
        if isinstance(report, dict) and isinstance(report.get("at"), str):
            get_session()[heard] = report.get("stamp")
            on_place(report["at"])

    def handle_columns() -> None:
        fitting = get_event(key, "columns")
        if fitting in (4, 8):
            on_columns(int(fitting))

    _mount(
        key=key,
        data={
            "film": frames,
            "at": at,
            "heard": get_session().get(heard),
            "words": {**{name: words.text(f"{topic}.play.{name}") for name in _WORDS}, "cue": cue},
            "opened": opened,
            "dark_colors": dark_colors,
            "columns": columns,
            "url": plotly_js.get_url(),
            **presenting.get_figure_data(),
        },
        on_place_change=handle_place,
        on_columns_change=handle_columns,
    )


def _strip_trace(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace without the properties that all traces share; animation.js adds them again."""
    return {name: value for name, value in trace.items() if name not in ("type", "hoverinfo")}


def _dump(value: object) -> str:
    """Compact JSON, with whole numbers as integers."""
    return json.dumps(_convert_whole_numbers(value), ensure_ascii=False, separators=(",", ":"))


def _convert_whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_convert_whole_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: _convert_whole_numbers(each) for name, each in value.items()}
    return value
