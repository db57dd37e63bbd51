"""vLLM beside nano-vLLM in a browser: from the library, by keyboard, to the step in which they part."""

from __future__ import annotations

import pytest

from lab.figures.memory.memory_picture import draw_memory
from lab.sandbox.facts import run
from lab.sandbox.library import LIBRARY
from lab.trace.config import ENGINE_NAMES, Engine
from lab.trace.snapshot import compare_snapshots
from lessons.text.scenario_texts import format_library_title
from lessons.text.scenario_words import ScenarioWords
from tests.browser.steps import PHONE, Axe, OpenPage, WaitIdle, parameter, too_wide

KEY, PARTS_AT = "ends", 4
ENGINES: tuple[Engine, ...] = ("nano_vllm", "vllm")
HEADLINE, SENTENCE = ".pkl-headline", ".pkl-player .pkl-caption"
UNCACHED = ".pkl-figure [aria-label^='vLLM 0.33.0, enable_prefix_caching=False']"


def describe(engine: Engine, step: int, words: ScenarioWords) -> str:
    """An engine's picture after that many operations, in words."""
    shown = run(KEY, engine).steps[step - 1]
    picture = draw_memory(shown.after, words, changed=compare_snapshots(shown.before, shown.after))
    return f"{ENGINE_NAMES[engine]}: {picture.sentence}"


@pytest.mark.thorough
def test_both_engines_are_stepped_to_where_they_part(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """One cursor moves both pictures; the reason is told where they part; the other cache setting is one press away."""
    words = ScenarioWords("zh", LIBRARY[KEY].scenario)
    comma = words.text("figures.comma")
    page = open_page("/library", viewport=PHONE, locale="zh-CN")
    page.get_by_role("link", name=format_library_title(KEY, words), exact=True).click()
    page.wait_for_url("**/sandbox?**")
    page.locator(".pkl-figure:nth-child(2) .main-svg").first.wait_for()
    for step in range(1, PARTS_AT + 1):
        page.keyboard.press("ArrowRight")
        for engine in ENGINES:
            page.locator(f'.pkl-figure [aria-label="{describe(engine, step, words)}"]').first.wait_for()
        if step < PARTS_AT:
            page.locator(SENTENCE).get_by_text(words.text("beside.alike")).wait_for()
    rule = words.text("beside.rule.to_the_head", theirs="3", ours=comma.join("210"))
    page.locator(SENTENCE).get_by_text(rule).wait_for()
    operation = words.text("task.op_release", seq_id="A")
    page.locator(HEADLINE).get_by_text(words.text("beside.part", step=PARTS_AT, operation=operation)).wait_for()
    row = page.locator(".pkl-steps [aria-current]")
    row.get_by_text(words.text("beside.part_mark")).wait_for()
    assert row.get_attribute("data-step") == str(PARTS_AT)
    page.get_by_text(words.text("task.table_and_files"), exact=True).first.click()
    page.get_by_role("row", name=words.text("beside.table.queue")).get_by_text(
        "3, 6, 7".replace(", ", comma)
    ).wait_for()
    wait_idle(page)
    assert too_wide(page) == []
    axe(page)
    page.get_by_role("radio", name=words.text("beside.chosen_vllm_uncached"), exact=True).click()
    page.locator(UNCACHED).first.wait_for()
    assert parameter(page, "beside") == "vllm_uncached"
    page.reload()
    page.locator(UNCACHED).first.wait_for()
    page.go_back()
    page.locator(f'.pkl-figure [aria-label="{describe("vllm", PARTS_AT, words)}"]').first.wait_for()
