"""Every key in the code has a string, and every string is used."""

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
LESSON = f"(?:{'|'.join([*LESSONS, 'task'])})"


def pattern(key: ast.expr) -> str | None:
    """Regular expression for a key in the code; a value in an f-string matches anything. None for a variable."""
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
    """The pages and figures ask for no missing string."""
    asked = list(keys_in_code())
    assert len(asked) > 80
    assert [(name, key) for name, key in asked if not any(re.fullmatch(key, known) for known in EN)] == []


def named_in_code() -> Iterator[str]:
    """Patterns of everything in the code of the engine and the pages that looks like a key."""
    for path in [*(ROOT / "lessons").rglob("*.py"), *(ROOT / "lab").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = pattern(node) if isinstance(node, ast.Constant | ast.JoinedStr) else None
            found = re.sub(r"^\[\\w\.\]\+(?=\\\.)", LESSON, found or "")  # a lesson's topic is its name
            if re.match(rf"([a-z_]+|{re.escape(LESSON)})\\\.", found):
                yield found


def test_no_string_is_left_over() -> None:
    """Strings that no page uses are removed; the code always writes a topic out."""
    named = [re.compile(each) for each in set(named_in_code())]  # more than re's own cache holds
    assert len(named) > 80
    assert [key for key in EN if not any(each.fullmatch(key) for each in named)] == []
