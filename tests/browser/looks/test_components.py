"""The lab's components in a real browser: what a test without one cannot see."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.looks.components import FIRST_MARKER, NODE, fill_of, operation, said, wait_for
from tests.browser.steps import pasted

if TYPE_CHECKING:
    from playwright.sync_api import Page

# ------------------------------------------------------------------ plot


def test_plot_is_redrawn_in_the_same_node(open_components: Callable[..., Page]) -> None:
    page = open_components()
    page.locator(NODE).evaluate("node => { node.marked = true }")
    operation(page, "append").click()
    wait_for(page, "log=[('append', 0)]")
    page.locator(f"{NODE}[aria-label='8 blocks, 1 operations']").wait_for()
    assert page.locator(NODE).evaluate("node => node.marked && node.isConnected && node.data[0].y[0] === 1")


def test_plot_sends_the_customdata_of_a_clicked_marker(open_components: Callable[..., Page]) -> None:
    page = open_components()
    page.locator(f"{NODE} .points path").nth(3).click(force=True)
    wait_for(page, "clicked=block-3")


@pytest.mark.thorough
def test_plot_changes_colours_with_the_theme_and_without_a_rerun(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components()
    runs = said(page, "runs")
    assert fill_of(page) == "rgb(0, 114, 178)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"""() => getComputedStyle(document.querySelector("{NODE} .points path"))
        .fill === "rgb(86, 180, 233)" """)
    wait_idle(page)
    assert said(page, "runs") == runs


@pytest.mark.thorough
def test_narrow_plot_asks_for_four_columns_once(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components(viewport=(390, 844))
    page.locator(f"{NODE}[aria-label='4 blocks, 0 operations']").wait_for()
    wait_idle(page)
    # A message to Python before the first run was drawn would lose this widget's value.
    assert page.get_by_role("switch", name="show").or_(page.get_by_role("checkbox", name="show")).is_checked()
    runs = said(page, "runs")
    page.set_viewport_size({"width": 1280, "height": 844})
    page.locator(f"{NODE}[aria-label='8 blocks, 0 operations']").wait_for()
    wait_idle(page)
    assert int(said(page, "runs")) == int(runs) + 1
    assert page.locator(NODE).evaluate("node => Math.abs(node._fullLayout.width - node.clientWidth) < 1")


@pytest.mark.thorough
def test_plot_too_wide_for_its_box_scrolls_and_takes_focus(open_components: Callable[..., Page]) -> None:
    page = open_components(viewport=(300, 800))
    box = page.locator(".pkl-plot[tabindex='0']")
    box.wait_for()
    assert box.evaluate("box => box.scrollWidth > box.clientWidth && box.clientWidth < 320")
    assert box.get_attribute("aria-label")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_removed_plots_leave_nothing_behind(open_components: Callable[..., Page]) -> None:
    page = open_components()
    count = "document.getElementsByTagName('*').length"
    page.evaluate("() => { window.purged = 0; const purge = Plotly.purge; Plotly.purge = n => (purged++, purge(n)) }")
    before = page.evaluate(count)
    for _ in range(3):
        page.get_by_role("link", name="Second").click()
        page.get_by_role("heading", name="Another page").wait_for()
        page.locator(NODE).wait_for(state="detached")
        page.get_by_role("link", name="First").click()
        page.wait_for_selector(FIRST_MARKER)
    assert page.evaluate("purged") == 3
    assert page.evaluate(count) <= before + 10
    assert page.evaluate("document.querySelectorAll('script[src*=plotly]').length") == 1


# ------------------------------------------------------------------ operations


@pytest.mark.thorough
def test_double_click_counts_once(open_components: Callable[..., Page], wait_idle: Callable[[Page], None]) -> None:
    page = open_components()
    operation(page, "append").dblclick()
    wait_for(page, "log=[('append', 0)]")
    wait_idle(page)
    assert said(page, "log") == "[('append', 0)]"


@pytest.mark.thorough
def test_two_clicks_on_one_drawing_count_once(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components()
    # Two single clicks (detail 1) in one task: no redraw can come between them.
    operation(page, "append").evaluate("button => { button.click(); button.click() }")
    wait_for(page, "log=[('append', 0)]")
    wait_idle(page)
    assert said(page, "log") == "[('append', 0)]"


def test_another_button_pressed_meanwhile_waits_and_is_pressed(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    """The row says so until then."""
    page = open_components()
    waiting = page.evaluate("""() => {
      for (const name of ["append", "append", "release"]) {
        document.querySelector(`[data-operation="${name}"]`).click();
      }
      return [...document.querySelectorAll("[aria-busy=true]")].map((button) => button.dataset.operation);
    }""")
    assert waiting == ["release"]
    wait_for(page, "log=[('append', 0), ('release', 1)]")
    wait_idle(page)
    assert said(page, "log") == "[('append', 0), ('release', 1)]"
    assert page.locator("[aria-busy=true]").count() == 0


@pytest.mark.thorough
def test_each_drawing_takes_a_press_and_the_focus_stays(open_components: Callable[..., Page]) -> None:
    page = open_components()
    operation(page, "append").focus()
    for index in range(3):
        page.keyboard.press("Enter")
        expected = [("append", each) for each in range(index + 1)]
        wait_for(page, f"log={expected}")
        page.locator(".pkl-operations:not(.pkl-pending)").wait_for()
        assert page.evaluate("document.activeElement.dataset.operation") == "append"


@pytest.mark.thorough
def test_a_press_that_leaves_the_index_opens_the_row_again(open_components: Callable[..., Page]) -> None:
    page = open_components()
    for index in range(2):
        operation(page, "release").click()
        wait_for(page, f"log={[('release', 0)] * (index + 1)}")
        page.locator(".pkl-operations:not(.pkl-pending)").wait_for()


@pytest.mark.thorough
def test_disabled_operation_says_why_and_does_nothing(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components()
    button = operation(page, "never")
    button.click(force=True)
    wait_idle(page)
    assert said(page, "log") == "[]"
    hint = button.get_attribute("aria-describedby")
    assert page.locator(f"[id='{hint}']").inner_text() == "B is already allocated"


NOTHING_COPIED = "Object.assign(navigator.clipboard, { writeText: async (text) => { window.copied = text } })"

# ------------------------------------------------------------------ copy link, the page as a whole


def test_copy_link_copies_the_address(open_components: Callable[..., Page]) -> None:
    page = open_components("/?log=a.b")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("status").get_by_text("Link copied").wait_for()
    assert "?log=a.b" in page.url
    assert pasted(page) == f"{page.url}&lang=zh"


@pytest.mark.thorough
def test_copy_link_works_without_the_clipboard_api(open_components: Callable[..., Page]) -> None:
    page = open_components(init_script="Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("status").get_by_text("Link copied").wait_for()


@pytest.mark.thorough
@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_axe_finds_nothing(
    open_components: Callable[..., Page], axe: Callable[[Page], list[dict[str, Any]]], color_scheme: str
) -> None:
    page = open_components(color_scheme=color_scheme)
    page.get_by_role("button", name="a primary button").wait_for()
    axe(page)


@pytest.mark.thorough
def test_a_link_that_cannot_be_passed_on_is_not_copied(open_components: Callable[..., Page]) -> None:
    """It says why instead."""
    page = open_components("/?long=1", init_script=NOTHING_COPIED)
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("status").get_by_text("This is too long").wait_for()
    assert page.evaluate("window.copied") is None
