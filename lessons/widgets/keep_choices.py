"""Keeps what is filled in in a form when the language changes, and over a reload. It is known in the browser only."""

from __future__ import annotations

from collections.abc import Sequence

from lessons.server.components import declare_component

_mount = declare_component("keep_choices", "lib/after_run.js", "components/keep_choices/keep_choices.js")


def keep_choices(name: str, keys: Sequence[str], language: str) -> None:
    """Draw nothing; call it beside the form with this name, not in it. `keys`: of its questions."""
    _mount(key=f"{name}.keep", data={"form": list(keys), "language": language})
