"""A wrong prediction run one's own way, then the report with both files: what a learner hands in is what happened."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from lessons.text.translations import Translations, get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, answer, commit, press, too_wide

if TYPE_CHECKING:
    from playwright.sync_api import Download, Page

OPERATIONS = ("aA", "aB", "tB")
NAME = "=<b>李</b> & Co"


def predict_wrongly(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    """Blocks rounded down, and the check thought to take one; then as far as B's fifth token."""
    answer(page, say, blocks="2", table_after_check="2")
    commit(page, say)
    page.wait_for_url("**run=2.task.4.used_*t_*")
    for operation_id in OPERATIONS:
        wait_idle(page)
        press(page, operation_id)
    wait_idle(page)


def run_my_way(page: Page, say: Translations, wait_idle: WaitIdle) -> None:
    """It goes wrong beside the engine; the other idea does no harm here, and a scenario is offered where it does."""
    page.locator(".st-key-part").get_by_text(say.text("task.part_explain"), exact=True).click()
    for idea in ("floor_for_ceil", "check_allocates"):
        name = say.text(f"misconceptions.name.{idea}")
        page.get_by_text(say.text("my_way.title", name=name), exact=True).click()
        page.get_by_text(say.text("my_way.idea", idea=say.text(f"misconceptions.idea.{idea}")), exact=True).wait_for()
    wait_idle(page)
    assert page.get_by_text(say.text("my_way.harm"), exact=True).count() == 1
    page.get_by_role("button", name=say.text("my_way.elsewhere"), exact=True).click()
    page.get_by_role("button", name=say.text("my_way.back"), exact=True).wait_for()
    wait_idle(page)
    assert page.get_by_text(say.text("my_way.harm"), exact=True).count() == 2
    for picture in page.locator(".st-key-my_way_blocks_player .pkl-figure:not([hidden])").all():
        picture.locator(".main-svg").first.wait_for()


def downloaded(page: Page, key: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.locator(f".st-key-{key} button").click()
    found: Download = waiting.value
    found.save_as(folder / found.suggested_filename)
    return folder / found.suggested_filename


def hand_in(page: Page, say: Translations, wait_idle: WaitIdle, folder: Path) -> None:
    """Both files hold the prediction beside the engine's outcome; the name is in them and nowhere else."""
    field = page.get_by_label(say.text("report.name"))
    field.fill(NAME)
    field.press("Enter")
    wait_idle(page)
    table = pd.read_csv(
        io.BytesIO(downloaded(page, "report_csv", folder).read_bytes()), dtype=str, encoding="utf-8-sig"
    )
    assert set(table["name"]) == {f"'{NAME}"}
    asked = table[table["part"] == "task"]
    assert list(asked["right"].fillna("")) == ["no", "yes", "yes", "yes", "no", ""]
    assert next(zip(asked["predicted"], asked["engine"], strict=True)) == ("2", "3")
    assert set(asked["mark"]) == {"own"}
    file = downloaded(page, "report_html", folder)
    assert file.name == "paged-kv-lab-report-b-李-b-Co.html"
    page = page.context.new_page()  # not the lab's: nobody watches what it asks for, and it asks for nothing
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    page.goto(file.as_uri())
    assert asked_for == [file.as_uri()]
    assert NAME in page.locator("main").inner_text()
    assert page.locator("main b").count() == 0
    assert page.locator("html").get_attribute("lang") == ("zh-CN" if say.language == "zh" else "en")
    page.emulate_media(media="print")
    assert page.locator("section").count() == 1
    assert too_wide_for_paper(page) == []
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    narrow = "() => [...document.querySelectorAll('td')].filter(e => e.textContent).map(e => e.clientWidth)"
    assert min(page.evaluate(narrow)) > PHONE[0] * 0.7
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def printed(page: Page, say: Translations) -> None:
    """The page itself on paper: no way to other pages, nothing to press, nothing folded."""
    page.emulate_media(media="print")
    assert page.locator("details:not([open])").count()
    assert page.locator(".kv-report table").first.is_visible()
    shown = "() => [...document.querySelectorAll('button, a, input, summary svg')].filter(e => e.checkVisibility())"
    assert page.evaluate(f"({shown})().map(e => e.outerHTML.slice(0, 200))") == []
    assert page.get_by_text(say.text("report.weakest"), exact=True).is_visible()
    page.emulate_media(media="screen")


def too_wide_for_paper(page: Page) -> list[str]:
    """What is wider than the text of an A4 page (182 mm)."""
    page.set_viewport_size({"width": 688, "height": 1000})
    wide = "() => [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 689)"
    return list(page.evaluate(f"({wide})().map(e => e.tagName)"))


def add_up(page: Page, say: Translations, folder: Path) -> None:
    """The instructor drops what was handed in: the same CSV twice, and the HTML, which is none."""
    page.get_by_role("button", name=say.text("memory.nav_explore")).click()
    page.get_by_role("link", name=say.text("reports.title"), exact=True).click()
    (report,) = folder.glob("*.csv")
    same = folder / "same.csv"
    same.write_bytes(report.read_bytes())
    page.locator(".st-key-reports_field input[type=file]").set_input_files([report, same, *folder.glob("*.html")])
    page.get_by_text(say.text("reports.read", students=1, answers=5)).wait_for()
    assert page.locator(".st-key-reports_problems li").count() == 2
    assert page.locator("[data-testid=stFileChip]").count() == 0  # no file's name, which is a student's
    assert NAME not in page.locator("body").inner_text()
    with page.expect_popup() as waiting:
        page.locator(".kv-bars .wrong a").first.click()
    assert "/task?run=2.task.4.used_" in waiting.value.url
    waiting.value.close()


WIDE_LIGHT = {"locale": "en-US", "viewport": WIDE, "color_scheme": "light"}
PHONE_DARK = {"locale": "zh-CN", "viewport": PHONE, "color_scheme": "dark"}


@pytest.mark.thorough
@pytest.mark.parametrize("browser", [pytest.param(WIDE_LIGHT, id="wide"), pytest.param(PHONE_DARK, id="phone")])
def test_from_a_wrong_prediction_to_the_file(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, tmp_path: Path, browser: dict[str, Any]
) -> None:
    say = get_translations("zh" if browser["locale"] == "zh-CN" else "en")
    page = open_page("/task", **browser)

    def stage() -> None:
        wait_idle(page)
        assert too_wide(page) == []
        axe(page)

    predict_wrongly(page, say, wait_idle)
    if browser is WIDE_LIGHT:
        run_my_way(page, say, wait_idle)
    page.get_by_role("button", name=say.text("quiz_page.nav_check")).click()
    page.get_by_role("link", name=say.text("report.title"), exact=True).click()
    title = say.text("report.part_title", name=say.text("report.part.task"), count=6)
    page.get_by_text(title, exact=True).wait_for()
    wait_idle(page)
    printed(page, say)
    page.get_by_text(title, exact=True).click()
    page.get_by_text(say.text("report.same.no"), exact=True).first.wait_for()
    stage()
    hand_in(page, say, wait_idle, tmp_path)
    add_up(page, say, tmp_path)
    stage()
