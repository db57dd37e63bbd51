"""Which invariant is broken by what: numbers of the state, in words."""

from __future__ import annotations

from collections.abc import Iterable

from lab.engine.invariants import Finding
from lessons.text.translations import Translations


def format_findings(found: Iterable[Finding], words: Translations) -> str:
    """What disagrees, one clause for each finding. Ids are given as a list."""
    clauses = []
    for each in found:
        values = {n: f"`{list(value)}`" if isinstance(value, tuple) else value for n, value in each.numbers}
        clauses.append(words.text(f"task.invariants.detail.{each.invariant}", **values))
    return words.text("figures.semicolon").join(clauses)
