"""A button that copies the address of the page, which holds the whole scenario."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from lessons.server import network
from lessons.server.components import declare_component
from lessons.state import attempts
from lessons.text.translations import get_translations

_mount = declare_component("copy_link", "lib/element.js", "components/copy_link/copy_link.js")


def copy_link(
    *, key: str, label: str, done_label: str, params: dict[str, str], only: bool = False, instead: str = ""
) -> None:
    """Draw the button. After a press ``done_label`` is shown and announced.

    params   set in the copied address, beside its own (the language, if it was never chosen).
    only     drop the address's own parameters.
    instead  shown after a press if the page cannot be shared; nothing is then copied.
    If the address works on this computer only, the button says so and offers the addresses for other devices.
    """
    data = {"label": label, "done_label": done_label, "params": params, "only": only, "instead": instead}
    _mount(key=key, data={**data, "here": _find_local_only()}, width="content")


def _find_local_only() -> dict[str, Any] | None:
    local_only = network.find_local_only(attempts.get_page_address(), attempts.get_client_address)
    if local_only is None:
        return None
    say = get_translations(attempts.get_language()).text
    hosts = [urlsplit(address).netloc for address in local_only.others]
    others = [{"host": host, "label": say("site.link_for_others", host=host)} for host in hosts]
    return {"said": say("site.link_only_here"), "others": others}
