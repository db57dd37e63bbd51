"""Moves the focus and the window to new content, if the control that was pressed has disappeared."""

from __future__ import annotations

from lessons.server.components import declare_component

_mount = declare_component("focus", "lib/after_run.js", "components/focus/focus.js")


def focus_on(target: str, *, key: str, stamp: str, view: str = "", look: str = "", opens: bool = False) -> None:
    """Focus the heading in the container with the key ``target`` when ``stamp`` changes, but not as the page opens.

    view   the key of the container to scroll to the window's top (see its scroll-margin); without one the focused
           heading is only scrolled into view.
    look   when it changes, the window scrolls but the focus stays.
    opens  scroll also as the page opens.
    """
    _mount(key=key, data={"target": target, "stamp": stamp, "view": view, "look": look, "opens": opens})
