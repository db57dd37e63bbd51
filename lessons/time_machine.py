"""Time travel in the sandbox: the list of all operations with what each changed; first, back, forward, last, play."""

from __future__ import annotations

from lessons import run_panel
from lessons.sandbox_place import SandboxPlace
from lessons.text import WordsOf


def time_machine(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the controls."""
    run_panel.time_travel(here.place, here.timeline, words)
