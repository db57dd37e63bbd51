"""Where the memory goes, in a browser: predicted, started, stopped, started again; the files; a link on a phone."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from lab.serving.paper import PAPER
from lessons.memory.attempt import SECTIONS
from lessons.text.translations import Translations, get_translations
from tests.browser.served import Server, running
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, parameter, too_wide
from tests.links import new

if TYPE_CHECKING:
    from playwright.sync_api import Page

GUESS = "sharegpt.true_length.70.under5"
RAN = f"{GUESS}.sharegpt.run16"
LONG = 60_000  # milliseconds


APP = "tests/browser/memory_app.py"  # the lab, with short studies


@pytest.fixture(scope="module")
def memory_server(serve: Callable[[str], Server]) -> Server:
    """With short studies."""
    return serve(APP)


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[Server]:
    """A server that has run nothing yet: it keeps what is done, and whoever asks next sees no progress."""
    with running(APP, tmp_path / "log.txt") as server:
        yield server


def press(page: Page, key: str) -> None:
    """Press a button of this key."""
    page.locator(f".st-key-{key} button").first.click()


def predict(page: Page, say: Translations) -> None:
    """Fill in the form and commit."""
    page.locator('[role="radiogroup"]').get_by_text(say.text("memory.policy.true_length")).first.click()
    page.get_by_text(say.text("memory.band.under5"), exact=True).click()
    page.locator('input[type="text"]').last.fill("70")
    press(page, "memory_commit")
    page.locator(".st-key-start_over").wait_for()


def drawn(page: Page, name: str) -> None:
    """Wait for a figure."""
    page.locator(f".st-key-memory_{name} .main-svg").first.wait_for(timeout=LONG)


def downloaded(page: Page, key: str, folder: Path) -> Path:
    """What the button saves."""
    with page.expect_download() as waiting:
        press(page, key)
    waiting.value.save_as(folder / waiting.value.suggested_filename)
    return folder / waiting.value.suggested_filename


@pytest.mark.thorough
def test_predicted_stopped_run_and_saved(
    new_server: Server, open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, tmp_path: Path
) -> None:
    """The page stays alive while another process runs; the figure and its numbers can be taken away."""
    say = get_translations("en")
    page = open_page("/memory", app=new_server, viewport=WIDE)
    predict(page, say)
    press(page, "memory_run")
    page.locator('[role="progressbar"]').first.wait_for()
    press(page, "memory_cancel")
    page.locator(".st-key-memory_run button").wait_for()
    assert parameter(page, "memory") == new(GUESS, "memory")
    press(page, "memory_run")
    drawn(page, "shares")
    page.locator(".st-key-memory_progress").wait_for(state="detached", timeout=LONG)
    wait_idle(page)
    assert page.locator(".kv-card.other").count() == 3
    assert say.text("memory.foreign") not in page.locator("body").inner_text()
    axe(page)
    saved = downloaded(page, "memory_csv_shares", tmp_path)
    assert re.fullmatch(r"paged-kv-shares-sharegpt-block16-\d{4}-\d\d-\d\d\.csv", saved.name)
    table = pd.read_csv(saved)
    assert set(table[say.text("memory.column.workload")]) == {say.text("memory.workload.sharegpt")}
    assert list(table.iloc[1::2, 2].astype(float)) == [row.tokens for row in PAPER.values()]
    picture = downloaded(page, "memory_svg_shares", tmp_path)
    assert picture.stem == saved.stem
    drawing = picture.read_text(encoding="utf-8")
    for fact in (say.text("memory.shares.axis"), say.text("memory.workload.sharegpt"), saved.stem[-10:]):
        assert fact in drawing
    assert drawing.startswith("<svg")
    assert say.text("memory.policy.true_length") in drawing
    page.reload()
    drawn(page, "shares")
    wait_idle(page)
    assert page.locator(".st-key-memory_progress").count() == 0  # remembered


@pytest.mark.thorough
def test_a_link_on_a_phone_at_night(open_page: OpenPage, memory_server: Server, wait_idle: WaitIdle, axe: Axe) -> None:
    """Every result fits; the sender's prediction is the sender's."""
    say = get_translations("zh")
    phone = {"viewport": PHONE, "locale": "zh-CN", "color_scheme": "dark"}
    page = open_page(f"/memory?memory={RAN}", app=memory_server, **phone)
    drawn(page, "shares")
    page.locator(".st-key-memory_progress").wait_for(state="detached", timeout=LONG)
    assert page.get_by_text(say.text("memory.foreign")).count() == 1
    for name in SECTIONS:
        if name != SECTIONS[0]:
            press(page, "memory_next")
        page.get_by_role("heading", name=say.text(f"memory.heading.{name}")).wait_for()
        wait_idle(page)
        assert too_wide(page) == [], name
        axe(page)


@pytest.mark.thorough
def test_a_file_is_read_run_and_forgotten(open_page: OpenPage, memory_server: Server, wait_idle: WaitIdle) -> None:
    """The server's copy goes at once and the lengths do not; the moment of the map outlives a reload, the file not."""
    say = get_translations("en")
    page = open_page(f"/memory?memory={GUESS}.own&at_memory=pool.paged.30", app=memory_server, viewport=WIDE)
    missing = page.get_by_text(say.text("memory.upload_first"))
    missing.wait_for()
    lengths = {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"1000;1048\n900;1500\n"}
    for left in ("by a reload", "by forgetting"):
        page.locator('input[type="file"]').set_input_files(lengths)  # type: ignore[arg-type]
        page.get_by_text(say.text("memory.file_read", count="2")).wait_for()
        page.get_by_text(say.text("memory.file_cut", cut=1, count=2, most="2,048")).wait_for()
        if page.locator(".st-key-memory_run button").count():
            press(page, "memory_run")
        drawn(page, "pool")
        page.locator(".st-key-memory_progress").wait_for(state="detached", timeout=LONG)
        wait_idle(page)
        assert page.locator('input[type="range"]').first.get_attribute("aria-valuetext") == "30"
        assert parameter(page, "at_memory") == "pool.paged.30"
        assert missing.count() == 0
        if left == "by a reload":
            page.reload()
        else:
            press(page, "memory_own")
            predict(page, say)
            press(page, "forget")
            press(page, "forget_yes")
        missing.wait_for()
        assert page.locator(".st-key-memory_pool").count() == 0


