"""The colours of the pictures on a projector: black on white or white on black, every text with a contrast of 7:1."""

from __future__ import annotations

from functools import cache

from lab.figures.theme import Hue, Theme, map_colors

# The hues of lab/figures/theme.py, darker on white and lighter on black, so that a weak projector still separates them.
BLACK_ON_WHITE = Theme(
    background="#ffffff",
    panel="#f2f2f2",
    panel_line="#000000",
    card="#ffffff",
    ink="#000000",
    muted="#2e3b41",
    frame="#3d3d3d",
    cell="#8c8c8c",
    stale="#e2e2e2",
    stale_ink="#333333",
    findable="#1a1a1a",
    hatch="#4d4d4d",
    changed="#ffe500",
    changed_line="#4a3a00",
    changed_ink="#000000",
    lit="#003a45",
    lit_ink="#ffffff",
    key="#dcebe4",
    value="#efe3d0",
    hues=(
        Hue("#00467a", "#d2e6f4", "#003a66"),
        Hue("#a33c00", "#fbdfcd", "#6e2c00"),
        Hue("#006b4d", "#cdeee2", "#00483a"),
        Hue("#8a2f66", "#f5dfeb", "#661d4a"),
        Hue("#7a5200", "#fbe9c4", "#4f3500"),
        Hue("#1d6396", "#d9effb", "#0c4368"),
    ),
)
WHITE_ON_BLACK = Theme(
    background="#000000",
    panel="#111111",
    panel_line="#ffffff",
    card="#000000",
    ink="#ffffff",
    muted="#dcdcdc",
    frame="#b8b8b8",
    cell="#707070",
    stale="#333333",
    stale_ink="#e0e0e0",
    findable="#ededed",
    hatch="#b0b0b0",
    changed="#ffe95c",
    changed_line="#fff8c9",
    changed_ink="#000000",
    lit="#8be4ec",
    lit_ink="#000000",
    key="#1f4438",
    value="#4a3a22",
    hues=(
        Hue("#5fb8f2", "#0b2c45", "#c4e5fb"),
        Hue("#ff9d5c", "#43200a", "#ffd9c0"),
        Hue("#3fd9ad", "#06352a", "#b4f2e0"),
        Hue("#f0a5d0", "#3f1c37", "#fbd9ec"),
        Hue("#f5bc4a", "#3a2a02", "#fce4b0"),
        Hue("#86d2ff", "#123a54", "#d3edff"),
    ),
)


@cache
def get_projector_colors(dark: bool) -> dict[str, str]:
    """Light hex -> the projector's, white on black if `dark`, for the swap in the browser. Shared: do not change it."""
    return map_colors(WHITE_ON_BLACK if dark else BLACK_ON_WHITE)
