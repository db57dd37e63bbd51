"""The presented window of the same browser, in the second one: its notes and its buttons, with or without a class.

The two windows talk to each other and to nobody else (a BroadcastChannel of this origin).
"""

from __future__ import annotations

from lessons.server.components import declare_component
from lessons.text.translations import Translations

_WORDS = ("alone", "back", "forward", "blank", "blank_button")

_mount = declare_component("presented", "lib/element.js", "components/classroom/follow.js")


def draw_presented(words: Translations, *, in_class: bool) -> None:
    """Draw what the presented window tells, as soon as it tells it. In a class it need not be there."""
    told = {name: words.text(f"present.side.{name}") for name in _WORDS}
    _mount(key="class_follow", data={"words": told | ({"alone": ""} if in_class else {})})
