"""The maintainers' guide, read as what it is: files to make, changes to make, commands to run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.text.test_text import PAIRS

ROOT = Path(__file__).parent.parent.parent
GUIDE = ROOT / "lessons" / "MAINTAINING.md"
_BLOCK = re.compile(r"(?:^`(?P<path>[\w./]+)`\n)?^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_STRING = re.compile(r'^(\S+ = )"(.*)"$', re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """In `path` (may hold a `*`) the lines `old`, which stand there once, become `new`."""

    path: str
    old: str
    new: str


@dataclass
class Recipe:
    """One section of the guide. `files`: path and text of each new file. `text`: all of the section."""

    title: str
    text: str
    files: list[tuple[str, str]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


def recipes() -> dict[str, Recipe]:
    """The recipes by their last word, in the guide's order. Raises ValueError for a block that means nothing."""
    found = {}
    for section in GUIDE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title = section.partition("\n")[0]
        recipe = Recipe(title, section)
        for block in _BLOCK.finditer(section):
            _read(recipe, block["path"], block["kind"], block["body"])
        found[title.split()[-1]] = recipe
    return found


def _read(recipe: Recipe, path: str | None, kind: str, body: str) -> None:
    if path:
        recipe.files.append((path, body))
    elif kind == "sh":
        recipe.commands += body.splitlines()
    elif kind == "diff":
        for part in re.split(r"^--- ", body, flags=re.MULTILINE)[1:]:
            name, _, hunks = part.partition("\n")
            recipe.changes += [_change(name, hunk) for hunk in re.split(r"^@@\n", hunks, flags=re.MULTILINE)]
    else:
        raise ValueError(f"{recipe.title}: a block of {kind} without a file")


def _change(path: str, hunk: str) -> Change:
    lines = hunk.splitlines(keepends=True)
    if not all(line[0] in " +-" for line in lines):
        raise ValueError(f"{path}: {hunk}")
    old, new = ("".join(line[1:] for line in lines if line[0] in (" ", sign)) for sign in "-+")
    return Change(path, old, new)


def follow(recipe: Recipe, root: Path) -> None:
    """Make the recipe's files and changes below `root`, its English also in Chinese (see in_chinese).

    Raises ValueError where the lines that a change names do not stand in the file exactly once.
    """
    for path, text in recipe.files:
        for name, said in _languages(path, text):
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(said, encoding="utf-8")
    for change in recipe.changes:
        for name, new in _languages(change.path, change.new):
            for file in sorted(root.glob(name)):
                text = "\n" + file.read_text(encoding="utf-8")
                if text.count(f"\n{change.old}") != 1:
                    raise ValueError(f"{name}: not there once: {change.old}")
                file.write_text(text.replace(f"\n{change.old}", f"\n{new}")[1:], encoding="utf-8")


def _languages(path: str, text: str) -> list[tuple[str, str]]:
    """The file itself, and its Chinese twin where it is English."""
    twin = path.replace("strings/en/", "strings/zh/")
    said = _STRING.sub(lambda line: f'{line[1]}"{in_chinese(line[2])}"', text)
    return [(path, text)] if twin == path else [(path, text), (twin, said)]


def in_chinese(text: str) -> str:
    """Stands for a translation: in Chinese brackets, with the agreed terms."""
    for english, chinese in PAIRS.items():
        text = re.sub(english, chinese.split("|", maxsplit=1)[0], text, flags=re.IGNORECASE)
    return f"「{text}」"


def translate(root: Path, language: str) -> None:
    """Copy the English texts below `root` to another language: strings in ⟦brackets⟧, tokens in wide letters."""
    source, target = root / "lessons" / "text" / "strings" / "en", root / "lessons" / "text" / "strings" / language
    target.mkdir()
    for path in source.glob("*.toml"):
        lines = _lines(tomllib.loads(path.read_text(encoding="utf-8")), "⟦{}⟧".format)
        (target / path.name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    words = root / "assets" / "model" / "vocabulary.toml"
    lines = [
        re.sub(r'{ en = "(.*?)",', lambda found: f'{found[0]} {language} = "{wide(found[1])}",', line)
        for line in words.read_text(encoding="utf-8").splitlines()
    ]
    words.write_text("\n".join([*lines, ""]), encoding="utf-8")


def wide(text: str) -> str:
    """Full-width letters: a token's text has to stay short."""
    return "".join(chr(ord(letter) + 0xFEE0) if letter.isascii() and letter.isalpha() else letter for letter in text)


def _lines(value: object, said: Callable[[str], str], prefix: str = "") -> list[str]:
    """TOML of a value, each string on a line of its own under its whole key; lists are lists."""
    if isinstance(value, dict):
        dot = f"{prefix}." if prefix else ""
        return [line for key, inner in value.items() for line in _lines(inner, said, f"{dot}{key}")]
    told = [said(str(each)) for each in value] if isinstance(value, list) else said(str(value))
    return [f"{prefix} = {json.dumps(told, ensure_ascii=False)}"]