@pytest.mark.thorough
def test_files_of_every_kind_are_answered(open_page: OpenPage, memory_server: Server) -> None:
    """By what is in them, in the learner's language; what stood there about the one before is gone. One that is too
    large is not sent, and the field says so."""
    say = get_translations("zh")
    phone = {"viewport": PHONE, "locale": "zh-CN"}
    page = open_page(f"/memory?memory={GUESS}.own&lang=zh", app=memory_server, **phone)
    field = page.locator('input[type="file"]')
    field.wait_for(state="attached")
    assert page.get_by_text("Drag and drop").filter(visible=True).count() == 0
    lines = b'{"input_length": 3, "output_length": 4}\n' * 3
    good = {"trace.jsonl": lines, "trace.csv.gz": gzip.compress(b"1,2\n" * 4), "trace.tsv": b"5\t6\n" * 5}
    for count, (name, data) in enumerate(good.items(), 3):
        field.set_input_files({"name": name, "mimeType": "", "buffer": data})
        page.get_by_text(say.text("memory.file_read", count=count)).wait_for()
        field.set_input_files({"name": "picture.png", "mimeType": "image/png", "buffer": b"\x89PNG\r\n\x1a\n\0"})
        page.get_by_text(say.text("errors.workload_not_text")).wait_for()
        page.get_by_text(say.text("memory.file_read", count=count)).wait_for(state="detached")
        assert page.locator(".st-key-memory_run").count() == 0
    field.set_input_files({"name": "large.csv", "mimeType": "text/csv", "buffer": b"1,2\n" * 2_700_000})
    chip = page.locator('[data-testid="stFileChip"][aria-invalid="true"]')
    chip.wait_for()
    beside = chip.evaluate("chip => getComputedStyle(chip, '::after').content")
    assert beside == f'"{say.text("memory.upload_too_large")}"'
    assert too_wide(page) == []
