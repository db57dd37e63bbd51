"""The colours of the pictures. Figures are built in LIGHT; the page swaps each light hex for its dark one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Hue:
    """One request's colour: `line` for frames and connectors, `tint` to fill cells, `ink` for text."""

    line: str
    tint: str
    ink: str


@dataclass(frozen=True)
class Theme:
    """Named colours of one theme, all '#rrggbb'."""

    background: str  # the page behind a figure
    panel: str  # the pool (one tensor)
    panel_line: str
    card: str  # inside of a page or block
    ink: str  # text
    muted: str  # secondary text
    frame: str  # frame of a block that no request owns
    cell: str  # outline of a slot that was never written
    stale: str  # fill of a slot whose KV is no longer needed
    stale_ink: str
    findable: str  # frame of a free block that can still be found by its content
    hatch: str  # empty slots
    changed: str  # halo around changes of the last operation
    changed_line: str  # edge of that halo; outline of a changed cell
    changed_ink: str  # text on the halo's colour
    lit: str  # the current stage of a life cycle
    lit_ink: str  # text on it
    key: str  # K and V in the drawing for newcomers
    value: str
    hues: tuple[Hue, ...]

    def colors(self) -> Iterator[tuple[str, str]]:
        """Name and hex of every colour; the same names in the same order in every theme."""
        for field in fields(self):
            if field.name != "hues":
                yield field.name, getattr(self, field.name)
        for i, hue in enumerate(self.hues):
            for part in fields(hue):
                yield f"hues.{i}.{part.name}", getattr(hue, part.name)


# Hues after Okabe and Ito, each darkened or lightened until it reads on its background: blue, vermillion,
# bluish green, reddish purple, orange, sky blue. Their yellow is reserved for changes.
LIGHT = Theme(
    background="#fcfcfa",
    panel="#f0f3f3",
    panel_line="#c3cdcf",
    card="#ffffff",
    ink="#16242b",
    muted="#54646b",
    frame="#8b9a9f",
    cell="#d3dadb",
    stale="#e6e9e9",
    stale_ink="#5b686e",
    findable="#4d5b61",
    hatch="#7f8c91",
    changed="#f7e34a",
    changed_line="#7a5f00",
    changed_ink="#2a2200",
    lit="#0b5563",
    lit_ink="#fefefe",
    key="#dcebe4",
    value="#efe3d0",
    hues=(
        Hue("#0072b2", "#d2e6f4", "#00568a"),
        Hue("#d55e00", "#fbdfcd", "#9a4200"),
        Hue("#009e73", "#cdeee2", "#00654a"),
        Hue("#bd5f95", "#f5dfeb", "#8a3566"),
        Hue("#b97e00", "#fbe9c4", "#745000"),
        Hue("#2f93cd", "#d9effb", "#17618f"),
    ),
)
DARK = Theme(
    background="#10191d",
    panel="#172227",
    panel_line="#3a4b51",
    card="#1d2a30",
    ink="#e8eeee",
    muted="#a9b8bc",
    frame="#6d7f85",
    cell="#36464c",
    stale="#2b393f",
    stale_ink="#a3b1b5",
    findable="#a7b7bc",
    hatch="#8a999e",
    changed="#f0e442",
    changed_line="#fff3a0",
    changed_ink="#1c1a00",
    lit="#5cc4cf",
    lit_ink="#08191c",
    key="#1f4438",
    value="#4a3a22",
    hues=(
        Hue("#4da6e0", "#143d59", "#a9d7f7"),
        Hue("#f08a45", "#5a2c0e", "#ffc9a3"),
        Hue("#2fc397", "#0d4636", "#97e8cf"),
        Hue("#dd8fbc", "#54284a", "#f6c6e0"),
        Hue("#e3a72f", "#4d3804", "#f8d68c"),
        Hue("#6cc3f2", "#1a4a66", "#bfe5fb"),
    ),
)

_DASHES = ("solid", "6px,3px")


def request_style(seq_id: str) -> tuple[int, str]:
    """(index of the hue, dash of the frame) of a request: always the same for one name, 12 in all."""
    number = ord(seq_id[0]) - ord("A") + (5 * (int(seq_id[1:]) + 1) if seq_id[1:].isdigit() else 0)
    hues = len(LIGHT.hues)
    return number % hues, _DASHES[number // hues % len(_DASHES)]


def map_colors(theme: Theme) -> dict[str, str]:
    """Light hex -> that theme's hex, for the swap in the browser."""
    return {light: other for (_, light), (_, other) in zip(LIGHT.colors(), theme.colors(), strict=True)}


def get_dark_colors() -> dict[str, str]:
    """Light hex -> dark hex, for the swap in the browser."""
    return map_colors(DARK)
