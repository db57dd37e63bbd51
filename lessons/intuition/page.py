"""The first lesson: where the KV of a request is stored."""

from __future__ import annotations

from lessons.intuition.flow import draw_page

draw_page()
