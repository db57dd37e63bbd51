"""Start's picture: kept as a run of the allocator draws it, stepped by its button, and no answer to the first lesson.

That Start needs neither torch nor pandas: tests/pages/test_pages.py.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from lab.activities.start_run import run_start_steps
from lab.trace.contiguous import NoHoleError
from lessons.activity import course
from lessons.start.picture import COLUMNS, build, load
from lessons.text.translations import Language, get_translations
from tests.pages.test_pages import address, go, keys, press, task, texts, titles
from tests.sample import every_language


@pytest.mark.parametrize("columns", COLUMNS)
@every_language
def test_what_is_kept_is_what_a_fresh_run_draws(language: Language, columns: int) -> None:
    """Else: `python -m lessons.start.picture`. Every step is as high as the others, so that the button stays."""
    assert [asdict(step) for step in load(language, columns)] == build(language, columns)
    assert len({json.loads(step.figure)["layout"]["height"] for step in load(language, columns)}) == 1


def test_it_shows_the_trouble_and_not_the_answer() -> None:
    """Every request lies in one piece; the last one is refused though enough slots are free."""
    steps = run_start_steps()
    for step in steps:
        owners = [segment.owner for segment in step.state.segments if segment.owner]
        assert len(owners) == len(set(owners))
    refusal = steps[-1].state.refusal
    assert isinstance(refusal, NoHoleError)
    assert refusal.external
    assert all(step.state.refusal is None for step in steps[:-1])


@every_language
def test_the_button_steps_and_the_last_step_leads_to_the_question(language: Language) -> None:
    """The address holds the step; after the last one the same button begins again."""
    at, say, kept = task(language, "start"), get_translations(language), load(language, 8)
    for number, step in enumerate(kept, 1):
        assert step.caption in texts(at)
        assert say.text("start.picture_at", step=number, total=len(kept)) in texts(at)
        assert ("picture_question" in keys(at)) == (number == len(kept))
        at = press(at, "picture_next")
    assert (address(at, "start"), kept[0].caption in texts(at)) == ("", True)
    at = press(go(at, start=str(len(kept))), "picture_question")
    assert titles(at) == [say.text(f"{course.ORDER[0]}.title")]
    for wrong in ("0", "6", "two", "１"):
        assert kept[0].caption in texts(task(language, "start", start=wrong))
