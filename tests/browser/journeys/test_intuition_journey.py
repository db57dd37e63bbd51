"""The first lesson in a real browser: played to its gates, stepped by keyboard, restored from the address; a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lab.activities.intuition.outcomes import compute_where_options
from lab.activities.intuition.storyboard import build_scenes
from lessons.intuition.frames import format_caption
from lessons.text.reading_time import estimate_reading_seconds
from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, commit, parameter

if TYPE_CHECKING:
    from playwright.sync_api import Page

CAPTION, NODE, STILLS = ".pkl-player > .pkl-caption", '.pkl-stage [role="img"]', ".pkl-story li .main-svg"

# From now on: how long each caption stands that another one follows.
STANDS = f"""() => {{
  const shown = document.querySelector("{CAPTION}");
  let before = {{ text: shown.textContent, at: performance.now() }};
  window.stood = [];
  new MutationObserver(() => {{
    const now = {{ text: shown.textContent, at: performance.now() }};
    if (now.text === before.text) return;
    window.stood.push([before.text, (now.at - before.at) / 1000]);
    before = now;
  }}).observe(shown, {{ childList: true }});
}}"""


def choose(page: Page, text: str, say: Any) -> None:
    """Pick an answer and commit it; then the film has the keyboard, since the pressed button is gone."""
    page.get_by_text(text, exact=True).click()
    commit(page, say)
    page.wait_for_function("() => document.activeElement?.matches('.st-key-film')")


def wait_for_place(page: Page, place: str) -> None:
    """Until the address says that this picture is in view."""
    page.wait_for_function(
        "place => new URL(location).searchParams.get('at_intuition') === place", arg=place, timeout=30_000
    )


def wait_for_picture(page: Page, scene: int, frame: int, language: str) -> None:
    """Until this caption is shown and the picture beside it is drawn."""
    shown = format_caption(build_scenes()[scene - 1][frame - 1], get_translations("zh" if language == "zh" else "en"))
    page.locator(CAPTION).get_by_text(shown, exact=True).wait_for()
    page.locator(f"{NODE} .main-svg").first.wait_for()


def slide_to_the_end_of_the_first_scene(page: Page, wait_idle: WaitIdle) -> None:
    """The next picture is in the second scene."""
    page.locator(".pkl-slider").fill(str(len(build_scenes()[0]) - 1))
    wait_for_place(page, f"1.{len(build_scenes()[0])}")
    wait_idle(page)


def go_back_to(page: Page, wait_idle: WaitIdle, scene: int, picture: int) -> None:
    """The page takes presses again when all of it is that of the address."""
    page.go_back()
    wait_for_picture(page, scene, picture, "en")
    wait_idle(page)


@pytest.mark.thorough
def test_played_to_its_gates_and_to_the_end(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Nothing starts by itself; playing stops at a question, and what lies behind it has not even been sent."""
    say, page = get_translations("en"), open_page("/intuition", viewport=WIDE)
    assert page.locator(".pkl-player").count() == 0
    choose(page, say.text("intuition.option.contiguous_yes"), say)
    wait_for_picture(page, 1, 1, "en")
    wait_for_place(page, "1.1")
    wait_idle(page)
    axe(page)
    assert page.locator(".pkl-play").inner_text() == say.text("player.play")
    page.locator(NODE).evaluate("node => { node.marked = true }")
    slide_to_the_end_of_the_first_scene(page, wait_idle)
    entries = page.evaluate("history.length")
    page.locator(".pkl-speed").select_option("2")
    page.locator(".pkl-play").press("Enter")
    assert page.locator(CAPTION).get_attribute("aria-live") == "off"
    wait_for_place(page, f"2.{len(build_scenes()[1])}")
    assert page.evaluate("history.length") == entries + 1  # one entry for the whole of it
    page.get_by_text(say.text("intuition.cue")).wait_for()
    assert page.locator(".pkl-scenes button[aria-disabled]").count() == 3
    wait_idle(page)
    axe(page)
    ids = ", ".join(map(str, compute_where_options()["neighbours"]))
    choose(page, say.text("intuition.option.where_neighbours", ids=ids), say)
    wait_for_picture(page, 3, 1, "en")
    slider = page.locator(".pkl-slider")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    wait_for_place(page, "3.5")
    assert str(slider.get_attribute("aria-valuetext")).endswith(format_caption(build_scenes()[2][4], say))
    assert page.locator(NODE).evaluate("node => node.marked === true")  # the same node all the way
    page.locator(".kv-verdicts .other > summary").wait_for()
    page.reload()
    wait_for_picture(page, 3, 5, "en")
    page.locator(".pkl-forward").press("Enter")
    wait_for_place(page, "3.6")
    assert page.locator(CAPTION).get_attribute("aria-live") == "polite"
    go_back_to(page, wait_idle, 3, 5)
    page.locator(".pkl-scenes button").nth(3).click()
    wait_for_place(page, "4.1")
    wait_idle(page)
    page.get_by_role("button", name=say.text("intuition.to_question")).click()
    wait_for_picture(page, 4, len(build_scenes()[3]), "en")
    choose(page, say.text("intuition.option.returns_last"), say)
    wait_for_picture(page, 5, 1, "en")
    page.locator(".pkl-slider").press("End")
    wait_for_place(page, f"5.{len(build_scenes()[4])}")
    page.get_by_text(say.text("intuition.ended_title")).wait_for()
    page.get_by_text(say.text("site.nav_learn", done=1, total="|").split("|")[0]).first.wait_for()
    wait_idle(page)
    axe(page)


