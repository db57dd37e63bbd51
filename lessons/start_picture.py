"""The picture on Start, made ahead of time by a run of the engine, so that Start needs neither torch nor Plotly.

`python -m lessons.start_picture` makes the files again; a test compares them with a fresh run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lessons.text import LANGUAGES, Language, words

COLUMNS = (8, 4)
_FOLDER = Path(__file__).resolve().parent.parent / "assets" / "start"


@dataclass(frozen=True)
class StoredPicture:
    """A figure as JSON and the sentence that says the same."""

    figure: str
    sentence: str


def _path(language: Language, columns: int) -> Path:
    return _FOLDER / f"{language}_{columns}.json"


@cache
def stored(language: Language, columns: int) -> StoredPicture:
    """The picture of a language and a width, from its file."""
    return StoredPicture(**json.loads(_path(language, columns).read_text(encoding="utf-8")))


def build(language: Language, columns: int) -> dict[str, Any]:
    """Run the engine and draw what it did."""
    from lab.figures.memory import memory_picture  # noqa: PLC0415  (only the maker and the test need these)
    from lab.operations import Allocate  # noqa: PLC0415
    from lab.scenarios import start_config  # noqa: PLC0415
    from lab.timeline import Timeline  # noqa: PLC0415

    run = Timeline.replay(start_config(), [Allocate("C"), Allocate("D")])
    picture = memory_picture(run.snapshot(len(run.steps)), words(language), selected="D", columns=columns, clickable=())
    return {"figure": json.dumps(picture.spec, ensure_ascii=False), "sentence": picture.sentence}


def main() -> None:
    """Write every file."""
    _FOLDER.mkdir(exist_ok=True)
    for language in LANGUAGES:
        for columns in COLUMNS:
            text = json.dumps(build(language, columns), ensure_ascii=False, indent=0)
            _path(language, columns).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
