"""The pool and the requests of the sandbox, to be changed."""

from __future__ import annotations

from lessons.sandbox_place import SandboxPlace
from lessons.text import WordsOf


def setup(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the fields."""
