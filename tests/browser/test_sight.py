"""What the task looks like, in a real browser: dark and light, wide and narrow, and the picture's own clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.look_closer import TABS
from lessons.text import words
from tests.browser.steps import (
    COMMITTED,
    EVERYTHING,
    OPERATIONS,
    PHONE,
    TWIN,
    WIDE,
    ZH_PHONE_EN_WIDE,
    ZH_WIDE_EN_PHONE,
    Axe,
    OpenPage,
    WaitIdle,
    press,
    too_wide,
    too_wide_at,
    turn_to_tab,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

MEMORY = '.st-key-memory [role="img"]'


@pytest.mark.parametrize(("locale", "viewport"), ZH_PHONE_EN_WIDE)
def test_axe_finds_nothing_in_the_dark(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, viewport: tuple[int, int]
) -> None:
    """Start, the form, and inside an event with each of the closer looks open."""
    say = words("zh" if locale == "zh-CN" else "en")
    page = open_page("/", locale=locale, viewport=viewport, color_scheme="dark")
    base = page.url.rstrip("/")
    axe(page)
    for address, shown in (("/task", "task.commit"), (COMMITTED + "aA.aB.tB&at=3.2", "task.return_to_end")):
        page.goto(base + address)
        page.get_by_role("button", name=say.text(shown)).wait_for()
        wait_idle(page)
        axe(page)
    for tab in TABS[1:]:  # the first is open
        turn_to_tab(page, tab, say)
        wait_idle(page)
        axe(page)


@pytest.mark.parametrize(("locale", "viewport"), ZH_WIDE_EN_PHONE)
def test_axe_finds_nothing_in_the_closer_looks(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, viewport: tuple[int, int]
) -> None:
    """In the light, after an operation, where the tensor tab has its numbers; with the tables open."""
    say = words("zh" if locale == "zh-CN" else "en")
    page = open_page(COMMITTED + "aA.aB.tB", locale=locale, viewport=viewport)
    for tab in TABS:
        turn_to_tab(page, tab, say)
        wait_idle(page)
        for table in page.get_by_role("tabpanel").get_by_text(say.text("task.as_table")).all():
            table.click()
        axe(page)


WIDTHS = {"zh-CN": (1440, 360), "en-US": (768, 390)}


@pytest.mark.parametrize("locale", ["zh-CN", pytest.param("en-US", marks=TWIN)])
def test_nothing_is_wider_than_the_window(open_page: OpenPage, wait_idle: WaitIdle, locale: str) -> None:
    """Start, the form, what happened, inside an event, and every closer look with its tables: no sideways scrolling.

    Each is opened in the narrowest window; what is not a closer look is then seen from the widest down to it.
    """
    say, widths = words("zh" if locale == "zh-CN" else "en"), WIDTHS[locale]
    page = open_page("/", viewport=(min(widths), 800), locale=locale)
    base = page.url.rstrip("/")
    assert too_wide(page) == []
    assert too_wide_at(page, wait_idle, *widths) == {}
    for address in ("/task", COMMITTED, COMMITTED + "aA.aB.tB&at=3.2", COMMITTED + "aA.aB.tB", EVERYTHING):
        page.goto(base + address)
        page.locator(f"{MEMORY} .main-svg").first.wait_for()
        wait_idle(page)
        assert too_wide(page) == [], address
        assert too_wide_at(page, wait_idle, *widths) == {}, address
    page.goto(base + COMMITTED + "aA.aB.tB")
    for tab in TABS:
        turn_to_tab(page, tab, say)
        wait_idle(page)
        for table in page.get_by_text(say.text("task.as_table")).all():
            table.click()
        wait_idle(page)
        assert too_wide(page) == [], tab


def test_the_picture_keeps_its_node(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED)
    page.locator(f"{MEMORY} .main-svg").first.wait_for()
    page.locator(MEMORY).evaluate("node => { node.marked = true }")
    for operation_id in OPERATIONS:
        press(page, operation_id)
        wait_idle(page)
        assert page.locator(MEMORY).evaluate("node => node.marked === true")


# ------------------------------------------------------------------ clicks on the picture


def click(page: Page, target: str) -> None:
    """Click where the picture has this target."""
    place = """(node, target) => {
        const hits = node.data.find((trace) => trace.name === "hits"), i = hits.customdata.indexOf(target);
        const { xaxis, yaxis } = node._fullLayout, box = node.getBoundingClientRect();
        return [box.x + xaxis._offset + xaxis.d2p(hits.x[i]), box.y + yaxis._offset + yaxis.d2p(hits.y[i])];
    }"""
    page.locator(MEMORY).scroll_into_view_if_needed()
    x, y = page.locator(MEMORY).evaluate(place, target)
    page.mouse.move(x - 2, y)  # Plotly finds what is under the pointer when it moves
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def wait_for_strong(page: Page, seq_id: str) -> None:
    """Until this request's connectors are the only thickest ones."""
    page.wait_for_function(
        """([selector, wanted]) => {
            const { data } = document.querySelector(selector);
            const lines = data.filter((trace) => trace.name?.startsWith("connectors:") && trace.line);
            const widest = Math.max(...lines.map((trace) => trace.line.width));
            const strong = new Set(lines.filter((t) => t.line.width === widest).map((t) => t.name.split(":")[1]));
            return strong.size === 1 && strong.has(wanted);
        }""",
        arg=[MEMORY, seq_id],
    )


@pytest.mark.parametrize("viewport", [pytest.param(WIDE, id="wide", marks=TWIN), pytest.param(PHONE, id="phone")])
def test_a_click_on_a_page_selects_its_request(
    open_page: OpenPage, wait_idle: WaitIdle, viewport: tuple[int, int]
) -> None:
    """Its connectors become the strong ones, for as long as nothing else is clicked; the address stays."""
    page = open_page(COMMITTED + "aA.aB.tB", viewport=viewport)
    page.locator(f"{MEMORY} .main-svg").first.wait_for()
    wait_for_strong(page, "B")
    address = page.url
    for target, strong in (("page:A:1", "A"), ("block:11", "B"), ("page:B:0", "B"), ("page:A:0", "A")):
        click(page, target)
        wait_for_strong(page, strong)
        wait_idle(page)
    assert page.url == address
    press(page, "tB")
    wait_idle(page)
    wait_for_strong(page, "A")  # still the one that was chosen
