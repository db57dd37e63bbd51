"""Broken invariants as text."""

from __future__ import annotations

from collections.abc import Iterable

from lab.engine.invariants import Finding
from lessons.text.translations import Translations


def format_findings(findings: Iterable[Finding], words: Translations) -> str:
    """One clause for each finding, with its numbers; ids as a Python list."""
    clauses = []
    for each in findings:
        values = {n: f"`{list(value)}`" if isinstance(value, tuple) else value for n, value in each.numbers}
        clauses.append(words.text(f"task.invariants.detail.{each.invariant}", **values))
    return words.text("figures.semicolon").join(clauses)
