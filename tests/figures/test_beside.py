"""One history on two engines at a cursor: both pictures, where and why the engines part, and the table."""

from __future__ import annotations

import pytest

from lab.figures.beside import BesidePicture, draw_beside
from lab.figures.memory.memory_picture import draw_memory
from lab.sandbox.facts import run
from lab.sandbox.library import LIBRARY
from lab.trace.parting import find_parting
from lessons.text.translations import LANGUAGES, Language, get_translations

every_language = pytest.mark.parametrize("language", LANGUAGES)


def beside(key: str, step: int, language: Language = "en", event: int | None = None) -> BesidePicture:
    """A prepared scenario beside its other engine."""
    engine = LIBRARY[key].beside
    assert engine is not None
    ours, theirs = run(key), run(key, engine)
    parting = find_parting(ours, theirs)
    return draw_beside(ours, theirs, parting, get_translations(language), step=step, event=event)


@every_language
def test_the_step_and_the_rule_are_told_from_the_parting_on(language: Language) -> None:
    """Before it, also inside its operation, only that both do the same; afterwards the rule with both engines' ids."""
    say = get_translations(language)
    for step, event in ((0, None), (3, None), (4, 1), (4, 6)):
        both = beside("ends", step, language, event)
        assert (both.where, both.sentence) == ("", say.text("beside.alike"))
    rule = say.text("beside.rule.to_the_head", theirs="3", ours="、".join("210") if language == "zh" else "2, 1, 0")
    operation = say.text("task.op_release", seq_id="A")
    for step, key in ((4, "part"), (5, "parted"), (6, "parted")):
        both = beside("ends", step, language)
        assert (both.where, both.sentence) == (say.text(f"beside.{key}", step=4, operation=operation), rule)


@every_language
def test_each_picture_is_its_engine_s_own(language: Language) -> None:
    """The memory picture of each engine's own state; vLLM's names the null block."""
    say = get_translations(language)
    both = beside("ends", 4, language)
    null = say.text("figures.sentence.null", block=0)
    assert [null in picture.sentence for picture in both.pictures] == [False, True]
    first = say.text("figures.memory.returned_first", blocks="3")
    assert [first in picture.sentence for picture in both.pictures] == [False, True]
    for picture, engine in zip(both.pictures, ("nano_vllm", "vllm"), strict=True):
        state = run("ends", engine).snapshot(4)
        assert picture.table.equals(draw_memory(state, say).table)
    assert both.names == ("nano-vLLM", "vLLM 0.33.0, enable_prefix_caching=True")


def test_the_table_has_both_queues_and_tables() -> None:
    """A row each for the queue, every block_table, and the tokens found."""
    table = beside("uncached", 2).table
    assert table.iloc[:, 0].tolist() == [
        "Free queue, head first",
        "block_table of A",
        "Tokens that A found",
        "block_table of B",
        "Tokens that B found",
    ]
    assert table.iloc[1:, 1].tolist() == ["7, 2, 14", "0", "7, 2, 9", "8"]
    assert table.iloc[1:, 2].tolist() == ["7, 2, 14", "0", "9, 5, 11", "0"]
    queue = run("uncached", "vllm_uncached").snapshot(2).free_block_ids
    assert table.iloc[0, 2] == ", ".join(map(str, queue))


def test_inside_an_operation_each_engine_shows_its_own_event() -> None:
    """vLLM drops all references first; an engine with fewer events stays at its end."""
    ours, theirs = run("ends").steps[3], run("ends", "vllm").steps[3]
    assert len(ours.events) == len(theirs.events)
    assert [type(event) for event in ours.events] != [type(event) for event in theirs.events]
    say = get_translations("en")
    for event in range(1, len(ours.events)):
        pictures = beside("ends", 4, event=event).pictures
        for picture, step in zip(pictures, (ours, theirs), strict=True):
            assert picture.table.equals(draw_memory(step.snapshots[event - 1], say).table)
    whole = run("asked")
    theirs_whole = type(whole).replay(whole.config.run_by("vllm"), whole.operations[:5])
    both = draw_beside(whole, theirs_whole, None, say, step=8)
    assert both.pictures[1].table.equals(draw_memory(theirs_whole.snapshot(5), say).table)
