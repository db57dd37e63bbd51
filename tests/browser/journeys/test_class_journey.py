"""A class in a browser: the board, the second window, and phones in both languages, through a whole question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lessons.text.translations import Translations, get_translations
from lessons.votable.find import find_votable
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, click_cell, too_wide, wait_for_value

if TYPE_CHECKING:
    from playwright.sync_api import Page

ZH, EN = get_translations("zh"), get_translations("en")
SLOT = "predict.ten@9.slot"
ELSEWHERE = "787"  # an answer that stands nowhere else


def press(page: Page, name: str) -> None:
    page.locator(f".st-key-class_{name} button").click()


def send(page: Page, sure: int) -> None:
    """Say how sure, and send."""
    page.locator(".st-key-vote_area [role=radiogroup]").last.locator("label").nth(sure).click()
    page.locator(".st-key-vote_send button").click()


def choose(board: Page, source: str, name: str) -> None:
    """Choose a question in the instructor's menu, and ask it."""
    board.locator(".st-key-class_source").get_by_text(EN.text(f"classroom.source.{source}"), exact=True).click()
    field = board.locator(f".st-key-class_{'kind' if source == 'quiz' else f'spec_{source}'} input")
    field.fill(name)
    field.press("Enter")
    press(board, "ask")


def wait_until_whole(page: Page) -> None:
    page.wait_for_function(
        "() => document.querySelector('.st-key-class_board').getBoundingClientRect().bottom <= innerHeight"
    )


def begin(open_page: OpenPage, viewport: tuple[int, int] = WIDE) -> tuple[Page, str]:
    """The board of a new class, and its code."""
    board = open_page("/class?lang=en", viewport=viewport)
    press(board, "open")
    code = board.locator(".kv-class-code").inner_text().replace(" ", "")
    return board, code


def join(open_page: OpenPage, code: str, say: Translations, **looks: Any) -> Page:
    """A phone that has come in by the code in the picture."""
    phone = open_page(f"/join?class={code}&lang={say.language}", viewport=PHONE, locale=say.language, **looks)
    phone.get_by_text(say.text("classroom.you_are_in", code=code)).wait_for()
    return phone


def test_a_class_answers_together(open_page: OpenPage, axe: Axe) -> None:
    """A slot is asked for: one taps it, one types it. (tests/classroom/test_wire.py listens to what is sent.)"""
    board, code = begin(open_page)
    chinese, english = join(open_page, code, ZH), join(open_page, code, EN)
    board.get_by_text(EN.text("classroom.in", people=2)).wait_for()
    wait_until_whole(board)
    choose(board, "course", find_votable(SLOT).name(EN))
    english.get_by_text(EN.text("classroom.now.read")).first.wait_for()
    board.locator(".st-key-class_open button").wait_for()
    board.locator("body").press("q")  # the usual step: open the vote
    answer_both(chinese, english)
    axe(english)
    board.get_by_text(EN.text("classroom.answered", votes=2, people=2)).wait_for()
    wait_until_whole(board)
    click_cell(english, "vote_before", "slot:9")  # and does not send it
    wait_for_value(english.locator(".st-key-vote_area input[type=text]"), "9")
    press(board, "close")
    english.get_by_text(EN.text("classroom.unsent", answer="9")).wait_for()
    english.get_by_text(EN.text("classroom.sent_closed", answer="5")).wait_for()
    press(board, "reveal")
    english.locator(".st-key-vote_outcome").wait_for()
    rows = board.locator(".kv-bars tr")
    rows.first.wait_for()
    assert any(ELSEWHERE in row and "1 · 50%" in row for row in rows.all_inner_texts())
    wait_until_whole(board)
    axe(board)
    chinese.locator(".st-key-vote_outcome").get_by_text(ELSEWHERE).first.wait_for()
    chinese.wait_for_function("at => Object.values(localStorage).join().includes(at)", arg=SLOT)  # for the report
    press(board, "end")
    board.locator(".st-key-class_end_yes button").click()
    chinese.get_by_text(ZH.text("classroom.class_over")).wait_for()


def answer_both(chinese: Page, english: Page) -> None:
    """One types what is in no pool, is sure, and then loads the page again; the other first sends nothing, at no cost,
    then taps twice."""
    chinese.locator(".st-key-vote_area input[type=text]").fill(ELSEWHERE)
    send(chinese, 2)
    english.locator(".st-key-vote_send button").click()
    english.get_by_text(EN.text("errors.invalid_answer.empty")).wait_for()
    field = english.locator(".st-key-vote_area input[type=text]")
    for slot in ("4", "5"):
        click_cell(english, "vote_before", f"slot:{slot}")
        wait_for_value(field, slot)
    send(english, 0)
    english.get_by_text(EN.text("classroom.sent", answer="5")).wait_for()
    assert too_wide(english) == []
    chinese.get_by_text(ZH.text("classroom.sent", answer=ELSEWHERE)).wait_for()
    chinese.reload()
    chinese.get_by_text(ZH.text("classroom.sent", answer=ELSEWHERE)).wait_for()


