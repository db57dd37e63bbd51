"""The reader's own colours (Windows' high contrast): what is chosen keeps a shape when all tints are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.steps import COMMITTED, OpenPage, WaitIdle
from tests.sample import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# What of a look is left without colours: edges and lines, and whether something is filled with the colour of a choice.
SHAPE = """(e) => {
  const probe = document.createElement("div");
  probe.style.cssText = "forced-color-adjust: none; background: Highlight";
  document.body.append(probe);
  const chosen = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const look = (part) => {
    const style = getComputedStyle(part);
    const sides = ["top", "right", "bottom", "left"].map((side) => parseFloat(style[`border-${side}-width`]));
    const filled = style.backgroundColor === chosen;
    return sides.some(Boolean) || filled ? [[sides, filled]] : [];  // else it is not seen
  };
  return JSON.stringify([e, ...e.querySelectorAll("*:not(svg, svg *)")].flatMap(look));
}"""


def shapes(options: Locator) -> list[str]:
    """The look of each, without its colours."""
    return [str(option.evaluate(SHAPE)) for option in options.all()]


def assert_one_stands_out(options: Locator, chosen: Locator) -> None:
    """The chosen one's shape is its own; all the others look alike."""
    others, mine = shapes(options), shapes(chosen)
    assert len(mine) == 1
    assert len(others) > 1
    assert others.count(mine[0]) == 1, mine
    assert len(set(others)) == 2


@pytest.fixture
def open_plain(open_page: OpenPage) -> OpenPage:
    """Open a page in the reader's own colours, without what fades from one look to the other."""

    def open_(path: str, **options: object) -> Page:
        page = open_page(path, reduced_motion="reduce", **options)
        page.emulate_media(forced_colors="active")
        return page

    return open_


SANDBOX = "/sandbox?sandbox=1.16.4.used_A.n11_B.n4_C.n3_aA.aB&lang=en"
MENUS = ".st-key-learn_sandbox, .st-key-check_sandbox, .st-key-explore_sandbox"
GROUPS = {
    "language": (SANDBOX, ".st-key-language [role=radio]", "[aria-checked=true]"),
    "request": (SANDBOX, ".st-key-sandbox_request [role=radio]", "[aria-checked=true]"),
    "tab": (COMMITTED + "aA.aB", ".st-key-look_closer [role=tab]", "[aria-selected=true]"),
    "case": ("/share", ".st-key-case [role=radio]", "[aria-checked=true]"),
    "scene": ("/intuition?intuition=01-20-10_3.2", ".pkl-scenes button", "[aria-current]"),
    "menu": (SANDBOX, f":is({MENUS}) [data-testid=stPopoverButton]", ":is(.st-key-explore_sandbox *)"),
    "page": ("/task", ".st-key-top_bar [data-testid=stPageLink-NavLink]", "[href^=task]"),
}


@pytest.mark.parametrize("group", sampled(GROUPS, ("request",)))
def test_what_is_chosen_stands_out(open_plain: OpenPage, wait_idle: WaitIdle, group: str) -> None:
    """Of the languages, requests, tabs, cases, scenes, menus and pages."""
    path, options, chosen = GROUPS[group]
    page = open_plain(path)
    page.locator(options).first.wait_for()
    wait_idle(page)
    assert_one_stands_out(page.locator(options), page.locator(f"{options}{chosen}"))


@pytest.mark.thorough
def test_the_page_in_view_stands_out_in_its_menu(open_plain: OpenPage) -> None:
    """Opened, the menu shows which of its pages this is."""
    page = open_plain(SANDBOX)
    page.locator(".st-key-explore_sandbox button").click()
    links = page.locator("[data-testid=stPopoverBody] [data-testid=stPageLink-NavLink]")
    links.nth(2).wait_for()
    assert_one_stands_out(links, links.and_(page.locator("[href^='sandbox?']")))


@pytest.mark.thorough
def test_answers_of_a_prediction_show_what_was_picked(open_plain: OpenPage, wait_idle: WaitIdle) -> None:
    """A radio button, and "I'm sure"."""
    page = open_plain("/task")
    form = page.locator("form, [data-testid=stForm]").first
    for kind in ("stRadioOption", "stCheckbox"):
        options = form.locator(f"[data-testid={kind}]")
        options.nth(1).locator("xpath=self::label | .//label").first.click()
        wait_idle(page)
        page.mouse.move(0, 0)
        assert_one_stands_out(options, options.nth(1))
