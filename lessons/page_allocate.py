"""Allocate: how a request gets its pages."""

from __future__ import annotations

from lessons.lesson import lesson

lesson("allocate")
