"""A state of the sandbox to be passed on: a link, a QR code, a file; files in."""

from __future__ import annotations

from lessons.sandbox_place import SandboxPlace
from lessons.text import WordsOf


def share(here: SandboxPlace, words: WordsOf) -> None:
    """Draw what passes the state on."""
