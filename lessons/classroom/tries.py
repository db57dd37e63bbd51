"""Wrong codes, limited by the place that they come from, so that nobody finds a code by trying."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from lab.classroom.errors import TooManyTriesError

MAX_WRONG = 30  # from one address: a whole class may sit behind it, and its typing errors should not lock it out
WINDOW = 60.0  # seconds
_MOST_PLACES = 10_000


class Tries:
    """Counts wrong codes in a window of time. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, place: str) -> None:
        """Raise TooManyTriesError if too many wrong codes came from here in the last minute."""
        with self._lock:
            recent = self._get_recent(place)
            if len(recent) >= MAX_WRONG:
                raise TooManyTriesError(seconds=int(recent[0] + WINDOW - time.monotonic()) + 1)

    def add_wrong(self, place: str) -> None:
        """Count a wrong code."""
        with self._lock:
            self._wrong[place] = [*self._get_recent(place), time.monotonic()]
            self._wrong.move_to_end(place)
            if len(self._wrong) > _MOST_PLACES:
                self._wrong.popitem(last=False)

    def _get_recent(self, place: str) -> list[float]:
        since = time.monotonic() - WINDOW
        return [moment for moment in self._wrong.get(place, ()) if moment > since]
