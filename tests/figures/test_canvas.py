"""A canvas gives back everything that was drawn on it, in few parts."""

from __future__ import annotations

import json
import random
from typing import Any

from lab.figures.canvas import Canvas, Point, Rect
from lab.figures.theme import LIGHT
from tests.figures.marks import read_marks

INK, CARD, RED = LIGHT.ink, LIGHT.card, LIGHT.hues[1].line


def spec_of(canvas: Canvas) -> dict[str, Any]:
    """The figure as the page gets it: through JSON."""
    spec: dict[str, Any] = json.loads(json.dumps(canvas.spec(100, {})))
    return spec


def test_every_path_comes_back_with_its_style() -> None:
    """Boxes, open lines and outlines with rounded corners, in any order; each style is one path."""
    rng, canvas = random.Random(5), Canvas(LIGHT, 400, 12, "test")
    drawn: dict[tuple[object, ...], list[list[Point]]] = {}
    looks: list[tuple[int, str, str, float, str, float]] = [
        (2, "cards", INK, 2.0, "solid", 1.0),
        (2, "cards", INK, 2.0, "3px,2px", 1.0),
        (1, "cards", RED, 1.5, "solid", 0.6),
        (1, "hatch", INK, 1.0, "solid", 1.0),
    ]
    for _ in range(60):
        x, y = rng.uniform(0, 300), rng.uniform(0, 300)
        box = Rect(x, y, x + rng.uniform(5, 90), y + rng.uniform(5, 90))
        points = rng.choice([box.outline(), box.outline(6), [(box.x0, box.y1), (box.x1, box.y0)]])
        layer, name, color, width, dash, opacity = rng.choice(looks)
        if len(points) > 2 and rng.random() < 0.4:
            canvas.fill(layer, name, color, points)
            style: tuple[object, ...] = layer, name, color
        else:
            canvas.line(layer, name, color, points, width=width, dash=dash, opacity=opacity)
            style = layer, name, color, width, dash, opacity
        drawn.setdefault(style, []).append([(round(a, 1), round(b, 1)) for a, b in points])
    spec = spec_of(canvas)
    shapes, marks = spec["layout"]["shapes"], read_marks(spec)
    assert (len(shapes), spec["data"]) == (len(drawn), [])
    ordered = sorted(drawn.items(), key=lambda item: int(str(item[0][0])))
    for (style, expected), shape, mark in zip(ordered, shapes, marks, strict=True):
        points_ = [*zip(mark["x"], mark["y"], strict=True), (None, None)]
        lines: list[list[tuple[float, float]]] = [[]]
        for point in points_:
            if point[0] is None:
                lines.append([])
            else:
                lines[-1].append(point)
        assert lines[:-1] == expected
        look = [shape["name"], shape.get("fillcolor", shape["line"].get("color"))]
        if "fillcolor" not in shape:
            look += [shape["line"]["width"], shape["line"]["dash"], shape["opacity"]]
        assert look == list(style[1:])
        assert shape["layer"] == "below"


def test_texts_of_a_layer_are_one_trace_and_keep_their_names() -> None:
    """Each with its place, size, colour and side; higher layers, symbols and targets follow in order."""
    canvas = Canvas(LIGHT, 400, 12, "test")
    canvas.text(3, "signs", 9, 9, "?", size=8, color=CARD)
    canvas.text(1, "names", 1, 2, "a<b", size=10, color=INK, anchor="left", bold=True)
    canvas.text(1, "notes", 3, 4, "c", size=12, color=RED, anchor="right")
    canvas.text(1, "names", 5, 6, "d", size=11, color=INK)
    canvas.marker(2, (7, 8), "circle", INK, 5)
    canvas.hit(1, 2, 6, "slot:1")
    spec = spec_of(canvas)
    assert [trace["name"] for trace in spec["data"]] == ["texts", "marks", "texts", "hits"]
    names, notes, symbols, signs, hits = read_marks(spec)
    assert names == {
        "mode": "text",
        "name": "names",
        "x": [1, 5],
        "y": [2, 6],
        "text": ["<b>a&lt;b</b>", "d"],
        "textposition": ["middle right", "middle center"],
        "textfont": {"size": [10, 11], "color": [INK, INK]},
    }
    assert (notes["name"], notes["text"], notes["textposition"]) == ("notes", ["c"], ["middle left"])
    assert notes["textfont"] == {"size": [12], "color": [RED]}
    assert (signs["name"], signs["text"], signs["textfont"]) == ("signs", ["?"], {"size": [8], "color": [CARD]})
    assert (symbols["marker"]["symbol"], hits["customdata"]) == (["circle"], ["slot:1"])
