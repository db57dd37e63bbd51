"""Where one lands: after a commit, "go on", another part or case, Back and a reload the window shows what is next.

No test here scrolls by itself, but where a learner is said to have scrolled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.text.translations import get_translations
from tests.browser.looks.test_one_view import PHONE, SIZES, SMALL_LAPTOP, WALKS, assert_one_view, press
from tests.browser.steps import EVERYTHING, OpenPage, WaitIdle, answer
from tests.sample import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

every_size = pytest.mark.parametrize("size", sampled(SIZES, ("phone",)))
small_sizes = pytest.mark.parametrize("size", sampled(("small-laptop", "phone"), ("small-laptop",)))


def scrolled(page: Page) -> float:
    return float(page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop"))


def scroll_to_end(page: Page) -> None:
    page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTo(0, main.scrollHeight)")


def in_window(target: Locator) -> bool:
    box, window = target.bounding_box(), target.page.viewport_size
    return bool(box and window and box["y"] >= 0 and box["y"] + box["height"] <= window["height"])


def wait_landed(page: Page, selector: str) -> None:
    """Until what is next is in the window: the window is moved after the page is drawn."""
    page.wait_for_function(
        """(selector) => {
            const at = (each) => document.querySelector(each)?.getBoundingClientRect();
            const box = at(selector), picture = at('.st-key-memory [role="img"]');
            if (!box || box.height === 0 || box.top < 0 || box.top > innerHeight / 2) return false;
            return !at(".pkl-operations") || picture?.bottom <= innerHeight - (innerWidth < 1100 ? 60 : 0);
        }""",
        arg=selector,
        timeout=5_000,
    )


def commit(page: Page, wait_idle: WaitIdle) -> None:
    """With a real click, wherever the button is."""
    page.locator(".st-key-commit button").click()
    page.locator(".pkl-operations").wait_for()
    wait_idle(page)
    wait_landed(page, ".st-key-verdicts")


@pytest.mark.thorough
@every_size
def test_a_commit_shows_the_buttons_and_the_picture(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    say = get_translations("en")
    page = open_page("/task", viewport=SIZES[size])
    answer(page, say)
    commit(page, wait_idle)
    page.locator('.st-key-memory [role="img"] .main-svg').first.wait_for()
    assert_one_view(page, {"picture", "suggested", "other verdict"})


@pytest.mark.thorough
@every_size
def test_a_press_from_anywhere_shows_what_it_changed(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    """On a phone the bar is there however far one has scrolled."""
    walk = WALKS["task"]
    page = open_page(walk.address, viewport=SIZES[size])
    page.locator('.st-key-memory [role="img"] .main-svg').first.wait_for()
    for number, operation in enumerate(walk.presses[:2], 1):
        press(page, wait_idle, operation, walk, number)
        wait_landed(page, ".st-key-verdicts")
        assert_one_view(page, {"picture", "suggested", "operation"})
        if size == "phone":
            page.locator('[data-testid="stMain"]').evaluate("main => main.scrollBy(0, 300)")


@pytest.mark.thorough
def test_a_reload_and_back_show_where_one_is(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    walk = WALKS["append-boundary"]
    page = open_page(walk.address, viewport=PHONE)
    for number, operation in enumerate(walk.presses[:2], 2):
        press(page, wait_idle, operation, walk, number)
    for turn in (page.reload, page.go_back):
        turn()
        page.locator('.st-key-memory [role="img"] .main-svg').first.wait_for()
        wait_idle(page)
        wait_landed(page, ".st-key-verdicts")
        assert_one_view(page, {"picture", "operation"})


@pytest.mark.thorough
@small_sizes
def test_another_case_shows_its_question(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    say = get_translations("en")
    page = open_page(WALKS["share-prefix"].address, viewport=SIZES[size])
    page.get_by_role("radio", name=say.text("share.case.chain.name")).click()
    page.wait_for_function("() => location.search.includes('chain_')")
    wait_idle(page)
    wait_landed(page, ".st-key-lesson_asking h2")
    assert in_window(page.locator(".st-key-lesson_asking h2"))
    assert say.text("share.case.chain.title") in page.locator(".st-key-lesson_asking h2").inner_text()


@pytest.mark.thorough
@small_sizes
def test_another_part_shows_its_beginning(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    """ "Go on" stands with the buttons; what it opens begins in sight."""
    say = get_translations("en")
    page = open_page(EVERYTHING, viewport=SIZES[size])
    page.locator(".st-key-to_explain button").click()
    page.get_by_role("heading", name=say.text("explain.title")).wait_for()
    wait_idle(page)
    wait_landed(page, "h2")
    page.locator(".st-key-to_eight button").evaluate("button => button.scrollIntoView()")
    page.locator(".st-key-to_eight button").click()
    page.get_by_role("heading", name=say.text("eight.title")).wait_for()
    wait_idle(page)
    wait_landed(page, ".st-key-lesson_asking h2")


@small_sizes
def test_a_new_page_begins_at_its_top_and_the_menu_closes(open_page: OpenPage, wait_idle: WaitIdle, size: str) -> None:
    say = get_translations("en")
    page = open_page("/memory", viewport=SIZES[size])
    scroll_to_end(page)
    assert scrolled(page) > 0
    page.evaluate("document.querySelector('.st-key-learn_memory button').click()")
    page.get_by_role("link", name=say.text("append.title")).evaluate("link => link.click()")
    page.get_by_role("heading", name=say.text("append.title")).wait_for()
    wait_idle(page)
    assert scrolled(page) == 0
    assert page.get_by_role("link", name=say.text("share.title")).count() == 0


@pytest.mark.thorough
def test_go_on_opens_the_next_lesson_at_its_top(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """From the very end of a lesson on a phone."""
    walk = WALKS["append-empty"]
    page = open_page(walk.address, viewport=PHONE)
    for number, operation in enumerate(walk.presses, len(walk.run.operations) + 1):
        press(page, wait_idle, operation, walk, number)
    page.locator(".st-key-next_lesson button").click()
    page.get_by_role("heading", name=get_translations("en").text("share.title")).wait_for()
    wait_idle(page)
    assert scrolled(page) == 0


@pytest.mark.thorough
def test_the_page_s_tools_are_in_a_menu_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Opened by its button, closed by Escape; the other language is behind it."""
    say = get_translations("en")
    page = open_page("/task", viewport=PHONE)
    menu = page.get_by_role("button", name=say.text("site.tools"))
    language = page.locator(".st-key-tools").get_by_role("radio", name=say.text("site.lang_zh"))
    assert not language.is_visible()
    menu.click()
    assert menu.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert not language.is_visible()
    menu.click()
    language.click()
    page.wait_for_function("() => document.documentElement.lang === 'zh'")
    page.set_viewport_size({"width": SMALL_LAPTOP[0], "height": SMALL_LAPTOP[1]})
    wait_idle(page)
    assert page.get_by_role("button", name=get_translations("zh").text("site.tools")).count() == 0
    assert page.locator(".st-key-copy_link").is_visible()
