"""Lesson: why the KV of a request need not be contiguous."""

from __future__ import annotations

from lessons.intuition import intuition

intuition()
