"""The question before a key step of a prepared scenario, and the point after it."""

from __future__ import annotations

from lessons.sandbox_place import SandboxPlace
from lessons.text import WordsOf


def notes(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the note of the place in view, if there is one."""
