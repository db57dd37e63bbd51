"""Taking a run away: its picture as SVG and PNG, its steps as numbered pictures, and the page on paper."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lessons.text.translations import get_translations
from tests.browser.steps import EVERYTHING, OpenPage, sentence

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCENARIO = LIBRARY["task"].scenario
PNG = b"\x89PNG\r\n\x1a\n"
ON_PAPER = """selector => [...document.querySelectorAll(selector)].filter((each) => {
  const { width, height } = each.getBoundingClientRect();
  return width > 2 && height > 2 && getComputedStyle(each).visibility !== "hidden";
}).map((each) => each.outerHTML.slice(0, 120))"""


def save(page: Page, kind: str) -> tuple[str, bytes]:
    """The name and the content of the file that this button gives."""
    with page.expect_download() as started:
        page.locator(f".pkl-pictures [data-kind={kind}]").click()
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


@pytest.mark.thorough
def test_pictures_of_the_task(open_page: OpenPage) -> None:
    """Beside the table below its picture."""
    page = open_page(f"{EVERYTHING}&lang=en")
    page.locator(".st-key-memory .main-svg").first.wait_for()
    page.get_by_text(get_translations("en").text("task.table_and_files")).click()
    name, svg = save(page, "svg")
    assert (name, b"block 14" in svg) == ("paged-kv-task-5.svg", True)


@pytest.mark.thorough
def test_pictures_and_paper(open_page: OpenPage) -> None:
    """The archive has a picture for each state, in order, and the words of each; paper has no control at all."""
    say, steps = get_translations("en"), len(SCENARIO.operations)
    page = open_page(f"/sandbox?sandbox={encode_scenario(SCENARIO)}&lang=en", viewport=(1440, 900))
    words = sentence(page)
    page.get_by_text(say.text("task.table_and_files"), exact=True).click()
    name, svg = save(page, "svg")
    assert name == f"paged-kv-task-{steps}.svg"
    assert b"<svg" in svg
    assert "block 14" in svg.decode()
    name, png = save(page, "png")
    assert (name, png[:8]) == (f"paged-kv-task-{steps}.png", PNG)
    _, archive = save(page, "all")
    with ZipFile(io.BytesIO(archive)) as files:
        assert files.testzip() is None
        assert files.namelist() == [*(f"{step}.png" for step in range(steps + 1)), "words.txt"]
        assert all(files.read(f"{step}.png")[:8] == PNG for step in range(steps + 1))
        assert files.read("words.txt").decode().splitlines()[-1] == f"{steps}. {words}"

    page.emulate_media(media="print")
    page.locator(".pkl-player [role=img]").locator("visible=true").first.wait_for()
    assert page.evaluate(ON_PAPER, "button, input, select, textarea, nav a, .stPageLink a") == []
    assert page.get_by_text(words).locator("visible=true").count() > 0


@pytest.mark.thorough
def test_paper_tells_no_step_that_a_question_is_about(open_page: OpenPage) -> None:
    """The frame of the step is in the browser already, so that the arrow key shows it at once."""
    page = open_page(f"/sandbox?sandbox={encode_scenario(SCENARIO)}&at_sandbox=1&present=on&lang=en")
    page.emulate_media(media="print")
    page.locator(".pkl-story li").nth(1).wait_for(state="attached")
    assert page.locator(".pkl-story li").count() == 2
