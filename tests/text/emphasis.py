"""Where Markdown would show the asterisks of `**bold**` instead of bold: the flanking rules of CommonMark 0.31, 6.2."""

from __future__ import annotations

import re
import unicodedata

_CODE = re.compile(r"`+[^`]*`+")
_MARK = re.compile(r"(?<![\\*])\*\*(?!\*)")


def asterisks_shown(text: str) -> list[str]:
    """The text around each `**` that neither opens nor closes bold text; empty if there is none."""
    return [place for block in re.split(r"\n\s*\n", text) for place in _in_block(_CODE.sub("x", block))]


def _in_block(block: str) -> list[str]:
    """A `**` that could both open and close closes the open one."""
    shown: list[str] = []
    opened: list[str] = []
    for mark in _MARK.finditer(block):
        before, after = block[: mark.start()][-1:], block[mark.end() :][:1]
        here = block[max(0, mark.start() - 12) : mark.end() + 12]
        if opened and _touches(before, after):
            opened.pop()
        elif _touches(after, before):
            opened.append(here)
        else:
            shown.append(here)
    return shown + opened


def _touches(inner: str, outer: str) -> bool:
    """May bold text begin or end between these characters? After punctuation only before a space or punctuation."""
    if not inner or inner.isspace():
        return False
    return not _punctuation(inner) or not outer or outer.isspace() or _punctuation(outer)


def _punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
