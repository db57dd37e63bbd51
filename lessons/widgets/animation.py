"""Pictures of a run as an animation: played, stepped through, or picked with a slider; a storyboard without motion."""

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
    """One picture: its place (`2.1`: scene and picture, from 1), its words, its figure as Plotly's own dict.

    caption  what is shown beside it.
    label    the sentence for those who cannot see it.
    still    belongs to the storyboard.
    """

    at: str
    caption: str
    label: str
    spec: dict[str, Any]
    still: bool

    @property
    def scene(self) -> int:
        """The scene that it belongs to, from 1."""
        return int(self.at.partition(".")[0])


@dataclass(frozen=True)
class SceneName:
    """What a scene is called, and whether its pictures are there."""

    name: str
    open: bool


def build_film(shots: Sequence[Frame], scenes: Sequence[SceneName]) -> str:
    """Everything as one JSON text. What several pictures share, traces and layouts, is in it once. Pure.

    `reads`: how many milliseconds a picture's caption takes to read, which is how long it stands when played.
    """
    traces: dict[str, int] = {}
    layouts: dict[str, int] = {}
    frames = []
    for shot in shots:
        drawn = [traces.setdefault(_dump(_strip_figure(trace)), len(traces)) for trace in shot.spec["data"]]
        layout = layouts.setdefault(_dump(shot.spec["layout"]), len(layouts))
        frames.append(
            {"at": shot.at, "scene": shot.scene, "caption": shot.caption, "label": shot.label, "still": shot.still}
            | {"traces": drawn, "layout": layout, "reads": round(1000 * estimate_reading_seconds(shot.caption))}
        )
    named = [{"name": scene.name, "open": scene.open} for scene in scenes]
    parts = {"traces": f"[{','.join(traces)}]", "layouts": f"[{','.join(layouts)}]"}
    parts |= {"frames": _dump(frames), "scenes": _dump(named)}
    return "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"


def animate(
    reel: str,
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
    """Draw the animation of this film (see `film`). It never starts by itself.

    at          the place that the address names; the browser goes there, unless it was the browser that said so.
    cue         said at the last picture, if that is not the end of the story.
    opened      the first scene that came with the last answer: where the storyboard on the screen begins.
    topic       where the words of the controls are: `<topic>.play.<name>`.
    on_place    called with the place once the reader has paused, stepped or come to the end.
    on_columns  called with 8 or 4 when the room that the pictures have asks for another number than `columns`.
    """

    heard = f"{key}.heard"

    def moved() -> None:
        said = get_event(key, "place")
        if isinstance(said, dict) and isinstance(said.get("at"), str):
            get_session()[heard] = said.get("stamp")
            on_place(said["at"])

    def measured() -> None:
        fitting = get_event(key, "columns")
        if fitting in (4, 8):
            on_columns(int(fitting))

    _mount(
        key=key,
        data={
            "film": reel,
            "at": at,
            "heard": get_session().get(heard),
            "words": {**{name: words.text(f"{topic}.play.{name}") for name in _WORDS}, "cue": cue},
            "opened": opened,
            "dark_colors": dark_colors,
            "columns": columns,
            "url": plotly_js.get_url(),
            **presenting.get_figure_data(),
        },
        on_place_change=moved,
        on_columns_change=measured,
    )


def _strip_figure(trace: dict[str, Any]) -> dict[str, Any]:
    """A trace without what all have (the script puts it back)."""
    return {name: value for name, value in trace.items() if name not in ("type", "hoverinfo")}


def _dump(value: object) -> str:
    """Compact JSON; a number without a fraction is written without one."""
    return json.dumps(_measure_whole(value), ensure_ascii=False, separators=(",", ":"))


def _measure_whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_measure_whole(each) for each in value]
    if isinstance(value, dict):
        return {name: _measure_whole(each) for name, each in value.items()}
    return value
