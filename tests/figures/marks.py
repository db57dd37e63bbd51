"""What a figure shows, mark by mark: the paths and the texts of a canvas, told apart again by their names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from lab.figures.canvas import Rect


def contains(box: Rect, x: float, y: float) -> bool:
    """Is the point inside the box?"""
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def read_marks(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fills and lines, symbols, texts and click targets of a figure, in the order in which they are drawn.

    Each is like a trace of Plotly, with the name that the figure function gave it. In a path, a None in `x` and `y` is
    between two polygons or lines; a ValueError if it has more than corners. Everything about texts is in lists.
    """
    marks = [_read_path(shape) for shape in spec["layout"].get("shapes", ())]
    for trace in spec["data"]:
        marks += _split_texts(trace) if trace.get("name") == "texts" else [dict(trace)]
    return marks


def _read_path(shape: Mapping[str, Any]) -> dict[str, Any]:
    assert shape["layer"] == "below", shape
    xs: list[float | None] = []
    ys: list[float | None] = []
    for part in shape["path"].removeprefix("M").split("M"):
        corners = [tuple(map(float, corner.split(","))) for corner in part.removesuffix("Z").split("L")]
        closing = corners[:1] if part.endswith("Z") else []
        for x, y in [*corners, *closing]:
            xs.append(x)
            ys.append(y)
        xs.append(None)
        ys.append(None)
    filled = {"fill": "toself", "fillcolor": shape["fillcolor"]} if "fillcolor" in shape else {}
    return {"mode": "lines", "name": shape["name"], "x": xs[:-1], "y": ys[:-1], "line": shape["line"]} | filled


def _split_texts(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A trace of texts as one for each name."""
    count = len(trace["text"])
    assert count == sum(trace["meta"].values()) == len(trace["x"]) == len(trace["y"]), trace
    columns = {key: trace[key] for key in ("x", "y", "text", "textposition")} | trace["textfont"]
    values = {key: iter(column if isinstance(column, list) else [column] * count) for key, column in columns.items()}
    marks = []
    for name, number in trace["meta"].items():
        part = {key: list(islice(column, number)) for key, column in values.items()}
        font = {key: part.pop(key) for key in ("size", "color")}
        marks.append({"mode": "text", "name": name, "textfont": font} | part)
    return marks
