"""What a change of the pool or the requests made of the operations so far."""

from __future__ import annotations

from lessons.sandbox_place import SandboxPlace
from lessons.text import WordsOf


def compared(here: SandboxPlace, words: WordsOf) -> None:
    """Which operations now end differently, if something was just changed."""
