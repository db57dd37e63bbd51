"""Measure the width of a text, and shrink, shorten or wrap it to fit."""

from __future__ import annotations

import math
import re
from unicodedata import category

# A Chinese character with its closing punctuation, or a word with its space.
_PIECE = re.compile(
    r"[“（]?[\u2e80-\u9fff][，。；：、？）”]*|[^\s\u2e80-\u9fff，。；：、？）”“（]+[，。；：、？）”]*\s*|\s+|."
)
_FIRST_MARK = 0x300  # below this character none combines with the one before it
_JOINERS = "\u200d\u200c"
# Advance widths in em of DejaVu Sans, the widest of the common system fonts: a text that fits here fits in the others.
_NARROW, _WIDE = "ijlI|!'.,:;·", "mwMW@%—…→"
_WIDTHS = {
    " ": 0.32, "t": 0.39, "f": 0.35, "r": 0.41, "s": 0.52, "c": 0.55, "k": 0.58, "z": 0.53, "-": 0.36, "·": 0.32,
    "w": 0.82, "m": 0.98, "(": 0.39, ")": 0.39, "/": 0.34, "_": 0.5, "→": 0.84, "+": 0.84, "×": 0.84, "=": 0.84,
    "#": 0.84, "!": 0.4,
}  # fmt: skip


def measure_text(text: str, size: float, bold: bool = False) -> float:
    """The width of a text in pixels, estimated rather too wide."""
    em, before = 0.0, ""
    for char in text:
        if ord(char) >= _FIRST_MARK and _is_joined(before, char):
            pass
        elif ord(char) > 0x2E7F:
            em += 1.0
        elif char in _WIDTHS:
            em += _WIDTHS[char]
        elif char in _NARROW:
            em += 0.32
        elif char in _WIDE:
            em += 0.95
        else:
            em += 0.7 if char.isupper() else 0.63
        before = char
    return em * size * (1.1 if bold else 1.0)


def _is_joined(before: str, char: str) -> bool:
    """Does this character combine with the one before it: a mark, a joiner, the next part of an emoji?"""
    within = char in _JOINERS or "\U0001f3fb" <= char <= "\U0001f3ff" or category(char).startswith("M")
    return within or (before == _JOINERS[0] and category(char) == "So")


def fit_size(text: str, width: float, size: float, smallest: float, bold: bool = False) -> float:
    """The largest font size from `smallest` to `size` at which the text fits; `smallest` if none does."""
    return max(smallest, min(size, math.floor(10 * width / measure_text(text or " ", 1, bold)) / 10))


def shorten(text: str, width: float, size: float) -> str:
    """The text, cut with an ellipsis if it does not fit."""
    if measure_text(text, size) <= width:
        return text
    while len(text) > 1 and measure_text(text + "…", size) > width:
        text = text[:-1]
    return text + "…"


def wrap(text: str, width: float, size: float) -> list[str]:
    """The text in lines that fit: broken after spaces, and before Chinese characters."""
    lines = [""]
    for piece in _PIECE.findall(text):
        if lines[-1] and measure_text((lines[-1] + piece).rstrip(), size) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]
