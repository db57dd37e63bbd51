"""From a press to the picture drawn: the lab's pages beside an otherwise empty page with one live 64-cell figure.

`python -m tests.benchmarks.click_to_drawn [PRESSES]` prints for each kind of press the median, the 95th percentile and
the ratio to the bare page's click. Both servers run at once and their presses alternate, so that whatever the machine
does meets both.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.browser.idle import wait_until_idle
from tests.browser.served import running

if TYPE_CHECKING:
    from playwright.sync_api import Page

COMMITTED = "/task?lang=en&run=4.used_P3-1-1-0-1-7-000000_"
EIGHT = "/task?lang=en&part=eight&run8=8.used_Q2-3-1-0-0000_aA.aB.tB"
SMALL = "/sandbox?lang=en&present=on&sandbox=1.16.4.used_A.n11_B.sA-8.n3_aA.aB-2.tB.cB.rA.tB-2.rB.aA.tA"
LARGE = "/sandbox?lang=en&present=on&sandbox=1.64.16.used_A.n100_B.sA-64.n20_aA.aB.tB-3.tA-3.rA"
VIEWPORT = {"width": 1440, "height": 900}
PICTURE = ".st-key-memory, .st-key-cells, .st-key-block_size"
# Remembers when something was pressed and when a picture was drawn after it: then Plotly.react answers.
WATCH = """(picture) => {
  const react = Plotly.react;
  window.draws = 0;
  Plotly.react = async (node, ...figure) => {
    const drawn = await react(node, ...figure);
    if (node.closest(picture)) [window.drawnAt, window.draws] = [performance.now(), window.draws + 1];
    return drawn;
  };
  for (const kind of ["click", "keydown", "input"]) {
    addEventListener(kind, () => { window.pressedAt = performance.now(); window.drawnAt = 0; }, true);
  }
}"""
QUICK = 20  # presses in two seconds
QUICK_MS = 100


@dataclass(frozen=True)
class Row:
    """A kind of press: where it is made, what is pressed in turn, and the ratio that it should not exceed.

    A press is a key, an operation's id after `!`, or a value of the slider after `=`.
    """

    name: str
    path: str
    presses: tuple[str, ...]
    target: float
    afresh: bool = False  # open the page again after the last press


ROWS = (
    Row("arrow key, 16 x 4", SMALL, (*["ArrowLeft"] * 6, *["ArrowRight"] * 6), 1.3),
    Row("arrow key, 64 x 16", LARGE, (*["ArrowLeft"] * 4, *["ArrowRight"] * 4), 2.5),
    Row("the suggested operation", COMMITTED, ("!aA", "!aB", "!tB", "!rA", "!rB"), 1.3, afresh=True),
    Row("another operation", COMMITTED + "aA.aB", ("!tB", "!rB", "!aB", "!rA", "!aA"), 2.5, afresh=True),
    Row("the block_size slider, dragged", EIGHT, tuple(f"={size}" for size in (*range(8, 15), *range(13, 8, -1))), 2.5),
)


def press(page: Page, what: str) -> None:
    """Press a key or an operation, or move the slider."""
    if what.startswith("!"):
        page.locator(f'button[data-operation="{what[1:]}"]').click()
    elif what.startswith("="):
        page.locator(".st-key-block_size .pkl-slider").fill(what[1:])
    else:
        page.keyboard.press(what)


def measure_press(page: Page, what: str) -> float:
    """Press; milliseconds until the picture is drawn for the first time after it. Then wait until nothing happens."""
    press(page, what)
    page.wait_for_function("() => window.drawnAt > window.pressedAt")
    took = float(page.evaluate("window.drawnAt - window.pressedAt"))
    wait_until_idle(page, 600)
    return took


def open_watched(page: Page, url: str) -> Page:
    """Open the address and watch its figures."""
    page.goto(url)
    page.locator(f":is({PICTURE}) .main-svg").first.wait_for()
    wait_until_idle(page)
    page.evaluate(WATCH, PICTURE)
    return page


def make_presses(page: Page, url: str, row: Row, count: int) -> Iterator[str]:
    """The row's presses in turn, on its page."""
    open_watched(page, url + row.path)
    for number, what in zip(range(count), cycle(row.presses), strict=False):
        if row.afresh and number and number % len(row.presses) == 0:
            open_watched(page, url + row.path)
        yield what


def measure_row(
    row: Row, page: Page, url: str, bare: Callable[[], float], count: int
) -> tuple[list[float], list[float]]:
    """Milliseconds of every press, and of the bare page's clicks between them. The first presses warm both up."""
    mine, other = [], []
    for number, what in enumerate(make_presses(page, url, row, count + 4)):
        took, beside = measure_press(page, what), bare()
        if number >= 4:
            mine.append(took)
            other.append(beside)
    return mine, other


def measure_quick(page: Page, url: str) -> float:
    """Twenty presses in two seconds: milliseconds from the last key until its picture is drawn."""
    open_watched(page, url + SMALL)
    for number in range(QUICK):
        page.keyboard.press("ArrowLeft" if number < QUICK // 2 else "ArrowRight")
        page.wait_for_timeout(QUICK_MS)
    page.wait_for_function("() => window.drawnAt > window.pressedAt")
    return float(page.evaluate("window.drawnAt - window.pressedAt"))


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        lab = stack.enter_context(running("app.py", logs / "lab.txt"))
        empty = stack.enter_context(running("tests/benchmarks/bare_app.py", logs / "bare.txt"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        stack.callback(browser.close)
        page, bare_page = (browser.new_context(viewport=VIEWPORT).new_page() for _ in range(2))  # type: ignore[arg-type]
        open_watched(bare_page, empty.url)
        for row in ROWS:
            mine, bare = measure_row(row, page, lab.url, lambda: measure_press(bare_page, "!press"), count)
            ratio = median(mine) / median(bare)
            print(
                f"{row.name}: median {median(mine):.0f} ms, p95 {quantiles(mine, n=20)[-1]:.0f} ms; bare page "
                f"{median(bare):.0f} ms; ratio {ratio:.2f} (target at most {row.target})",
                flush=True,
            )
        quick = [measure_quick(page, lab.url) for _ in range(max(1, count // 10))]
        print(f"the last of twenty presses in two seconds: median {median(quick):.0f} ms (target at most 150)")


if __name__ == "__main__":
    main()
