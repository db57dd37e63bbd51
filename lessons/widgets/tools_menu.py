"""The button that opens the page's tools if the bar has no room for them; see tools_menu.css."""

from __future__ import annotations

from lessons.server.components import declare_component

_mount = declare_component("tools_menu", "lib/element.js", "components/tools_menu/tools_menu.js")


def mount_tools_menu(label: str, page: str) -> None:
    """Draw the button. It opens the container with the key "tools"; a change of ``page`` closes it."""
    _mount(key="tools_menu", data={"label": label, "page": page})
