"""The library in a browser: opened, kept, saved as a file and opened elsewhere; the QR code; a phone at night."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lessons.text.scenario_texts import format_library_title
from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, parameter, sentence, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

KEY = "scatter"
STATE = encode_scenario(LIBRARY[KEY].scenario)


def press(page: Page, target: Locator) -> None:
    """By keyboard."""
    target.focus()
    page.keyboard.press("Enter")


def row(page: Page) -> Locator:
    """What passes the state on."""
    return page.locator(".st-key-sandbox_share")


def drawn(page: Page, wait_idle: WaitIdle) -> str:
    """The picture in words, once it is there."""
    page.locator('.st-key-memory [role="img"]').first.wait_for()
    wait_idle(page)
    return sentence(page)


def in_the_code(page: Page) -> dict[str, list[str]]:
    """The parameters of the link under the QR code, which must be a picture that is drawn, with a name."""
    picture = page.locator(".kv-qr img")
    picture.wait_for()
    assert picture.evaluate("e => e.complete && e.naturalWidth > 0 && e.alt.length > 0")
    box = picture.bounding_box()
    assert box is not None
    assert abs(box["width"] - box["height"]) < 2
    assert box["width"] > 280
    link = page.locator(".kv-qr figcaption").inner_text()
    assert urlsplit(link)[:3] == urlsplit(page.url)[:3]
    return parse_qs(urlsplit(link).query)


@pytest.mark.thorough
def test_from_the_library_into_a_file_and_back(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, tmp_path: Path
) -> None:
    """By keyboard; what was kept opens the same picture, and so does the file in a browser that keeps nothing."""
    say, page = get_translations("en"), open_page("/library", viewport=WIDE)
    press(page, page.get_by_role("link", name=format_library_title(KEY, say), exact=True))
    page.wait_for_url("**/sandbox?**at_sandbox=0**")
    assert parameter(page, "sandbox") == STATE
    page.goto(page.url.replace("at_sandbox=0", "at_sandbox=3"))
    picture = drawn(page, wait_idle)

    press(page, row(page).get_by_role("button", name=say.text("scenarios.qr")))
    assert in_the_code(page) == {"sandbox": [STATE], "at_sandbox": ["3"], "lang": ["en"]}
    page.keyboard.press("Escape")
    page.locator(".kv-qr").wait_for(state="detached")

    press(page, row(page).get_by_role("button", name=say.text("scenarios.share")))
    page.get_by_label(say.text("scenarios.name")).fill("<b>mine</b>")
    press(page, page.get_by_role("button", name=say.text("scenarios.keep")))
    page.get_by_text(say.text("scenarios.kept_as")).wait_for()
    wait_idle(page)
    axe(page)
    with page.expect_download() as waiting:
        press(page, page.get_by_role("button", name=say.text("scenarios.save")))
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)

    page.keyboard.press("Escape")
    press(page, row(page).get_by_role("link", name=say.text("scenarios.library")))
    page.get_by_role("heading", name="<b>mine</b>").wait_for()
    wait_idle(page)
    axe(page)
    press(page, page.locator(".st-key-shelf_own").get_by_role("button", name=say.text("scenarios.open_kept")).first)
    page.wait_for_url("**/sandbox?**")
    assert drawn(page, wait_idle) == picture

    elsewhere = open_page("/sandbox", viewport=WIDE)
    drawn(elsewhere, wait_idle)
    press(elsewhere, row(elsewhere).get_by_role("button", name=say.text("scenarios.open"), exact=True))
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    elsewhere.locator("input[type=file]").set_input_files(tmp_path / "broken.json")
    elsewhere.get_by_text(say.text("scenarios.file_problem", reason="").strip()).wait_for()
    assert parameter(elsewhere, "sandbox") == ""
    elsewhere.locator("input[type=file]").set_input_files(file)
    elsewhere.wait_for_url("**at_sandbox=3**")
    assert (drawn(elsewhere, wait_idle), parameter(elsewhere, "sandbox")) == (picture, STATE)


@pytest.mark.thorough
def test_a_phone_at_night(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Everything fits; the row leaves room for the sandbox; a code fits the screen; what is removed is gone."""
    say = get_translations("zh")
    phone = {"viewport": PHONE, "locale": "zh-CN", "color_scheme": "dark"}
    page = open_page(f"/sandbox?sandbox={STATE}&at_sandbox=2", **phone)
    drawn(page, wait_idle)
    box = row(page).bounding_box()
    assert box is not None
    assert box["height"] < 60
    row(page).get_by_role("button", name=say.text("scenarios.share")).click()
    page.get_by_role("button", name=say.text("scenarios.keep")).click()
    page.get_by_text(say.text("scenarios.kept_as")).wait_for()
    page.keyboard.press("Escape")
    row(page).get_by_role("button", name=say.text("scenarios.qr")).click()
    assert in_the_code(page)["lang"] == ["zh"]
    page.keyboard.press("Escape")
    page.locator(".kv-qr").wait_for(state="detached")
    row(page).get_by_role("link", name=say.text("scenarios.library")).click()
    page.wait_for_url("**/library?**")
    own = page.locator(".st-key-shelf_own")
    own.get_by_role("heading", name=format_library_title(KEY, say)).wait_for()
    wait_idle(page)
    assert too_wide(page) == []
    axe(page)
    own.get_by_role("button", name=say.text("scenarios.remove"), exact=True).click()
    page.get_by_role("button", name=say.text("scenarios.remove_yes")).click()
    page.get_by_text(say.text("scenarios.own_empty")).wait_for()
    page.reload()
    page.get_by_text(say.text("scenarios.own_empty")).wait_for()
