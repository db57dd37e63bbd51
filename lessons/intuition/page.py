"""Lesson: where the KV of a request lies."""

from __future__ import annotations

from lessons.intuition.flow import draw_page

draw_page()
