"""Texts of links and records as the lab writes them today, from the shorter ones of its first version."""

from __future__ import annotations

from typing import Any

from lab.activities import old_links
from lab.activities.attempt import encode


def new(text: str, key: str = "run") -> str:
    """What an earlier text stands for, as a text of today. `key`: the address's key for it."""
    return encode(old_links.read(text, key)[0])


def saved(*texts: str, key: str = "run") -> dict[str, Any]:
    """A record with these attempts, as the lab keeps it today."""
    found = [old_links.read(text, key)[0] for text in texts]
    return {"attempts": {attempt.activity: encode(attempt) for attempt in found}}
