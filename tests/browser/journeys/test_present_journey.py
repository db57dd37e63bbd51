"""Presenter mode in a browser: a class led through a prepared scenario by keyboard alone, and a student's phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.sandbox.facts import collect_values
from lab.sandbox.library import LIBRARY, list_prompts
from lab.sandbox.link import encode_scenario
from lessons.text.sentences import format_values
from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, Axe, OpenPage, WaitIdle, parameter, sentence, too_wide
from tests.links import parse_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROJECTOR = (1920, 1080)
SCENARIO = encode_scenario(LIBRARY["exact"].scenario)
CHROME = ".st-key-top_bar, [data-testid=stHeader], [data-testid=stToolbar], [data-testid=stStatusWidget]"
PICTURE = ".st-key-memory [role=img]"
INK = f"document.querySelector('{PICTURE}').data.find((trace) => trace.meta?.queue_ids).textfont.color.at(-1)"
COPIED = "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text }}})"


def color(page: Page, selector: str, name: str) -> str:
    return str(page.locator(selector).first.evaluate("(node, name) => getComputedStyle(node)[name]", name))


def ink(page: Page) -> str:
    """The colour of the ids in the memory picture's free queue, its last texts."""
    return str(page.evaluate(INK))


def picture(page: Page) -> tuple[float, float]:
    """Width of the picture, and the size of its texts, in pixels."""
    node = page.locator(PICTURE)
    return node.bounding_box()["width"], float(node.evaluate("node => node.layout.font.size"))  # type: ignore[index]


def large_and_bare(page: Page) -> None:
    """Nothing of the chrome, black on white, about one and a half times as large."""
    page.locator(".st-key-memory .main-svg").first.wait_for()
    assert page.locator(CHROME).locator("visible=true").count() == 0
    assert float(color(page, ".kv-note p:last-child", "fontSize").removesuffix("px")) >= 23
    width, font = picture(page)
    assert width > 1300
    assert font >= 18
    assert colors(page, ".kv-note") == ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
    assert too_wide(page) == []


def on_a_small_projector(page: Page) -> None:
    """The picture stands beside the question, and its buttons below it, without scrolling. Then scroll down."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.wait_for_function(
        f"""() => {{
        const [question, picture, buttons] = ['.st-key-sandbox_notes', '{PICTURE}', '.st-key-memory .pkl-controls'].map(
            (name) => document.querySelector(name).getBoundingClientRect());
        return picture.left > question.right && buttons.top >= picture.bottom && buttons.bottom <= 900;
    }}"""
    )
    assert too_wide(page) == []
    page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 700)")


def paused_at_the_question(page: Page, play: str) -> None:
    """Nothing plays, and the question is in sight, wherever the page was scrolled to."""
    page.locator(".pkl-play").get_by_text(play, exact=True).wait_for(state="attached")
    page.wait_for_function("() => document.querySelector('.st-key-sandbox_notes').getBoundingClientRect().top >= 0")


def link_for_students(page: Page, button: str) -> str:
    """What is copied, from the path on."""
    page.get_by_role("button", name=button).press("Enter")
    link = str(page.evaluate("window.copied"))
    assert "present" not in link
    page.evaluate("document.activeElement.blur()")
    return "/" + link.split("/", 3)[3]


def quickly(page: Page, keys: str) -> None:
    """Quicker than the server."""
    for key in keys:
        page.keyboard.press(key)


def colors(page: Page, text: str) -> tuple[str, str]:
    """Of the paper and of a text on it."""
    return color(page, "body", "backgroundColor"), color(page, text, "color")


def followed_by_a_student(page: Page, point: str, presented: str) -> None:
    """The same step, nothing covered, as on any phone."""
    assert parameter(page, "at_sandbox") == "1"
    assert sentence(page) == presented  # the link says the language too
    assert point in page.locator(".st-key-sandbox_notes").inner_text()
    assert too_wide(page) == []


@pytest.mark.thorough
def test_led_by_keyboard_and_followed_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Question, step, reveal, contrast, reset, notes, leave; the link that a student gets is the same place, bare."""
    say, (first, second, _) = get_translations("en"), list_prompts(LIBRARY["exact"])
    asked, point = (say.text(key, **format_values(collect_values(first), say)) for key in (first.ask, first.point))
    page = open_page(
        f"/sandbox?sandbox={SCENARIO}&at_sandbox=0&present=on&lang=en", viewport=PROJECTOR, init_script=COPIED
    )
    shown = page.locator(".st-key-sandbox_notes")

    def press(key: str, at: str = "") -> None:
        """Press a key; the address then says this place, where it is to change."""
        page.keyboard.press(key)
        page.wait_for_function("at => !at || new URL(location).searchParams.get('at_sandbox') === at", arg=at)
        wait_idle(page)

    large_and_bare(page)
    assert asked in shown.inner_text()
    before = sentence(page)

    on_a_small_projector(page)
    press("Space", "1")  # plays
    paused_at_the_question(page, say.text("player.play"))
    assert sentence(page) != before
    assert point not in shown.inner_text()
    assert say.text(second.ask, **format_values(collect_values(second), say)) in shown.inner_text()
    press("v")
    shown.get_by_text(point).wait_for()
    press("Enter", "2")  # nothing is covered: the next question's step
    page.locator(".kv-placeholder").wait_for()

    assert ink(page) == "#000000"
    press("c")
    page.wait_for_function(f"{INK} === '#ffffff'")
    assert page.locator("[role=dialog]").count() == 0  # Streamlit's own key would ask whether to clear a cache
    assert colors(page, ".kv-placeholder") == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    axe(page)

    press("?")
    page.get_by_text(say.text("present.key.leave").split("`: ")[1]).last.wait_for()
    press("Escape")  # closes the list alone, which lets go of the keyboard
    page.wait_for_function("document.activeElement === document.body")
    quickly(page, "rv")  # to the beginning, then the first question's step
    press("c", "1")
    assert parse_scenario(parameter(page, "sandbox")) == LIBRARY["exact"].scenario
    press("v")
    shown.get_by_text(point).wait_for()
    presented = sentence(page)

    link = link_for_students(page, say.text("present.link"))
    press("Escape")
    page.locator(".st-key-top_bar").wait_for()
    assert "present" not in page.url

    student = open_page(link, viewport=PHONE, color_scheme="dark", locale="zh-CN")
    followed_by_a_student(student, point, presented)
