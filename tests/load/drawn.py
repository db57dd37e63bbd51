"""One more student, in a real browser: milliseconds from a press until its picture is drawn, which is what is felt."""

from __future__ import annotations

import shutil
from asyncio import Event, sleep
from itertools import cycle
from random import random
from typing import TYPE_CHECKING

from playwright.async_api import async_playwright

from tests.benchmarks.click_to_drawn import PICTURE, ROWS, VIEWPORT, WATCH
from tests.browser.conftest import CHROMIUM_FLAGS

if TYPE_CHECKING:
    from playwright.async_api import Page

Drawn = dict[str, list[float]]  # by kind of press
PRESSED = [row for row in ROWS if row.afresh]  # the operations of the task


async def measure_drawn(url: str, think: float, over: Event) -> Drawn:
    """Press operations of the task, `think` seconds apart, until the class is over."""
    times: Drawn = {row.name: [] for row in PRESSED}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        page = await browser.new_page(viewport=VIEWPORT)  # type: ignore[arg-type]
        for row in cycle(PRESSED):
            await page.goto(url + row.path)
            await page.locator(f":is({PICTURE}) .main-svg").first.wait_for()
            await page.evaluate(WATCH, PICTURE)
            for what in row.presses:
                await sleep(think * (0.5 + random()))
                if over.is_set():
                    await browser.close()
                    return times
                times[row.name].append(await _press(page, what.removeprefix("!")))
    return times


async def _press(page: Page, operation: str) -> float:
    await page.locator(f'button[data-operation="{operation}"]').click()
    await page.wait_for_function("() => window.drawnAt > window.pressedAt")
    return float(await page.evaluate("window.drawnAt - window.pressedAt"))
