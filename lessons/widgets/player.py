"""The player: steps through, plays or scrubs a run in the browser, which gets its frames once and reports the place."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import streamlit as st

from lab.figures.theme import get_dark_colors
from lessons.server import plotly_js
from lessons.server.asset_files import read_assets
from lessons.state import presenting
from lessons.state.session import get_event, get_session
from lessons.text.reading_time import estimate_reading_seconds
from lessons.text.translations import Translations

LIBRARIES = ("colors", "after_run", "element", "figure", "live_figure", "delivery")
PARTS = ("places", "keys", "list", "film", "story", "draw", "report", "play")
SCRIPT = read_assets(
    *(f"lib/{name}.js" for name in LIBRARIES),
    *(f"components/player/player_{part}.js" for part in PARTS),
    "components/player/player.js",
)
STYLE = read_assets("components/player/player.css")
# Plotly's own styles do not reach into a shadow root, hence no isolation.
_mount = st.components.v2.component("paged_kv_lab_player", js=SCRIPT, css=STYLE, isolate_styles=False)

STEPPING = ("first", "back", "event_back", "play", "event_forward", "forward", "last", "slider")
_SPEEDS = ("0.5", "1", "2", "4")  # operations a second
_WORDS = ("label", "play", "pause", "speed", "slider", "list", "start", "ahead", "keys", "story")
_POSITIONS = {  # sentence -> fields that the browser fills in
    "position_start": ("total",),
    "position": ("step", "total", "operation"),
    "position_event": ("step", "total", "operation", "event", "events"),
}
_POOLED = 24  # characters from which a value is in the film once for all figures
_MAX_PLACE = 12  # characters


@dataclass(frozen=True)
class _Part:
    """A trace or a layout as JSON texts: small values, long values by name, and lists of long values by name."""

    values: str
    pooled: tuple[tuple[str, str], ...]
    lists: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Figure:
    """A figure to be sent, and the sentence that describes it. `id`: equal figures have an equal one."""

    label: str
    id: str
    traces: tuple[_Part, ...]
    layout: _Part


@dataclass(frozen=True)
class Frame:
    """One picture of the run.

    at        its place: `3` after the third operation, `3.2` after an event in it; in a film, scene and picture.
    figures   the figures by name; with more than one, they stand side by side.
    sentence  the text below or above the figures, which is announced after a step.
    headline  the event, or why the operation was refused.
    title     the scene.
    still     is it part of the storyboard?
    """

    at: str
    figures: Mapping[str, Figure]
    sentence: str
    headline: str = ""
    title: str = ""
    still: bool = True


@dataclass(frozen=True)
class Ahead:
    """An operation that the learner has not pressed yet: its button, the log after it, its row, places and frames."""

    id: str
    index: int
    log: str
    row: Mapping[str, object]
    frames: Sequence[Frame]


@dataclass(frozen=True)
class Seek:
    """Where a report of the browser leads. `log` names the run: a report about another one is ignored."""

    log: str
    go: Callable[[str], None]

    def handle(self, message: object) -> bool:
        """Go to the place in an untrusted message. Returns whether it was one about this run."""
        at = message.get("at") if isinstance(message, dict) and message.get("log") == self.log else None
        if not isinstance(at, str) or len(at) > _MAX_PLACE:
            return False
        self.go(at)
        return True


@dataclass(frozen=True)
class Jump:
    """A button that leads to a place; empty while the place is still closed."""

    name: str
    label: str
    at: str


@dataclass(frozen=True)
class Look:
    """What a player shows, and how.

    parts     the order from top to bottom.
    controls  which buttons there are.
    keys      "all" takes every key on the page, "arrows" leaves those that scroll, "" only keys pressed in the player.
    by_event  a place like `3.2` is inside an operation; in a film it is a picture like any other.
    opened    the storyboard on the screen begins with this scene; it is unfolded if `story_open`.
    """

    parts: tuple[str, ...]
    controls: tuple[str, ...] = STEPPING
    keys: str = "all"
    by_event: bool = True
    list: bool = False
    opened: int = 0
    story_open: bool = False
    titles: Mapping[str, str] = field(default_factory=dict)


def split_figure(spec: Mapping[str, Any], label: str) -> Figure:
    """Turn Plotly's dict into texts, so that figures can share what they have in common. Pure."""
    traces, layout = tuple(map(_split, spec["data"])), _split(spec["layout"])
    return Figure(label, f"{crc32(repr((traces, layout)).encode()):x}", traces, layout)


