"""Streamlit knows a component by its name alone: of two alike, the one that is imported last takes both places."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

LESSONS = Path(__file__).parents[2] / "lessons"


def test_every_component_has_a_name_of_its_own() -> None:
    texts = [path.read_text("utf-8") for path in LESSONS.rglob("*.py")]
    names = [name for text in texts for name in re.findall(r'= declare_component\(\s*"(\w+)"', text)]
    assert names
    assert [name for name, count in Counter(names).items() if count > 1] == []
