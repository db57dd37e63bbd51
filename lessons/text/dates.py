"""The date of a file, in the reader's time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


@dataclass(frozen=True)
class MadeOn:
    """The day on which a file was made (YYYY-MM-DD), and the time zone of that day."""

    day: str
    zone: str


def get_date(now: datetime, zone: str | None) -> MadeOn:
    """The day of `now` (an aware time) in the browser's time zone; in UTC if that is unknown."""
    try:
        known_zone = ZoneInfo(zone) if zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known_zone = None
    return MadeOn(now.astimezone(known_zone or UTC).date().isoformat(), known_zone.key if known_zone else "UTC")
