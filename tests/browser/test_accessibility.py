"""Every page of the lab for everybody: keyboard, zoom, no motion, names and contrast. The README's table says so.

Each page is opened where something happened already. Single states of a page are looked at in that page's own tests.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lessons
from tests.browser.steps import COMMITTED, PHONE, Axe, OpenPage, WaitIdle, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Page

ZOOMED = (720, 450)  # 1440 × 900 at 200 %
PAGES = {
    "start": "/",
    "intuition": "/intuition?intuition=01-20_4.7",
    "allocate": "/allocate?allocate=ten_9@3-41-11_aA",
    "append": "/append",
    "share": "/share",
    "code": "/code",
    "task": COMMITTED + "aA.aB.tB",
    "quiz": "/quiz?quiz=r.7.4.easy.5",
    "report": "/report",
    "memory": "/memory",
    "sandbox": "/sandbox?sandbox=1.16.4.used.task_A.n11_B.n4_aA.aB.tB.rA.rB&at_sandbox=2",
    "library": "/library",
}
# What a Tab should come to, each once; of a group whose members share one stop (radio buttons, tabs) one is enough.
STOPS = """() => {
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const wanted = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  return [...document.querySelectorAll(wanted)].filter(
    (e) => seen(e) && e.tabIndex >= 0 && !e.disabled && !e.closest("[inert]") && e.type !== "file"
  ).map((e) => e.closest('[role="radiogroup"], [role="tablist"]') ?? e)
    .map((e) => { e.dataset.stop ??= String(Math.random()); return e.dataset.stop; });
}"""
FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const shows = (style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none";
  let shown = false;
  for (let box = e, up = 0; box && up < 5 && !shown; box = box.parentElement, up += 1) {
    shown = shows(getComputedStyle(box)) || shows(getComputedStyle(box, "::before"))
      || shows(getComputedStyle(box, "::after"));
  }
  return { stop: e.closest("[data-stop]")?.dataset.stop ?? "", shown, html: e.outerHTML.slice(0, 160) };
}"""


def test_every_page_is_here() -> None:
    files = Path(lessons.__file__).parent.glob("page_*.py")
    assert {path.stem.removeprefix("page_") for path in files} == set(PAGES)


def opened(open_page: OpenPage, name: str, **options: Any) -> Page:
    """The page, with its figures drawn."""
    page = open_page(PAGES[name], **options)
    page.wait_for_function(
        """() => [...document.querySelectorAll('[role="img"]')].every(
            (node) => !node.parentElement.matches(".pkl-stage, .pkl-plot") || node.querySelector(".main-svg"))"""
    )
    return page


@pytest.mark.parametrize("name", PAGES)
def test_by_keyboard_at_200_percent(open_page: OpenPage, wait_idle: WaitIdle, name: str) -> None:
    """Tab comes to everything that can be used, says where it is, and nothing is cut off at the side."""
    page = opened(open_page, name, viewport=ZOOMED)
    wait_idle(page)
    assert too_wide(page) == []
    wanted = set(page.evaluate(STOPS))
    assert wanted
    met: set[str] = set()
    hidden: list[str] = []
    for _ in range(3 * len(wanted) + 20):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at is None or (at["stop"] in met and wanted <= met):
            break
        met.add(at["stop"])
        if not at["shown"]:
            hidden.append(at["html"])
    missed = sorted(wanted.intersection(page.evaluate(STOPS)) - met)  # a figure that no longer scrolls is no stop
    said = page.evaluate(
        "stops => stops.map((s) => document.querySelector(`[data-stop='${s}']`)?.outerHTML.slice(0, 160))", missed
    )
    assert said == []
    assert hidden == []


@pytest.mark.parametrize("name", PAGES)
def test_in_the_dark_without_motion(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, name: str) -> None:
    """On a phone in Chinese: axe finds nothing (names, roles, contrast), nothing moves, nothing is too wide."""
    page = opened(open_page, name, viewport=PHONE, locale="zh-CN", color_scheme="dark", reduced_motion="reduce")
    wait_idle(page)
    assert too_wide(page) == []
    moving = page.evaluate(
        """() => document.getAnimations().filter((each) => each.playState === "running")
            .map((each) => `${each.animationName ?? each.transitionProperty} ${each.effect.target?.outerHTML}`)"""
    )
    assert moving == []
    assert page.evaluate("document.documentElement.lang") == "zh"
    axe(page)
