"""Keeps the current line of the source in view while the learner steps through a run."""

from __future__ import annotations

from lessons.server.components import declare_component

_mount = declare_component("scroll_to_line", "lib/after_run.js", "components/scroll_to_line/scroll_to_line.js")


def follow(*, key: str, line: int, stamp: str, focus: bool = False, top: bool = False) -> None:
    """Scroll the source's box to this line of the file, once for each new ``stamp``.

    focus  the learner asked for this line, so the focus moves to the name of its method.
    top    scroll the line to the top of the box instead of its middle.
    """
    _mount(key=key, data={"line": line, "stamp": stamp, "focus": focus, "top": focus or top})
