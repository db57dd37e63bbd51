"""Shared by the pictures of the serving simulation: colours and patterns of the uses of a slot, axes, legends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lab.engine.words import Words
from lab.figures.theme import LIGHT, Theme

KINDS = ("tokens", "reserved", "internal", "external")  # in the order of lab.serving.simulation.Shares
LABEL, SMALL = 13, 12  # pixels


@dataclass(frozen=True)
class Look:
    """The look of a kind of slot: two colours, a bar's pattern, a cell's symbol. Readable without colour."""

    fill: str
    line: str
    ink: str
    pattern: str
    symbol: str


def look(kind: str, theme: Theme) -> Look:
    """The look of one of KINDS, of "unsplit" (what a source does not split) or of "paper" (its single number)."""
    blue, vermillion, orange = theme.hues[0], theme.hues[1], theme.hues[4]
    return {
        "tokens": Look(blue.line, blue.line, theme.card, "", "square"),
        "reserved": Look(orange.tint, orange.line, theme.ink, "/", "square-open"),
        "internal": Look(vermillion.tint, vermillion.line, theme.ink, "x", "x-thin"),
        "external": Look(theme.stale, theme.frame, theme.ink, ".", "circle"),
        "unsplit": Look(theme.card, theme.frame, theme.ink, "-", "circle-open"),
        "paper": Look(theme.card, theme.stale_ink, theme.ink, "/", "circle-open"),
    }[kind]


def build_marker(kind: str, theme: Theme) -> dict[str, Any]:
    """A bar's marker for this kind."""
    looks = look(kind, theme)
    marker: dict[str, Any] = {"color": looks.fill, "line": {"color": looks.line, "width": 1}}
    if looks.pattern:
        marker["pattern"] = {
            "shape": looks.pattern,
            "bgcolor": looks.fill,
            "fgcolor": looks.line,
            "size": 11 if looks.pattern == "." else 9,
            "solidity": 0.1 if looks.pattern == "." else 0.15,
            "fgopacity": 0.6,
        }
    return marker


def build_axis(theme: Theme, **more: object) -> dict[str, Any]:
    """A plain axis."""
    return {
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "linecolor": theme.frame,
        "tickfont": {"size": SMALL, "color": theme.ink},
        **more,
    }


def build_title(text: str, theme: Theme) -> dict[str, object]:
    """An axis's title."""
    return {"text": text, "font": {"size": LABEL, "color": theme.ink}, "standoff": 8}


def build_layout(
    theme: Theme, height: float, name: str, margin: tuple[int, int, int, int], **more: object
) -> dict[str, Any]:
    """A layout without Plotly's template. `margin`: left, right, top, bottom."""
    left, right, top, bottom = margin
    return {
        "template": {},
        "autosize": True,
        "height": round(height),
        "margin": {"l": left, "r": right, "t": top, "b": bottom, "pad": 0},
        "paper_bgcolor": theme.background,
        "plot_bgcolor": theme.background,
        "font": {"size": LABEL, "color": theme.ink},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "meta": {"figure": name, "max_width": 860},
        **more,
    }


def build_legend(theme: Theme, y: float) -> dict[str, Any]:
    """A legend in a row below the plot."""
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": y,
        "yanchor": "top",
        "traceorder": "normal",
        "font": {"size": SMALL, "color": theme.ink},
    }


def note(text: str, x: float, y: float, theme: Theme, **more: object) -> dict[str, Any]:
    """A text in the plot that begins at x."""
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "xanchor": "left",
        "font": {"size": LABEL, "color": theme.ink},
        **more,
    }


def add_caption(spec: dict[str, Any], caption: str, theme: Theme = LIGHT) -> dict[str, Any]:
    """The figure with a caption line below it, for a file that is saved outside the page. Pure."""
    plain = spec["layout"]
    below = plain["margin"]["b"] + 2 * SMALL
    line = note(caption, 0, 0, theme, xref="paper", yref="paper", yanchor="bottom", yshift=-below + 4)
    line |= {"font": {"size": SMALL, "color": theme.ink}, "xshift": 4 - plain["margin"]["l"]}
    layout = {
        **plain,
        "height": plain["height"] + 2 * SMALL,
        "margin": {**plain["margin"], "b": below},
        "annotations": [*plain.get("annotations", ()), line],
    }
    return {**spec, "layout": layout}


def format_policy(policy: str, words: Words) -> str:
    """A policy's name in the language."""
    return words.text(f"memory.policy.{policy}")


def format_number(value: float | None, digits: int = 1) -> str:
    """A number for a table; a dash if it is unknown."""
    return "–" if value is None else f"{value:.{digits}f}"
