"""The pictures of a run that is presented: as much detail as the window leaves legible, the same for the whole run."""

from __future__ import annotations

from lab.figures.memory.metrics import Detail
from lab.figures.memory.projected import ROOM, choose_detail
from lab.trace.timeline import Timeline
from lessons.state import notes, presenting
from lessons.text.translations import Translations

_KEPT = "present.detail"


def find_detail(words: Translations, *timelines: Timeline, room: float = ROOM) -> tuple[Detail | None, float]:
    """The detail for a run, or for two runs side by side, in this height, and the height of the highest picture.

    (None, 0) if the page is not presented.
    """
    if not presenting.is_on():
        return None, 0
    runs = tuple((each.config, tuple(step.operation for step in each.steps)) for each in timelines)
    key = runs, words.identity, room
    kept, found = notes.get_note(_KEPT, (None, (None, 0.0)))
    if kept != key:
        states = [
            state for each in timelines for state in (each.start, *(s for step in each.steps for s in step.snapshots))
        ]
        found = choose_detail(states, words, half=len(timelines) > 1, room=room)
        notes.set_note(_KEPT, (key, found))
    detail, tallest = found
    return detail, tallest
