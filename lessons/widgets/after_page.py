"""What the browser does once the page is drawn, through one element that stays on the page.

It announces changes to screen readers: Streamlit shows a changed text as a new element, and screen readers do not
announce a new element, whatever its role. It moves the focus and the window to new content. A new page begins at its
top.
"""

from __future__ import annotations

from typing import Any

from lessons.server.components import declare_component
from lessons.state.session import get_session

_KEY = "after_page"
_mount = declare_component(
    _KEY,
    "lib/after_run.js",
    "lib/element.js",
    "components/after_page/focus.js",
    "components/after_page/after_page.js",
)


def begin() -> None:
    """Drop what the last run wanted. Call it before the page is drawn."""
    get_session().pop(_KEY, None)


def _get_wanted() -> dict[str, Any]:
    wanted: dict[str, Any] = get_session().setdefault(_KEY, {"texts": [], "focus": {}})
    return wanted


def announce(*texts: str) -> None:
    """Announce these texts, which are also on the page, if they have changed. Nothing is announced as a page opens."""
    _get_wanted()["texts"] += filter(None, texts)


def focus_on(target: str, *, key: str, stamp: str, view: str = "", look: str = "", opens: bool = False) -> None:
    """Focus the heading in the container with the key ``target`` when ``stamp`` changes, but not as the page opens.

    key    tells it from others on the page.
    view   the key of the container to scroll to the window's top (see its scroll-margin); without one the focused
           heading is only scrolled into view.
    look   when it changes, the window scrolls but the focus stays.
    opens  scroll also as the page opens.
    """
    moves = {"target": target, "stamp": stamp, "view": view, "look": look, "opens": opens}
    _get_wanted()["focus"][key] = moves


def mount(page: str) -> None:
    """Send it all to the browser. Call it after the page is drawn."""
    _mount(key=_KEY, data={"page": page, **_get_wanted()})
