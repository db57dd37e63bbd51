"""Keeps what is chosen in a form when the language changes. What was not yet sent is known in the browser only."""

from __future__ import annotations

from lessons.server.components import declare_component

_mount = declare_component("keep_choices", "lib/after_run.js", "components/keep_choices/keep_choices.js")


def keep_choices(key: str, language: str) -> None:
    """Draw nothing; call it beside the form, not in it."""
    _mount(key=key, data={"language": language})
