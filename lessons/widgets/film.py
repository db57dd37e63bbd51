"""The film of a run: its frames as JSON, where what several figures share is written once."""

from __future__ import annotations

import gzip
import json
import sys
from base64 import b64encode
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from lessons.server.shared_cache import SharedCache
from lessons.text.reading_time import estimate_reading_seconds

_POOLED = 24  # characters from which a value is written once for all figures of a chunk


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
class Chunk:
    """Frames that are sent together; the browser keeps them by their id. `packed`: JSON, gzip, base64.

    Packed once for everybody: a tenth of the bytes, which would else be written and compressed for each student.
    """

    id: str
    packed: str


# The same run always gives the same pictures. A chunk has the frames of one operation.
SHARED_CHUNKS = SharedCache[Chunk](400)


@dataclass(frozen=True)
class Ahead:
    """An operation that the learner has not pressed yet: its button, the logs before and after it, its row, places and
    frames."""

    id: str
    index: int
    before: str
    log: str
    row: Mapping[str, object]
    places: Sequence[str]
    chunk: Chunk


@dataclass(frozen=True)
class Film:
    """All places in order, and frames for them. A place without a frame is asked for when the reader comes there.

    `more`: further frames can be drawn, for which there was no time. The browser asks for them when nothing happens.
    """

    places: Sequence[str]
    chunks: Sequence[Chunk]
    more: bool = False


def split_figure(spec: Mapping[str, Any], label: str) -> Figure:
    """Turn Plotly's dict into texts, so that figures can share what they have in common. Pure."""
    traces, layout = tuple(map(_split, spec["data"])), _split(spec["layout"])
    return Figure(label, f"{crc32(repr((traces, layout)).encode()):x}", traces, layout)


def encode_chunk(frames: Iterable[Frame]) -> Chunk:
    """The frames as JSON: what several figures share is in it once. Pure.

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
    for frame in frames:
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
        texts |= {"sentence": frame.sentence}
        reads = round(1000 * estimate_reading_seconds(frame.sentence))
        shown[frame.at] = {**texts, "still": frame.still, "reads": reads, "figures": figures}
    parts = {"pool": f"[{','.join(pool)}]", "traces": f"[{','.join(traces)}]", "layouts": f"[{','.join(layouts)}]"}
    parts |= {"frames": _dump(shown)}
    text = ("{" + ",".join(f'"{name}":{part}' for name, part in parts.items()) + "}").encode()
    return Chunk(f"{crc32(text):x}-{len(text)}", b64encode(gzip.compress(text, 6, mtime=0)).decode())


def describe_film(film: Film, known: Container[str] = ()) -> dict[str, Any]:
    """The film as data for the browser, without the contents of the chunks that it has already."""
    return {
        "places": list(film.places),
        "chunks": [chunk.id for chunk in film.chunks],
        "more": film.more,
        "packed": {chunk.id: chunk.packed for chunk in film.chunks if chunk.id not in known},
    }


def describe_ahead(ahead: Ahead, known: Container[str] = ()) -> dict[str, Any]:
    """The operation ahead as data for the browser, without the chunk's content if it has that already."""
    chunk = ahead.chunk
    return {**vars(ahead), "chunk": chunk.id, "packed": "" if chunk.id in known else chunk.packed}


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
