"""The quiz in a browser: a round by keyboard alone with every form in it; on a phone, cells marked by touch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from lab.activities.ideas import find_idea
from lab.activities.question import Value
from lab.quiz.question import QuizQuestion
from lab.quiz.round import Round, play_turns
from lab.quiz.summary import summarize
from lab.quiz.words import format_idea, format_option
from lessons.text.translations import Translations, get_translations
from tests.browser.journeys.test_explain_keyboard import enter, tab_to
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, click_cell, parameter, too_wide, wait_for_value
from tests.links import encode_round, parse_round

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FORMS = Round(473, 4, "easy", 5, rules="s")  # choice, several, order, number, set (blocks to be marked)
CELLS = Round(7, 4, "easy", 5)  # begins with slots to be marked
_APART = """() => {
  const node = document.querySelector('.st-key-quiz_memory [role="img"]'), { xaxis, yaxis } = node._fullLayout;
  const hits = node.data.find(trace => trace.name === 'hits');
  const at = hits.x.map((x, i) => [xaxis.l2p(x), yaxis.l2p(hits.y[i])]);
  const apart = ([a, b], [c, d]) => Math.max(Math.abs(a - c), Math.abs(b - d));
  return Math.min(...at.flatMap((one, i) => at.slice(0, i).map(two => apart(one, two))));
}"""


def button(page: Page, say: Translations, key: str) -> Locator:
    return page.get_by_role("button", name=say.text(f"quiz_page.{key}"), exact=True)


def open_question(page: Page) -> tuple[Round, QuizQuestion]:
    """The round of the address and its open question."""
    played = parse_round(parameter(page, "quiz"))
    return played, play_turns(played)[-1].question


def pick(page: Page, name: str, steps: int) -> None:
    """A radio button of a group without a choice, by keyboard."""
    group = page.get_by_role("radiogroup", name=name, exact=True)
    tab_to(page, group.get_by_role("radio"))
    page.keyboard.press("Space")
    for _ in range(steps):
        page.keyboard.press("ArrowDown")


def type_answer(page: Page, question: QuizQuestion, value: Value, say: Translations) -> None:
    """Give an answer by keyboard, in the question's own form."""
    ids = [option.id for option in question.options]
    if isinstance(value, tuple):
        for option in question.options:
            pick(page, format_option(option, say), value.index(option.id))
    elif question.form == "several":
        assert isinstance(value, frozenset)
        for option in question.options:
            if option.id in value:
                tab_to(page, page.get_by_role("checkbox", name=format_option(option, say), exact=True))
                page.keyboard.press("Space")
    elif isinstance(value, str):
        pick(page, say.text("quiz_page.field.choice"), ids.index(value))
    else:
        kind = "number" if question.form == "number" else f"set_{question.cell}"
        tab_to(page, page.get_by_label(say.text(f"quiz_page.field.{kind}")))
        cells = [value] if isinstance(value, int) else sorted(str(cell) for cell in value)
        page.keyboard.type(", ".join(map(str, cells)))