def encode_film(frames: Iterable[Frame], places: Sequence[str], ahead: Ahead | None = None) -> str:
    """The film as JSON: what several figures share is in it once. A place without a frame is asked for. Pure.

    `reads`: the milliseconds that the sentence takes to read.
    """
    pool: dict[str, int] = {}
    traces: dict[str, int] = {}
    layouts: dict[str, int] = {}

    def write(part: _Part, table: dict[str, int]) -> int:
        pooled = ",".join(f'"{name}":{pool.setdefault(text, len(pool))}' for name, text in part.pooled)
        lists = ",".join(
            f'"{name}":[{",".join(str(pool.setdefault(text, len(pool))) for text in texts)}]'
            for name, texts in part.lists
        )
        return table.setdefault(f'{{"v":{part.values},"p":{{{pooled}}},"a":{{{lists}}}}}', len(table))

    shown = {}
    for frame in (*frames, *(ahead.frames if ahead else ())):
        figures = {
            name: {
                "id": figure.id,
                "label": figure.label,
                "traces": [write(trace, traces) for trace in figure.traces],
                "layout": write(figure.layout, layouts),
            }
            for name, figure in frame.figures.items()
        }
        texts = {name: text for name in ("title", "headline") if (text := getattr(frame, name))}
        reads = round(1000 * estimate_reading_seconds(frame.sentence))
        shown[frame.at] = {
            **texts,
            "sentence": frame.sentence,
            "still": frame.still,
            "reads": reads,
            "figures": figures,
        }
    parts = {"pool": f"[{','.join(pool)}]", "traces": f"[{','.join(traces)}]", "layouts": f"[{','.join(layouts)}]"}
    parts |= {"frames": _dump(shown), "places": _dump(list(places))}
    if ahead:
        after = {"id": ahead.id, "index": ahead.index, "log": ahead.log, "row": ahead.row}
        parts["ahead"] = _dump({**after, "places": [frame.at for frame in ahead.frames]})
    return "{" + ",".join(f'"{name}":{text}' for name, text in parts.items()) + "}"


def draw_player(
    film: str,
    look: Look,
    *,
    key: str,
    at: str,
    seek: Seek,
    words: Translations,
    rows: Sequence[Mapping[str, object]] = (),
    stops: Sequence[str] = (),
    jumps: Sequence[Jump] = (),
    own_words: Mapping[str, str] | None = None,
    on_click: Callable[[str], None] | None = None,
    on_columns: Callable[[int], None] | None = None,
    columns: int = 8,
) -> None:
    """Draw the player. It never starts by itself.

    film        see `encode_film`. The frame at `at` must be in it.
    at          the place in the address. The browser goes there, unless it is about to report another one.
    rows        the operations, each with its name and number of events; see `lessons.activity.run_film.build_rows`.
    stops       places where playing pauses.
    own_words   texts that differ from the usual ones, and `cue`, shown at the last picture.
    on_click    called with the customdata of the clicked marker.
    on_columns  called with 8 or 4 if the figures have room for another number of columns than `columns`.
    """
    heard = f"{key}.heard"

    def handle_seek() -> None:
        message = get_event(key, "seek")
        if isinstance(message, dict):
            serial = message.get("serial")
            get_session()[heard] = serial if type(serial) is int else None
            seek.handle(message)

    def handle_click() -> None:
        point = get_event(key, "click")
        if on_click is not None and isinstance(point, str):
            on_click(point)

    def handle_columns() -> None:
        fitting = get_event(key, "columns")
        if on_columns is not None and fitting in (4, 8):
            on_columns(int(fitting))

    _mount(
        key=key,
        data={
            "film": film,
            "at": at,
            "log": seek.log,
            "heard": get_session().get(heard),
            "rows": list(rows),
            "stops": list(stops),
            "jumps": [vars(jump) for jump in jumps],
            "words": {**collect_texts(words), **(own_words or {})},
            "columns": columns,
            "clickable": on_click is not None,
            "wants_columns": on_columns is not None,
            **describe_look(look, words),
            "url": plotly_js.get_url(),
            **presenting.get_figure_data(),
        },
        on_seek_change=handle_seek,
        on_click_change=handle_click,
        on_columns_change=handle_columns,
    )


def describe_look(look: Look, words: Translations) -> dict[str, Any]:
    """The look as data for the browser."""
    names = ("0.5", "1", "1.5", "2") if not look.by_event else _SPEEDS
    speeds = [[n, words.text("player.speed_option", n=n) if look.by_event else f"{n}×"] for n in names]
    return {**vars(look), "speeds": speeds, "dark_colors": get_dark_colors()}


def collect_texts(words: Translations) -> dict[str, str]:
    """The texts of a player of operations; positions with fields that the browser fills in."""
    texts = {name: words.text(f"player.{name}") for name in (*_WORDS, *STEPPING[:3], *STEPPING[4:7])}
    for name, fields in _POSITIONS.items():
        texts[name] = words.text(f"task.{name}", **{name: f"{{{name}}}" for name in fields})
    return texts


def _split(part: Mapping[str, Any]) -> _Part:
    values: dict[str, Any] = {}
    pooled: list[tuple[str, str]] = []
    lists: list[tuple[str, tuple[str, ...]]] = []
    for name, value in part.items():
        if name in ("shapes", "annotations"):
            lists.append((name, tuple(sys.intern(_dump(each)) for each in value)))
        elif isinstance(value, list | tuple | dict) and len(text := _dump(value)) >= _POOLED:
            pooled.append((name, sys.intern(text)))
        else:
            values[name] = value
    return _Part(sys.intern(_dump(values)), tuple(pooled), tuple(lists))


def _dump(value: object) -> str:
    """Compact JSON, with whole numbers as integers."""
    return json.dumps(_convert_whole_numbers(value), ensure_ascii=False, separators=(",", ":"))


def _convert_whole_numbers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list | tuple):
        return [_convert_whole_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: _convert_whole_numbers(each) for name, each in value.items()}
    return value