@pytest.mark.thorough
@pytest.mark.parametrize("speed", [2, 1])
def test_a_caption_stands_as_long_as_it_takes_to_read(open_page: OpenPage, speed: int) -> None:
    """Played, each picture of the second scene gives way after a time of its own, at twice the speed after half."""
    page = open_page(f"/intuition?intuition=01_1.{len(build_scenes()[0])}&lang=en", viewport=PHONE)
    wait_for_picture(page, 1, len(build_scenes()[0]), "en")
    page.locator(".pkl-forward").press("Enter")
    wait_for_place(page, "2.1")
    page.locator(".pkl-speed").select_option(str(speed))
    page.evaluate(STANDS)
    page.locator(".pkl-play").press("Enter")
    wait_for_place(page, f"2.{len(build_scenes()[1])}")
    stood = page.evaluate("window.stood")
    assert [shown for shown, _ in stood] == [
        format_caption(frame, get_translations("en")) for frame in build_scenes()[1][:-1]
    ]
    for shown, seconds in stood:
        wanted = estimate_reading_seconds(shown) / speed
        assert wanted - 0.05 <= seconds < wanted + 2, shown


def test_on_a_phone_in_the_dark_without_motion(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Four columns, a storyboard in place of playing, on paper all of it. See test_accessibility.py for the rest."""
    say = get_translations("zh")
    page = open_page(
        "/intuition?intuition=01-20_4.7",
        viewport=PHONE,
        locale="zh-CN",
        color_scheme="dark",
        reduced_motion="reduce",
    )
    wait_for_picture(page, 4, 7, "zh")
    page.wait_for_function(f"() => document.querySelector('{NODE}').layout?.meta.min_width <= 358")
    assert page.locator(".pkl-play").is_hidden()
    page.wait_for_function(f"() => document.querySelectorAll('{STILLS}').length >= 3")
    stills = page.locator(".pkl-story li .pkl-caption")
    expected = [format_caption(frame, say) for scene in build_scenes()[:4] for frame in scene if frame.still]
    assert stills.all_inner_texts() == expected[3:]
    assert page.locator(NODE).evaluate("node => node.layout.shapes.some(shape => shape.line.color === '#4da6e0')")
    wait_idle(page)
    page.locator(".pkl-back").click()
    wait_for_picture(page, 4, 6, "zh")
    wait_for_place(page, "4.6")
    assert parameter(page, "at_intuition") == "4.6"
    page.emulate_media(media="print")
    page.wait_for_function(f"n => document.querySelectorAll('{STILLS}').length >= n", arg=len(expected))
    assert stills.all_inner_texts() == expected
    assert page.locator(".pkl-controls").is_hidden()
    page.emulate_media(media="screen", reduced_motion="no-preference")
    page.wait_for_function("() => document.querySelectorAll('.pkl-story li').length === 0")
    assert page.locator(".pkl-play").is_visible()
