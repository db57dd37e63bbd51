"""The picture on Start, step by step. Built ahead of time from a run, so that Start needs neither torch nor pandas.

`python -m lessons.start.picture` rebuilds the files; a test compares them with a fresh run.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.activities.start_run import run_start_steps
from lab.figures.contiguous import draw_contiguous
from lessons.text.translations import LANGUAGES, Language, get_translations

COLUMNS = (8, 4)
_FOLDER = Path(__file__).resolve().parent.parent.parent / "assets" / "start"


@dataclass(frozen=True)
class StoredStep:
    """One step: a figure as JSON, a caption for what happened, and a sentence that describes the figure."""

    figure: str
    caption: str
    sentence: str


def _get_path(language: Language, columns: int) -> Path:
    return _FOLDER / f"{language}_{columns}.json"


@cache
def load(language: Language, columns: int) -> tuple[StoredStep, ...]:
    """Read the steps in a language and a width from their file."""
    stored = json.loads(_get_path(language, columns).read_text(encoding="utf-8"))
    return tuple(StoredStep(**step) for step in stored)


def build(language: Language, columns: int) -> list[dict[str, str]]:
    """Run the allocator and draw each step. All steps get the same height, so that the button below stays in place."""
    say, steps = get_translations(language), run_start_steps()
    pictures = [draw_contiguous(step.state, say, columns=columns) for step in steps]
    highest = max(picture.spec["layout"]["height"] for picture in pictures)
    found = []
    for step, picture in zip(steps, pictures, strict=True):
        layout = picture.spec["layout"]
        layout |= {"height": highest, "yaxis": layout["yaxis"] | {"range": [highest, 0]}}
        caption = say.text(f"start.step.{step.caption}", **step.numbers)
        figure = json.dumps(picture.spec, ensure_ascii=False)
        found.append({"figure": figure, "caption": caption, "sentence": picture.sentence})
    return found


def main() -> None:
    """Write every file."""
    _FOLDER.mkdir(exist_ok=True)
    for language in LANGUAGES:
        for columns in COLUMNS:
            text = json.dumps(build(language, columns), ensure_ascii=False, indent=0)
            _get_path(language, columns).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