@pytest.mark.thorough
def test_a_round_by_keyboard(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Wide, in English. The keyboard comes to the feedback and to the next question by itself; F5 changes nothing."""
    say = get_translations("en")
    page = open_page(f"/quiz?quiz={encode_round(FORMS)}", viewport=WIDE)
    forms = []
    for number in range(1, FORMS.length + 1):
        played, question = open_question(page)
        forms.append(question.form)
        wrong = last = number == FORMS.length  # earlier, the idea would come again instead of another form
        type_answer(page, question, question.wrong[0].value if wrong else question.answer, say)
        pick(page, say.text("quiz_page.sure_ask"), 2 if wrong else 1)
        if question.form == "order":
            wait_idle(page)
            assert (too_wide(page), axe(page)) == ([], [])
        enter(page, button(page, say, "submit"))
        told = page.get_by_role("heading", name=say.text(f"quiz_page.{'wrong' if wrong else 'right'}"))
        told.wait_for()
        wait_idle(page)
        page.wait_for_function("() => document.activeElement?.closest('.st-key-quiz_verdict') !== null")
        assert len(parse_round(parameter(page, "quiz")).answers) == len(played.answers) + 1
        if wrong:
            assert too_wide(page) == []
            verdict = page.locator(".st-key-quiz_verdict")
            before = verdict.inner_text()
            page.reload()
            wait_idle(page)
            told.wait_for()
            sure = say.text("quiz_page.sure_was", level=say.text("quiz_page.sure.sure"))
            verdict.get_by_text(sure).wait_for()  # once the browser has told its record
            assert verdict.inner_text() == before
        enter(page, button(page, say, "to_end" if last else "next"))
        title = "end_title" if last else "question"
        page.get_by_role("heading", name=say.text(f"quiz_page.{title}", number=number + 1, length=5)).wait_for()
        wait_idle(page)
        page.wait_for_function("() => document.activeElement?.closest('.st-key-quiz_here') !== null")
    assert set(forms) == {"choice", "order", "several", "number", "set"}
    played = parse_round(parameter(page, "quiz"))
    found = summarize(played)
    assert page.get_by_text(say.text("quiz_page.end_score", right=4, answered=5)).is_visible()
    assert page.get_by_text(say.text("quiz_page.sure_wrong")).is_visible()
    assert page.get_by_text(format_idea(found.shaky[0], say)).first.is_visible()
    assert (too_wide(page), axe(page)) == ([], [])
    enter(page, page.locator('[class*="st-key-quiz_idea_"] a').first)
    page.get_by_role("heading", name=say.text(f"{find_idea(found.shaky[0]).lesson}.title"), level=1).wait_for()
    assert parse_round(parameter(page, "quiz")) == played


@pytest.mark.thorough
def test_many_cells_can_be_touched_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """At block_size 16 as well, no two targets lie nearer than 24 px to each other; in Chinese cells are narrower."""
    page = open_page("/quiz?question=q.mark_empty.5.16.hard", viewport=PHONE, locale="zh-CN")
    field = page.get_by_label(get_translations("zh").text("quiz_page.field.set_slot"))
    field.wait_for()
    click_cell(page, "quiz_memory", "slot:17")
    wait_idle(page)
    wait_for_value(field, "17")
    assert page.evaluate(_APART) >= 24
    assert (too_wide(page), axe(page)) == ([], [])


@pytest.mark.thorough
def test_cells_are_marked_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Narrow, in Chinese, dark: a cell is marked and unmarked; an unreadable field is told; the answer is kept."""
    say = get_translations("zh")
    page = open_page(f"/quiz?quiz={encode_round(CELLS)}", viewport=PHONE, locale="zh-CN", color_scheme="dark")
    field = page.get_by_label(say.text("quiz_page.field.set_slot"))
    for slot, text in ((2, "2"), (3, "2-3"), (9, "2-3, 9"), (9, "2-3"), (1, "1-3")):
        click_cell(page, "quiz_memory", f"slot:{slot}")
        wait_idle(page)
        wait_for_value(field, text)
    button(page, say, "submit").click()
    page.get_by_text(say.text("errors.invalid_answer.no_choice")).wait_for()
    assert parameter(page, "quiz") == encode_round(CELLS)
    assert (too_wide(page), axe(page)) == ([], [])
    page.get_by_text(say.text("quiz_page.sure.guess"), exact=True).click()
    button(page, say, "submit").click()
    page.get_by_role("heading", name=say.text("quiz_page.right")).wait_for()
    wait_idle(page)
    assert (too_wide(page), axe(page)) == ([], [])
    assert re.fullmatch(rf"{re.escape(encode_round(CELLS)[:-1])}1~3[gts]_", parameter(page, "quiz"))
    button(page, say, "next").click()
    page.get_by_role("heading", name=say.text("quiz_page.question", number=2, length=5)).wait_for()
    page.go_back()
    page.get_by_role("heading", name=say.text("quiz_page.right")).wait_for()
    other = open_page(
        f"/quiz?quiz={encode_round(CELLS)[:-1]}1~3s_", viewport=PHONE, locale="zh-CN", color_scheme="dark"
    )
    other.get_by_text(say.text("quiz_page.foreign")).wait_for()
    wait_idle(other)
    assert (too_wide(other), axe(other)) == ([], [])
