"""The day on which a file was made, where its reader is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@dataclass(frozen=True)
class MadeOn:
    """When a file was made: the day (YYYY-MM-DD) in that time zone."""

    day: str
    zone: str


def get_date(now: datetime, zone: str | None) -> MadeOn:
    """The day in the time zone that the browser names; in UTC where it names none that is known. `now`: aware."""
    try:
        there = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        there = None
    return MadeOn(now.astimezone(there or UTC).date().isoformat(), there.key if there else "UTC")
