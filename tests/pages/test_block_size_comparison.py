"""The part `block_size 8` as Streamlit runs it, without a browser: form, run, 4 beside 8, any size, any link."""

from __future__ import annotations

import pytest

from lab.activities.block_size_runs import run_at_all_sizes
from lab.activities.question import FORMS
from lab.figures.block_size import draw_block_size
from lab.figures.repaging import draw_repaging
from lab.trace.presets import USED_QUEUE
from lessons.text.translations import Language, get_translations
from tests.links import new
from tests.pages.test_explain_page import GOOD, opened, record_of, turn_to
from tests.pages.test_pages import address, go, keys, press, sound, texts, verdicts
from tests.player import report
from tests.sample import every_language, some

EIGHT_ALL = new("8.used_Q2-5-0-3-0000_aA.aB.tB")
# Request, tokens, block_size, blocks, tokens in the last page, empty slots, percent.
ROWS = [
    ("A", 11, 4, 3, 3, 1, "8.3%"),
    ("A", 11, 8, 2, 3, 5, "31.3%"),
    ("B", 5, 4, 2, 1, 3, "37.5%"),
    ("B", 5, 8, 1, 5, 3, "37.5%"),
]


@every_language
def test_eight_from_the_form_to_the_table(language: Language) -> None:
    """The main run's pool; no table before everything predicted has happened; then 4 beside 8, and B's trap."""
    say, at = get_translations(language), opened(language, "eight", run=GOOD)
    at.text_input(key="predict.Q.blocks").set_value("1")
    assert address(press(at, "commit"), "run8") == ""
    for name, value in (("empty_slots", "5"), ("b_empty_slots", "6")):
        at.text_input(key=f"predict.Q.{name}").set_value(value)
    at.radio(key="predict.Q.new_page").set_value(0)
    assert address(press(at, "commit"), "run8") == new("8.used_Q1-5-0-6-0000_")
    assert (len(verdicts(at)), address(at)) == (len(FORMS["Q"]), GOOD)
    for done in ("aA", "aA.aB", "aA.aB.tB"):
        at = go(at, part="eight", lang=language, run=GOOD, run8=f"8.used_Q1-5-0-6-0000_{done}")
        shown = say.text("eight.compare_title") in [title.value for title in at.subheader]
        assert shown is (done == "aA.aB.tB") is ("block_size" in keys(at))
        assert "8 + 3" in texts(at)
    assert verdicts(at) == ["other", "same", "same", "other"]
    tables = [table.value for table in at.table if say.text("eight.column.percent") in table.value.columns]
    rows = [(say.text("eight.tokens", seq_id=s, tokens=n), *map(str, rest)) for s, n, *rest in ROWS]
    assert [list(table.itertuples(index=False, name=None)) for table in tables] == [rows]
    trap = say.text("eight.same_waste", empty=3, first="2 × 4 − 5", second="1 × 8 − 5")
    assert trap in [info.value for info in at.info]
    for size in (1, 5, 16):
        at = report(at, str(size), "block_size")
        assert draw_block_size(11, size, say).sentence in texts(at)
        assert draw_repaging(run_at_all_sizes(USED_QUEUE), size - 1, say).sentence in texts(at)


def test_the_forms_of_the_two_tasks_share_no_complaint() -> None:
    """Nobody has pressed the button of the second one yet."""
    at = turn_to(press(opened(part="run"), "commit"), "eight")
    assert "▲" not in texts(at)


BAD = ["<b>", "8.used_P3-1-1-0-1-7-000000_aA", "x" * 3000, "8.0-0__", "17.used__", "8.used_Q1_aA", "8.used__aC"]
TINY = [f"8.{pool}_Q2-5-0-3-0000_aA.aB.tB.rA.rB" for pool in ("0", "1-0", "0-1-2", "3-0-2-1")]


@pytest.mark.parametrize("link", some([*BAD, *TINY], 3))
def test_any_link_to_eight_is_drawn_to_its_end(link: str) -> None:
    """What cannot be read begins afresh and leaves the main run alone; a pool may be too small for the comparison."""
    at = opened("en", "eight", run=GOOD, run8=link, at8="1")
    told = get_translations("en").text("eight.link_problem") in [warning.value for warning in at.warning]
    assert (told, "commit" in keys(at)) == (link in BAD,) * 2
    assert "explanation" in keys(turn_to(at, "explain"))


def test_an_earlier_attempt_at_eight_can_be_opened() -> None:
    """Starting over keeps it; it opens on its own track, the address says so, and the main task stays."""
    at = sound(press(opened(part="eight", run=GOOD, run8=EIGHT_ALL), "start_over_yesagain").run())
    assert record_of(at)["earlier"] == [EIGHT_ALL]
    at = press(turn_to(at, "run"), "attempt_1")
    assert [address(at, name) for name in ("part", "run8", "run")] == ["eight", EIGHT_ALL, GOOD]
    assert at.warning.len == 0


@pytest.mark.parametrize("name", ["quiz", "report"])
def test_the_end_of_the_task_leads_on(name: str) -> None:
    """Each button opens its page."""
    at = press(opened(part="eight", run=GOOD, run8=EIGHT_ALL), f"task_to_{name}")
    assert f"task_to_{name}" not in keys(at)
    title = get_translations("en").text(f"{name}.title")
    assert title in [each.value for each in at.title]
