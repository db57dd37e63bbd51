"""What the task looks like, in a real browser: dark and light, wide and narrow, and the picture's own clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lessons.activity.look_closer import TABS
from lessons.text.translations import get_translations
from tests.browser.steps import (
    COMMITTED,
    EVERYTHING,
    PHONE,
    WIDE,
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


TALL = 4000  # all of the page is in sight, which axe needs
CLOSER = ".st-key-look_closer"


@pytest.mark.thorough
@pytest.mark.parametrize(("locale", "width"), [("zh-CN", 360), ("en-US", 1440)], ids=["zh", "en"])
def test_every_closer_look(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, width: int) -> None:
    """After an operation, where the tensor tab has its numbers, with the tables open: fits, and axe finds nothing.

    In the light, then in the dark. What is around the closer looks is the same for all of them.
    """
    say = get_translations("zh" if locale == "zh-CN" else "en")
    page = open_page(COMMITTED + "aA.aB.tB", locale=locale, viewport=(width, TALL))
    assert page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollHeight") <= TALL
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for tab in TABS:
            turn_to_tab(page, tab, say)
            wait_idle(page)
            closed = page.locator(f"{CLOSER} details:not([open])")
            for table in closed.get_by_text(say.text("task.as_table")).all():
                table.click()
            wait_idle(page)
            assert too_wide(page) == [], tab
            axe(page, within=CLOSER)


WIDTHS = {"zh-CN": (1440, 360), "en-US": (768, 390)}


@pytest.mark.thorough
@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_task_fits_and_axe_finds_nothing_in_the_dark(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str
) -> None:
    """The form, inside an event, the end: no sideways scrolling in the narrowest window, opened in it or come to it.

    Other pages, and the task after an operation, are seen in the dark in test_accessibility.py.
    """
    widths = WIDTHS[locale]
    page = open_page("/task", viewport=(min(widths), 800), locale=locale, color_scheme="dark")
    base = page.url.split("/task")[0]
    for address in ("/task", COMMITTED + "aA.aB.tB&at=3.2", EVERYTHING):
        if address != "/task":
            page.goto(base + address)
        page.locator(f"{MEMORY} .main-svg").first.wait_for()
        wait_idle(page)
        assert too_wide(page) == [], address
        axe(page)
    assert too_wide_at(page, wait_idle, *widths) == {}


# ------------------------------------------------------------------ what Plotly makes of the picture

# Of each path its corners, fill and stroke, and of each text the words: as sent, and as drawn, in order.
AS_SENT = """({ data, layout: { shapes } }) => {
  const probe = document.createElement("i");
  const rgb = (color) => color && ((probe.style.color = color), probe.style.color);
  const plain = (text) => ((probe.innerHTML = text), probe.textContent);
  return [
    ...shapes.map(({ path, fillcolor, line }) => [path.match(/[MLZ]/g).join(""), rgb(fillcolor), rgb(line.color)]),
    ...data.flatMap((trace) => trace.text ?? []).map(plain),
  ];
}"""
AS_DRAWN = """(node) => [...node.querySelectorAll(".shapelayer path, .textpoint text")].map((part) => {
  const { fill, fillOpacity, stroke, strokeOpacity } = part.style;
  if (part.matches("text")) return part.textContent;
  const corners = part.getAttribute("d").match(/[A-Z]/g).join("");
  return [corners, fillOpacity === "0" ? null : fill, strokeOpacity === "0" ? null : stroke];
})"""


@pytest.mark.thorough
def test_plotly_draws_every_path_and_text_as_sent(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Every corner of every path in its colour, then every text once, also after an operation."""
    page = open_page(COMMITTED + "aA.aB", color_scheme="dark")
    picture = page.locator(MEMORY)
    picture.locator(".main-svg").first.wait_for()
    for operation in ("tB", "rA"):
        press(page, operation)
        wait_idle(page)
        drawn = picture.evaluate(AS_DRAWN)
        assert len(drawn) > 60
        assert drawn == picture.evaluate(AS_SENT)


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
            const { shapes } = document.querySelector(selector).layout;
            const lines = shapes.filter((shape) => shape.name.startsWith("connectors:"));
            const widest = Math.max(...lines.map((shape) => shape.line.width));
            const strong = new Set(lines.filter((t) => t.line.width === widest).map((t) => t.name.split(":")[1]));
            return strong.size === 1 && strong.has(wanted);
        }""",
        arg=[MEMORY, seq_id],
    )


@pytest.mark.thorough
@pytest.mark.parametrize("viewport", [pytest.param(WIDE, id="wide"), pytest.param(PHONE, id="phone")])
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
