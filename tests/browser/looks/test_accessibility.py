"""Every page of the lab for everybody: keyboard, zoom, no motion, names and contrast. The README's table says so.

Each page is opened where something happened already. Single states of a page are looked at in that page's own tests.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lessons
from tests.browser.looks.motion import WATCHING, moved
from tests.browser.steps import COMMITTED, PHONE, Axe, OpenPage, WaitIdle, sentence, too_wide, wait_for_other_sentence
from tests.sample import sampled

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
    "classroom": "/class",
    "join": "/join",
    "course_reports": "/reports",
}
# Something to be done on the page.
DONE = {
    **dict.fromkeys(("intuition", "append"), ("[data-testid=stExpander] summary",)),
    "task": ("[data-operation=rA]",),
    "quiz": (".st-key-quiz_form [data-testid=stRadioOption]", ".st-key-quiz_submit button"),
    "allocate": (".st-key-memory .pkl-back",),
    "sandbox": (".st-key-memory .pkl-back",),
}
ANNOUNCED = ("task", "allocate", "sandbox")
# What a Tab should come to, each once; of a group whose members share one stop (radio buttons, tabs) one is enough.
STOPS = """() => {
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
  const wanted = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  return [...document.querySelectorAll(wanted)].filter(
    (e) => seen(e) && e.tabIndex >= 0 && !e.disabled && !e.closest("[inert]") && e.type !== "file"
  ).map((e) => e.closest('[role="radiogroup"], [role="tablist"]') ?? e)
    .map((e) => { e.dataset.stop ??= String(Math.random()); return e.dataset.stop; });
}"""
# How each of them looks before it has the focus, without Streamlit's fading from one look to the other.
UNFOCUSED = """() => {
  window.looks = (e) => {
    const found = [];
    for (let box = e, up = 0; box && up < 5; box = box.parentElement, up += 1) {
      const [{ width, height }, { opacity, overflow }] = [box.getBoundingClientRect(), getComputedStyle(box)];
      // What is in it is not seen either: so Streamlit hides the browser's own radio button.
      const unseen = opacity === "0" || (Math.min(width, height) < 3 && overflow !== "visible");
      if (unseen) found.length = 0;
      for (const part of unseen ? [] : [null, "::before", "::after"]) {
        const style = getComputedStyle(box, part);
        const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 && style.outline;
        const edge = /[1-9]/.test(style.borderWidth) && style.borderColor;
        found.push([up, part, ring, edge, style.boxShadow]);
      }
    }
    return JSON.stringify(found);
  };
  window.unfocused = new Map();
  const all = document.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]");
  for (const e of all) window.unfocused.set(e, window.looks(e));
}"""
# A ring or an edge must be there that was not. A tint alone is too faint.
FOCUSED = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const shown = window.unfocused.has(e) && window.unfocused.get(e) !== window.looks(e);
  return { stop: e.closest("[data-stop]")?.dataset.stop ?? "", shown, html: e.outerHTML.slice(0, 160) };
}"""
STILL = "*, ::before, ::after { transition: none !important }"


def test_every_page_is_here() -> None:
    files = [
        path for path in Path(lessons.__file__).parent.rglob("page*.py") if re.fullmatch(r"page(_\w+)?", path.stem)
    ]
    assert {path.stem.removeprefix("page_") if "_" in path.stem else path.parent.name for path in files} == set(PAGES)


def opened(open_page: OpenPage, name: str, **options: Any) -> Page:
    """The page, with its figures drawn."""
    page = open_page(PAGES[name], **options)
    page.wait_for_function(
        """() => [...document.querySelectorAll('[role="img"]')].every(
            (node) => !node.parentElement.matches(".pkl-stage, .pkl-plot") || node.querySelector(".main-svg"))"""
    )
    return page


@pytest.mark.parametrize("name", sampled(PAGES, ("task",)))
def test_by_keyboard_at_200_percent(open_page: OpenPage, wait_idle: WaitIdle, name: str) -> None:
    """Tab comes to everything that can be used, says where it is, and nothing is cut off at the side."""
    page = opened(open_page, name, viewport=ZOOMED)
    wait_idle(page)
    assert too_wide(page) == []
    wanted = set(page.evaluate(STOPS))
    assert wanted
    page.add_style_tag(content=STILL)
    page.evaluate(UNFOCUSED)
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


# The other pages have a journey each that runs by default.
WITHOUT_JOURNEY = (
    *("start", "allocate", "append", "share", "code", "task"),
    *("quiz", "report", "memory", "library", "course_reports"),
)


@pytest.mark.parametrize("name", sampled(PAGES, WITHOUT_JOURNEY))
def test_in_the_dark_without_motion(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, name: str) -> None:
    """On a phone in Chinese: axe finds nothing (names, roles, contrast), nothing is too wide; then something is done.

    From the first script to the end nothing moves, and what was done is announced.
    """
    looks = {"viewport": PHONE, "locale": "zh-CN", "color_scheme": "dark", "reduced_motion": "reduce"}
    page = opened(open_page, name, watching=WATCHING, **looks)
    wait_idle(page)
    assert too_wide(page) == []
    assert page.evaluate("document.documentElement.lang") == "zh"
    axe(page)
    shown = sentence(page) if name in ANNOUNCED else ""
    if name in ANNOUNCED:
        aloud = page.evaluate_handle("document.querySelector('.st-key-memory .pkl-caption')")
        assert aloud.evaluate("e => [e.textContent, e.ariaLive]") == [shown, "off"]  # nothing as the page opens
    for pressed in DONE.get(name, ()):
        page.locator(pressed).first.click()
        wait_idle(page)
    if name in ANNOUNCED:
        wait_for_other_sentence(page, shown)
        wait_idle(page)
        assert aloud.evaluate("e => [e.isConnected, e.ariaLive, e.textContent]") == [True, "polite", sentence(page)]
    if name == "quiz":  # the keyboard goes there, which says it
        page.wait_for_function("document.activeElement?.matches('.st-key-quiz_verdict h3')")
    assert moved(page) == []
