"""A new page starts at its top, wherever the page before was scrolled to."""

from __future__ import annotations

from lessons.server.components import declare_component

_mount = declare_component("top_of_page", "components/top_of_page/top_of_page.js")


def scroll_to_top(page: str) -> None:
    """Scroll to the top if ``page`` has changed. Call it after the page is drawn."""
    _mount(key="top_of_page", data={"page": page})
