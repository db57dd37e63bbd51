"""The engine's source as highlighted HTML lines, from Python's own tokenizer. All text is escaped."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator
from functools import cache
from html import escape

from lab.trace.engine_source import SOURCE

_SOURCE = SOURCE.splitlines()
_KINDS = {tokenize.STRING: "s", tokenize.COMMENT: "c", tokenize.NUMBER: "m"}


@cache
def highlight_lines() -> tuple[str, ...]:
    """Return the HTML of each line without its indent; the first line of the file is item 0."""
    marks = dict[int, list[tuple[int, int, str]]]()
    for line, start, end, kind in _find_marks():
        marks.setdefault(line, []).append((start, end, kind))
    return tuple(_build_html(text, marks.get(line, [])) for line, text in enumerate(_SOURCE, 1))


def measure_indent(line: int) -> int:
    """Return the indent of a line, counted from 1, in spaces."""
    text = _SOURCE[line - 1]
    return len(text) - len(text.lstrip())


def _find_marks() -> Iterator[tuple[int, int, int, str]]:
    """Yield (line, start, end, class) for each coloured token. A token of several lines is split into its lines."""
    defined = False
    for token in tokenize.generate_tokens(io.StringIO(SOURCE).readline):
        kind = _KINDS.get(token.type, "")
        if token.type == tokenize.NAME:
            kind = "k" if keyword.iskeyword(token.string) else "f" if defined else ""
            defined = token.string in ("def", "class")
        elif token.string == "->":
            kind = "w"  # must not wrap
        if kind:
            (first, start), (last, end) = token.start, token.end
            for line in range(first, last + 1):
                yield line, start if line == first else 0, end if line == last else len(_SOURCE[line - 1]), kind


def _build_html(text: str, marks: list[tuple[int, int, str]]) -> str:
    parts, at = list[str](), len(text) - len(text.lstrip())
    for start, end, kind in marks:
        begin = max(start, at)
        parts += [escape(text[at:begin]), f'<span class="{kind}">{escape(text[begin:end])}</span>']
        at = end
    return "".join([*parts, escape(text[at:])])
