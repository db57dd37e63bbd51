"""The code and the strings fit: every key that is asked for is there, and no string is left over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lab.activities.cases import LESSONS
from lessons.text.translations import load_strings

ROOT = Path(__file__).parent.parent.parent
EN = load_strings("en")
SOURCES = [*(ROOT / "lessons").rglob("*.py"), *(ROOT / "lab" / "figures").rglob("*.py")]
LESSON = f"(?:{'|'.join(LESSONS)})"


def pattern(key: ast.expr) -> str | None:
    """Regular expression of a key in the code, a value in an f-string for any part of it; None for a variable."""
    if isinstance(key, ast.Constant):
        return re.escape(str(key.value))
    if isinstance(key, ast.JoinedStr):
        return "".join(re.escape(str(v.value)) if isinstance(v, ast.Constant) else r"[\w.]+" for v in key.values)
    return None


def keys_in_code() -> Iterator[tuple[str, str]]:
    """(file, pattern) for every `.text(key)` and `say(key)`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(("words.text", "say")):
                key = node.args[0]
                for branch in (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,):
                    if (found := pattern(branch)) is not None:
                        yield path.name, found


def test_every_key_in_the_code_has_a_string() -> None:
    """The pages and figures ask for no string that is not there."""
    asked = list(keys_in_code())
    assert len(asked) > 80
    assert [(name, key) for name, key in asked if not any(re.fullmatch(key, known) for known in EN)] == []


def named_in_code() -> Iterator[str]:
    """Patterns of everything in the code that looks like a key, wherever it stands; engine and pages."""
    for path in [*(ROOT / "lessons").rglob("*.py"), *(ROOT / "lab").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = pattern(node) if isinstance(node, ast.Constant | ast.JoinedStr) else None
            found = re.sub(r"^\[\\w\.\]\+(?=\\\.)", LESSON, found or "")  # a lesson's name stands for its topic
            if re.match(rf"([a-z_]+|{re.escape(LESSON)})\\\.", found):
                yield found


def test_no_string_is_left_over() -> None:
    """What the pages no longer say is gone from the files; a topic is always written out in the code."""
    named = [re.compile(each) for each in set(named_in_code())]  # more than re keeps compiled by itself
    assert len(named) > 80
    assert [key for key in EN if not any(each.fullmatch(key) for each in named)] == []
