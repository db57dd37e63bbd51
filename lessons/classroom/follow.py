"""The presented window, in the second one: its notes and its buttons, with or without a class.

In one browser the two windows talk to each other and to nobody else (a BroadcastChannel of this origin). On two devices
they lead the same class and talk through the server, see relay.py.
"""

from __future__ import annotations

from lessons.classroom.roles import find_own_relay
from lessons.server.components import declare_component
from lessons.text.translations import Translations

_WORDS = ("alone", "back", "forward", "blank", "blank_button", "cut")

_mount = declare_component("presented", "lib/element.js", "lib/relay.js", "components/classroom/follow.js")


def draw_presented(words: Translations, *, in_class: bool) -> None:
    """Draw what the presented window tells, as soon as it tells it. In a class it need not be there."""
    told = {name: words.text(f"present.side.{name}") for name in _WORDS}
    data = {"words": told | ({"alone": ""} if in_class else {}), "relay": find_own_relay()}
    _mount(key="class_follow", data=data)
