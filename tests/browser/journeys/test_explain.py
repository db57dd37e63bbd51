"""The whole task in a real browser: predict, run, explain, quiz, once more, block_size 8; and what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from lab.activities.block_size_runs import SIZES, run_at_all_sizes
from lab.activities.retry import build_retry
from lab.figures.block_size import draw_block_size
from lab.figures.repaging import draw_repaging
from lab.trace.presets import USED_QUEUE
from lessons.text.translations import Translations, get_translations
from tests.browser.steps import (
    COUNT,
    OPERATIONS,
    ZH_PHONE_EN_WIDE,
    Axe,
    OpenPage,
    WaitIdle,
    answer,
    commit,
    press,
    too_wide,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.thorough

RUN = "2.task.4.used_2s.1t.1t.0t.1t.7t"
SENTENCES = {
    "en": "It crosses into a new logical page, so can_append checks for a free block and may_append takes it.",
    "zh": "新 token 跨入一张新的逻辑页，can_append 先检查有没有空闲块，may_append 再取一个块。",
}
AGAIN = build_retry("blocks", 3).outcome.value
# Cells of the table: blocks, tokens in the last page, empty slots, percent.
COMPARED = ["4 3 3 1 8.3%", "8 2 3 5 31.3%", "4 2 1 3 37.5%", "8 1 5 3 37.5%"]


def heading(page: Page, text: str) -> Locator:
    return page.get_by_role("heading", name=text, exact=True)


def button(page: Page, text: str) -> Locator:
    return page.get_by_role("button", name=text, exact=True)


def wait_for_operations(page: Page, key: str, count: int) -> None:
    """The address holds so many operations of this run."""
    page.wait_for_function(
        f"([key, n]) => (new URL(location).searchParams.get(key) ?? '').split('_')[2]?.split('.'){COUNT} === n",
        arg=[key, count],
    )


def pictures_of(page: Page, size: int, say: Translations) -> None:
    """The two pictures of this block_size are drawn, and their sentences stand below them."""
    pages = draw_repaging(run_at_all_sizes(USED_QUEUE), SIZES.index(size), say).sentence
    sentences = (pages, draw_block_size(11, size, say).sentence)
    page.get_by_text(say.text("figures.gap").join(sentences), exact=True).first.wait_for()
    for sentence in sentences:
        page.locator('[role="img"]').and_(page.get_by_label(sentence, exact=True)).locator(".main-svg").first.wait_for()


def compared(page: Page) -> list[str]:
    """Rows of the table that puts 4 beside 8, without the names of the requests."""
    table = page.get_by_role("table").filter(has_text="31.3%").first
    rows = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    return [" ".join(cell.strip() for cell in row[1:]) for row in rows]


Stage = Callable[[], None]


def predict_and_run(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    """From Start to a complete run; sure of one answer, and wrong. Axe goes this way in test_task.py."""
    button(page, say.text("start.go")).click()
    button(page, say.text("task.commit")).wait_for()
    wait_idle(page)
    answer(page, say, blocks="2")
    page.get_by_text(say.text("task.sure"), exact=True).first.click()
    commit(page, say)
    page.wait_for_url(f"**run={RUN}_*")
    wait_idle(page)
    for operation_id in OPERATIONS:
        press(page, operation_id)
        wait_idle(page)
    assert too_wide(page) == []
    button(page, say.text("task.to_explain")).click()


def check_and_say_why(page: Page, say: Translations, stage: Stage) -> None:
    """The idea behind the wrong answer, and a sentence of one's own; only then the lab's."""
    heading(page, say.text("explain.check_title")).wait_for()
    page.get_by_text(say.text("misconceptions.name.floor_for_ceil")).first.wait_for()
    assert page.get_by_text("4 + 4 + 3").count() == 1
    stage()
    page.get_by_text(say.text("explain.concept_rows"), exact=True).click()
    page.get_by_text(say.text("explain.table.block_table"), exact=True).wait_for()
    assert page.get_by_text(say.text("explain.model_title")).count() == 0
    page.get_by_label(say.text("explain.sentence_ask", b_tokens=5)).fill(SENTENCES[say.language])
    button(page, say.text("explain.sentence_submit")).click()
    page.get_by_text(say.text("explain.model_title"), exact=True).click()
    page.get_by_text("[9, 5]").first.wait_for()
    assert [page.get_by_text(say.text(f"explain.{key}"), exact=True).count() for key in ("found", "missing")] == [3, 1]
    stage()


def quiz_and_once_more(page: Page, say: Translations, stage: Stage, wait_idle: WaitIdle) -> None:
    """A wrong option, the right one; then the sure-and-wrong question with other numbers."""
    page.get_by_text(say.text("explain.quiz.move"), exact=True).click()
    page.get_by_text(say.text("explain.quiz_again")).wait_for()
    stage()
    page.get_by_text(say.text("explain.quiz.decide"), exact=True).click()
    page.get_by_text(say.text("explain.quiz_again")).wait_for(state="detached")
    wait_idle(page)
    page.get_by_label(say.text("explain.again_question.blocks")).fill(str(AGAIN))
    button(page, say.text("explain.again_submit")).click()
    button(page, say.text("explain.again_next")).wait_for()
    told = say.text("explain.again_right", value=AGAIN, why="").strip()
    assert page.get_by_text(told).count() == 1
    stage()
    button(page, say.text("explain.to_eight")).click()


def eight(page: Page, say: Translations, stage: Stage, wait_idle: WaitIdle) -> None:
    """Predict again, run, compare, and any size."""
    heading(page, say.text("eight.title")).wait_for()
    stage()
    for name, value in {"blocks": "2", "empty_slots": "5", "b_empty_slots": "6"}.items():
        page.get_by_label(say.text(f"task.question.{name}")).fill(value)
    page.get_by_text(say.text("task.yes_no.0_new_page"), exact=True).click()
    commit(page, say)
    page.wait_for_url("**run8=2.resized.8.used_2t.5t.0t.6t_*")
    for count, operation_id in enumerate(OPERATIONS[:3], 1):
        wait_idle(page)
        page.locator(f'button[data-operation="{operation_id}"]').click()
        wait_for_operations(page, "run8", count)
    heading(page, say.text("eight.compare_title")).wait_for()
    assert compared(page) == COMPARED
    pictures_of(page, 8, say)
    stage()
    page.get_by_role("slider", name=say.text("eight.slider"), exact=True).focus()
    page.keyboard.press("ArrowRight")
    pictures_of(page, 9, say)
    page.keyboard.press("Home")
    pictures_of(page, 1, say)
    assert too_wide(page) == []


@pytest.mark.parametrize(("locale", "viewport"), ZH_PHONE_EN_WIDE)
def test_the_whole_journey(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, viewport: tuple[int, int]
) -> None:
    say = get_translations("zh" if locale == "zh-CN" else "en")
    page = open_page("/", locale=locale, viewport=viewport)

    def stage() -> None:
        wait_idle(page)
        assert too_wide(page) == []
        axe(page)

    predict_and_run(page, say, wait_idle)
    check_and_say_why(page, say, stage)
    quiz_and_once_more(page, say, stage, wait_idle)
    eight(page, say, stage, wait_idle)