@pytest.mark.thorough
def test_blocks_are_tapped_and_who_is_late_is_told(open_page: OpenPage, axe: Axe) -> None:
    """In Chinese and dark; a block is marked, another marked and unmarked."""
    board, code = begin(open_page)
    phone = join(open_page, code, ZH, color_scheme="dark")
    choose(board, "quiz", EN.text("quiz.kind.mark_released"))
    press(board, "open")
    field = phone.locator(".st-key-vote_area input[type=text]")
    field.wait_for()
    for block, text in ((3, "3"), (1, "1, 3"), (3, "1")):
        click_cell(phone, "vote_before", f"block:{block}")
        wait_for_value(field, text)
    send(phone, 1)
    phone.get_by_text(ZH.text("classroom.sent", answer="1")).wait_for()
    assert too_wide(phone) == []
    axe(phone)
    press(board, "close")
    phone.get_by_text(ZH.text("classroom.sent_closed", answer="1")).wait_for()
    assert phone.get_by_text(ZH.text("classroom.unsent", answer="1")).count() == 0
    late = join(open_page, code, EN)
    late.get_by_text(EN.text("classroom.not_sent")).wait_for()
    press(board, "reveal")
    late.get_by_text(EN.text("classroom.no_own")).wait_for()
    phone.locator(".st-key-vote_outcome").wait_for()
    axe(phone)


@pytest.mark.thorough
def test_the_second_window_has_the_key_and_nobody_else(open_page: OpenPage, axe: Axe) -> None:
    board, code = begin(open_page)
    press(board, "second")
    link = board.locator('[data-testid="stPopoverBody"] a').first.get_attribute("href") or ""
    key = link.partition("#")[2]
    assert key.startswith(f"{code}.")
    secret = key.partition(".")[2]
    side = open_page("/")
    asked: list[str] = []
    side.on("request", lambda request: asked.append(request.url))
    side.goto(urlsplit(side.url)._replace(path="/class", query="window=side&lang=en", fragment=key).geturl())
    side.locator(".st-key-class_side").wait_for()
    assert asked
    assert not [url for url in asked if secret in url]
    side.wait_for_function("() => !location.hash")
    for other in side.locator(".st-key-top_bar a").all():
        passed = parse_qs(urlsplit(other.get_attribute("href") or "").query)
        assert not {"window", "class"} & set(passed)
    board.keyboard.press("Escape")
    press(board, "ask")
    side.get_by_text(EN.text("classroom.side")).wait_for()
    axe(side)
    press(side, "open")
    board.locator(".st-key-class_close button").wait_for()
    phone = join(open_page, code, EN)
    field = phone.locator(".st-key-vote_area input[type=text]")
    for typed in ("787", "788"):  # what is changed is drawn again as well
        field.fill(typed)
        send(phone, 1)
        side.locator(".kv-bars").get_by_text(typed).wait_for()


@pytest.mark.thorough
def test_wrong_codes_are_told_and_then_refused(open_page: OpenPage) -> None:
    phone = open_page("/join?lang=en", viewport=PHONE)
    field = phone.locator(".st-key-class_code input")
    field.fill("12")
    press(phone, "join")
    phone.get_by_text(EN.text("errors.no_code")).wait_for()
    field.fill("000 000")
    press(phone, "join")
    phone.get_by_text(EN.text("errors.no_such_class", code="000000")).wait_for()


LOOKS = [((1440, 900), "zh"), ((1280, 720), "en")]


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "language"), LOOKS)
def test_from_a_presented_scenario_to_the_board_and_back(
    open_page: OpenPage, size: tuple[int, int], language: str
) -> None:
    """`q` asks the question in view; the board fits the window in large type; the way back leads to the same place."""
    board, _ = begin(open_page, size)
    where = f"/sandbox?sandbox={encode_scenario(LIBRARY['shared'].scenario)}&at_sandbox=1&present=on&lang={language}"
    scene = open_page(where, viewport=size, context=board.context)
    scene.locator(".st-key-present_ask button").wait_for()
    scene.keyboard.press("q")
    scene.locator(".st-key-class_open button").wait_for()
    wait_until_whole(scene)
    press(scene, "back")
    scene.locator(".st-key-sandbox_notes").wait_for()
    assert parse_qs(urlsplit(scene.url).query)["present"] == ["on"]
