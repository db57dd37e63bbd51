"""Drawing in pixels: a Canvas collects what is drawn and returns a Plotly figure of few parts, since each takes time.

All fills and lines of one style are one path in `layout.shapes`. All texts of a layer are one trace, so are all symbols
of a layer, and so are the click targets. A theme swap replaces whole colour strings, so a colour must be a string of
its own and never part of a text.
"""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from lab.figures.theme import Theme

Point = tuple[float, float]
_ANCHORS = {"left": "middle right", "center": "middle center", "right": "middle left"}  # Plotly: where the text is


@dataclass(frozen=True)
class Rect:
    """A box in pixels; y grows downwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def cx(self) -> float:
        """Horizontal centre."""
        return (self.x0 + self.x1) / 2

    @property
    def cy(self) -> float:
        """Vertical centre."""
        return (self.y0 + self.y1) / 2

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.y1 - self.y0

    def grow(self, by: float) -> Rect:
        """A box larger by that much on every side."""
        return Rect(self.x0 - by, self.y0 - by, self.x1 + by, self.y1 + by)

    def outline(self, radius: float = 0) -> list[Point]:
        """The closed outline, with rounded corners if a radius is given."""
        if radius <= 0:
            return [(self.x0, self.y0), (self.x1, self.y0), (self.x1, self.y1), (self.x0, self.y1), (self.x0, self.y0)]
        r = min(radius, self.width / 2, self.height / 2)
        points: list[Point] = []
        for x, y, start in (
            (self.x1 - r, self.y0 + r, 270),
            (self.x1 - r, self.y1 - r, 0),
            (self.x0 + r, self.y1 - r, 90),
            (self.x0 + r, self.y0 + r, 180),
        ):
            for degrees in (0, 45, 90):
                angle = math.radians(start + degrees)
                points.append((x + r * math.cos(angle), y + r * math.sin(angle)))
        return [*points, points[0]]


def build_hatching(box: Rect, step: float = 7.0) -> list[list[Point]]:
    """Diagonal strokes that fill a box, rising to the right; strokes of neighbouring boxes meet."""
    strokes: list[list[Point]] = []
    first = math.ceil((box.x0 + box.y0) / step) * step
    while first < box.x1 + box.y1:  # x + y = first
        a = (min(box.x1, first - box.y0), max(box.y0, first - box.x1))
        b = (max(box.x0, first - box.y1), min(box.y1, first - box.x0))
        if a[0] - b[0] > 0.6:
            strokes.append([b, a])
        first += step
    return strokes


class Canvas:
    """Collects by layer and style. Lower layers are drawn first; every fill and line is below symbols and texts."""

    def __init__(
        self, theme: Theme, width: float, font: float, name: str, clickable: Collection[str] | None = None
    ) -> None:
        self.theme = theme
        self.width = width
        self.font = font
        self.name = name
        self.clickable = clickable
        self._paths: dict[tuple[Any, ...], list[str]] = {}
        self._texts: dict[int, dict[str, list[tuple[float, float, str, float, str, str]]]] = {}
        self._markers: dict[int, list[tuple[float, float, str, str, float]]] = {}
        self._hits: list[tuple[float, float, float, str]] = []

    def fill(self, layer: int, name: str, color: str, points: Iterable[Point]) -> None:
        """A filled polygon."""
        self._add(("fill", layer, name, color, 0.0, "solid", 1.0), points)

    def line(
        self,
        layer: int,
        name: str,
        color: str,
        points: Iterable[Point],
        *,
        width: float = 1.0,
        dash: str = "solid",
        opacity: float = 1.0,
    ) -> None:
        """A polyline."""
        self._add(("line", layer, name, color, width, dash, opacity), points)

    def _add(self, key: tuple[Any, ...], points: Iterable[Point]) -> None:
        corners = [f"{x:.1f},{y:.1f}" for x, y in points]
        closed = len(corners) > 2 and corners[0] == corners[-1]
        self._paths.setdefault(key, []).append("M" + "L".join(corners[:-1] if closed else corners) + "Z" * closed)

    def text(
        self,
        layer: int,
        name: str,
        x: float,
        y: float,
        text: str,
        *,
        size: float,
        color: str,
        anchor: str = "center",
        bold: bool = False,
    ) -> None:
        """A text, vertically centred on y. Markup in it is shown as it is."""
        shown = html.escape(text, quote=False)
        self._texts.setdefault(layer, {}).setdefault(name, []).append(
            (round(x, 1), round(y, 1), f"<b>{shown}</b>" if bold else shown, size, color, _ANCHORS[anchor])
        )

    def marker(self, layer: int, at: Point, symbol: str, color: str, size: float) -> None:
        """A small solid symbol, such as an arrowhead."""
        self._markers.setdefault(layer, []).append((round(at[0], 1), round(at[1], 1), symbol, color, size))

    def hit(self, x: float, y: float, size: float, target: str) -> None:
        """An invisible clickable marker; its click carries `target`. Left out if nothing listens to its kind."""
        if self.clickable is None or target.partition(":")[0] in self.clickable:
            self._hits.append((round(x, 1), round(y, 1), round(size, 1), target))

    def spec(self, height: float, meta: Mapping[str, object]) -> dict[str, Any]:
        """All as one Plotly figure; only its width may be stretched. `meta`: see Metrics.meta.

        A trace of texts has their names in its own `meta`, each with its number of texts, in order.
        """
        paths = sorted(self._paths.items(), key=lambda item: item[0][1])
        shapes = [_build_shape(style, "".join(parts)) for style, parts in paths]
        traces: list[tuple[int, dict[str, Any]]] = []
        for layer, marks in self._markers.items():
            x, y, symbols, colors, sizes = (list(column) for column in zip(*marks, strict=True))
            marker = {"symbol": symbols, "color": colors, "size": sizes, "opacity": 1, "line": {"width": 0}}
            traces.append((layer, {"mode": "markers", "name": "marks", "x": x, "y": y, "marker": marker}))
        for layer, named in self._texts.items():
            x, y, strings, size, color, anchors = (list(column) for column in zip(*chain(*named.values()), strict=True))
            trace = {"mode": "text", "name": "texts", "x": x, "y": y, "text": strings, "cliponaxis": False}
            trace |= {"textfont": {"size": _collapse(size), "color": _collapse(color)}}
            trace |= {"textposition": _collapse(anchors), "meta": {name: len(texts) for name, texts in named.items()}}
            traces.append((layer, trace))
        ordered = [trace for _, trace in sorted(traces, key=lambda item: item[0])]
        for trace in ordered:
            trace |= {"type": "scatter", "hoverinfo": "skip"}
        if self._hits:
            x, y, size, targets = (list(column) for column in zip(*self._hits, strict=True))
            marker = {"size": _collapse(size), "opacity": 0, "color": self.theme.ink}
            ordered.append(
                {"type": "scatter", "mode": "markers", "name": "hits", "x": x, "y": y}
                | {"customdata": targets, "hoverinfo": "none", "marker": marker}
            )
        return {"data": ordered, "layout": self._layout(height, meta) | {"shapes": shapes}}

    def _layout(self, height: float, meta: Mapping[str, object]) -> dict[str, Any]:
        axis = {"visible": False, "fixedrange": True, "showgrid": False, "zeroline": False, "autorange": False}
        return {
            "template": {},
            "autosize": True,
            "height": round(height),
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0},
            "xaxis": axis | {"range": [0, self.width]},
            "yaxis": axis | {"range": [round(height), 0]},
            "paper_bgcolor": self.theme.background,
            "plot_bgcolor": self.theme.background,
            "font": {"size": self.font, "color": self.theme.ink},
            "showlegend": False,
            "hovermode": "closest",
            "dragmode": False,
            "meta": {**meta, "figure": self.name},
        }


def _build_shape(style: tuple[Any, ...], path: str) -> dict[str, Any]:
    kind, _, name, color, width, dash, opacity = style
    shape: dict[str, Any] = {"name": name, "path": path, "layer": "below"}
    if kind == "fill":
        return shape | {"fillcolor": color, "fillrule": "nonzero", "line": {"width": 0}}
    return shape | {"line": {"width": width, "color": color, "dash": dash}, "opacity": opacity}


def _collapse(values: Sequence[Any]) -> Any:
    """One value if all are equal, to keep the figure small."""
    return values[0] if len(set(values)) == 1 else list(values)
