"""A class in a browser: the board, the second window, and phones in both languages, through a whole question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lessons.text.translations import Translations, get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Page

ZH, EN = get_translations("zh"), get_translations("en")
ELSEWHERE = "787"  # an answer that stands nowhere else


class Heard:
    """Everything that the server sends to one page: the websocket's messages and the stream of events."""

    def __init__(self, page: Page) -> None:
        self.before: list[bytes] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._add))
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.eventSourceMessageReceived", lambda message: self._add(message["data"]))

    def _add(self, payload: str | bytes) -> None:
        self.before.append(payload.encode() if isinstance(payload, str) else payload)

    def __contains__(self, text: str) -> bool:
        """Was the text sent? Not as a part of a longer number or name, as in a hash."""
        found = re.compile(rb"(?<![\w.])" + re.escape(text.encode()) + rb"(?![\w.]\w)")
        return any(found.search(payload) for payload in self.before)


def press(page: Page, name: str) -> None:
    page.locator(f".st-key-class_{name} button").click()


def vote(page: Page, text: str, sure: int, say: Translations) -> None:
    """Answer, say how sure, send."""
    page.locator(".st-key-vote_area input[type=text]").fill(text)
    page.locator(".st-key-vote_area [role=radiogroup]").last.locator("label").nth(sure).click()
    page.locator(".st-key-vote_send button").click()
    page.get_by_text(say.text("classroom.sent", answer=text)).wait_for()


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


def join(open_page: OpenPage, code: str, say: Translations) -> Page:
    """A phone that has come in by the code in the picture."""
    phone = open_page(f"/join?class={code}&lang={say.language}", viewport=PHONE, locale=say.language)
    press(phone, "join")
    phone.get_by_text(say.text("classroom.you_are_in", code=code)).wait_for()
    return phone


def test_a_class_answers_together(open_page: OpenPage, axe: Axe) -> None:
    board, code = begin(open_page)
    chinese = join(open_page, code, ZH)
    english = join(open_page, code, EN)
    heard = Heard(english)
    english.reload()
    board.get_by_text(EN.text("classroom.in", people=2)).wait_for()
    wait_until_whole(board)
    press(board, "ask")
    english.get_by_text(EN.text("classroom.now.read")).first.wait_for()
    board.locator(".st-key-class_open button").wait_for()
    board.locator("body").press("q")  # the usual step: open the vote
    answer_both(chinese, english)
    axe(english)
    board.get_by_text(EN.text("classroom.answered", votes=2, people=2)).wait_for()
    wait_until_whole(board)
    axe(board)
    english.locator(".st-key-vote_area input[type=text]").fill("9")  # and does not send it
    press(board, "close")
    english.get_by_text(EN.text("classroom.unsent", answer="9")).wait_for()
    english.get_by_text(EN.text("classroom.sent_closed", answer="1")).wait_for()
    late = join(open_page, code, EN)
    late.get_by_text(EN.text("classroom.not_sent")).wait_for()
    told = len(heard.before)
    press(board, "reveal")
    english.locator(".st-key-vote_outcome").wait_for()
    late.get_by_text(EN.text("classroom.no_own")).wait_for()
    rows = board.locator(".kv-bars tr")
    rows.first.wait_for()
    assert any(ELSEWHERE in row and "1 · 50%" in row for row in rows.all_inner_texts())
    wait_until_whole(board)
    check_heard(heard, told, english)
    axe(board)
    axe(chinese)
    chinese.goto(chinese.url.replace("/join", "/report"))
    chinese.get_by_text(ELSEWHERE).first.wait_for(state="attached")  # the own answer is in the report
    chinese.go_back()
    press(board, "end")
    board.locator(".st-key-class_end_yes button").click()
    chinese.get_by_text(ZH.text("classroom.class_over")).wait_for()


def answer_both(chinese: Page, english: Page) -> None:
    """One is sure and wrong and then loads the page again; the other first types what is no number, at no cost."""
    vote(chinese, ELSEWHERE, 2, ZH)
    english.locator(".st-key-vote_area input[type=text]").fill("two")
    english.locator(".st-key-vote_send button").click()
    english.get_by_text(EN.text("errors.invalid_answer.not_a_number")).wait_for()
    vote(english, "1", 0, EN)
    assert too_wide(english) == []
    chinese.reload()
    chinese.get_by_text(ZH.text("classroom.sent", answer=ELSEWHERE)).wait_for()


def check_heard(heard: Heard, told: int, student: Page) -> None:
    """Before the reveal, `told` messages long, nothing on the wire was right, or of somebody else; after it what is
    right, and still nothing of others."""
    said = student.locator(".st-key-vote_outcome p").filter(
        has_text=re.compile(EN.text("quiz_page.engine_said", answer=".+"))
    )
    right = said.first.inner_text().removeprefix("✓ ")
    for secret in (ELSEWHERE, EN.text("classroom.votes")):
        assert secret not in heard, secret
    assert right in heard
    del heard.before[told:]
    assert right not in heard
    assert EN.text("classroom.now.closed") in heard  # it listens


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
    assert secret not in side.url
    for other in side.locator(".st-key-top_bar a").all():
        passed = parse_qs(urlsplit(other.get_attribute("href") or "").query)
        assert not {"window", "class"} & set(passed)
    board.keyboard.press("Escape")
    press(board, "ask")
    side.get_by_text(EN.text("classroom.side")).wait_for()
    axe(side)
    press(side, "open")
    board.locator(".st-key-class_close button").wait_for()


@pytest.mark.thorough
def test_wrong_codes_are_told_and_then_refused(open_page: OpenPage) -> None:
    phone = open_page("/join?lang=en", viewport=PHONE)
    field = phone.locator(".st-key-class_code input")
    field.fill("12")
    press(phone, "join")
    phone.get_by_text(EN.text("errors.no_such_class", code="").strip(" .")[:20]).first.wait_for()


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
