"""One history on two engines at a cursor: each engine's picture, where and why the engines part, and the table."""

from __future__ import annotations

from lab.figures.beside import describe_parting, draw_moment, tabulate_beside
from lab.figures.memory.memory_picture import draw_memory
from lab.sandbox.facts import run
from lab.trace.config import Engine
from lab.trace.parting import find_parting
from lessons.text.translations import Language, get_translations
from tests.sample import every_language

OURS, THEIRS = run("ends"), run("ends", "vllm")
PARTING = find_parting(OURS, THEIRS)


@every_language
def test_the_step_and_the_rule_are_told_from_the_parting_on(language: Language) -> None:
    """Before it, also inside its operation, only that both do the same; afterwards the rule with both engines' ids."""
    say = get_translations(language)
    for step, event in ((0, None), (3, None), (4, 1), (4, 6)):
        assert describe_parting(OURS, PARTING, say, step, event) == ("", say.text("beside.alike"))
    rule = say.text("beside.rule.to_the_head", theirs="3", ours="、".join("210") if language == "zh" else "2, 1, 0")
    operation = say.text("task.op_release", seq_id="A")
    for step, key in ((4, "part"), (5, "parted"), (6, "parted")):
        where = say.text(f"beside.{key}", step=4, operation=operation)
        assert describe_parting(OURS, PARTING, say, step) == (where, rule)
    assert describe_parting(OURS, None, say, 6) == ("", say.text("beside.alike"))


@every_language
def test_each_picture_is_its_engine_s_own(language: Language) -> None:
    """The memory picture of each engine's own state; vLLM's names the null block and the block that joined the head."""
    say = get_translations(language)
    pictures = [draw_moment(timeline, say, 4) for timeline in (OURS, THEIRS)]
    for phrase in (
        say.text("figures.sentence.null", block=0),
        say.text("figures.memory.returned_first", blocks="3"),
    ):
        assert [phrase in picture.sentence for picture in pictures] == [False, True]
    for picture, timeline in zip(pictures, (OURS, THEIRS), strict=True):
        assert picture.table.equals(draw_memory(timeline.snapshot(4), say).table)


def test_the_table_has_both_queues_and_tables() -> None:
    """A row each for the queue, every block_table, and the tokens found."""
    engines: tuple[Engine, ...] = ("nano_vllm", "vllm_uncached")
    table = tabulate_beside([run("uncached", engine) for engine in engines], get_translations("en"), 2)
    assert table.columns.tolist()[1:] == ["nano-vLLM", "vLLM 0.33.0, enable_prefix_caching=False"]
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
    """vLLM drops all references first. A run that a limit has stopped stays at its last state."""
    ours, theirs = OURS.steps[3], THEIRS.steps[3]
    assert [type(event) for event in ours.events] != [type(event) for event in theirs.events]
    say = get_translations("en")
    for timeline, step in ((OURS, ours), (THEIRS, theirs)):
        for event in range(1, len(step.events)):
            expected = draw_memory(step.snapshots[event - 1], say)
            assert draw_moment(timeline, say, 4, event).table.equals(expected.table)
        assert draw_moment(timeline, say, 4, 99).table.equals(draw_memory(step.after, say).table)
    stopped = type(THEIRS).replay(THEIRS.config, THEIRS.operations[:3])
    assert draw_moment(stopped, say, 6).table.equals(draw_memory(stopped.snapshot(3), say).table)
