"""From a click to all figures drawn: the task's page beside an otherwise empty page with one live 64-cell figure.

`python -m tests.benchmarks.click_to_drawn [ROUNDS]` prints the median and the 95th percentile of each and the ratio
of the medians. Both servers run at once and their clicks alternate, so that whatever the machine does meets both.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
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
OPERATIONS = ("aA", "aB", "tB", "tB", "rA", "aA", "rB", "rA")
VIEWPORT = {"width": 1440, "height": 900}
# Remembers when the last click came and when the last figure after it was drawn: then Plotly.react answers.
WATCH = """() => {
  const react = Plotly.react;
  Plotly.react = async (...figure) => {
    const drawn = await react(...figure);
    window.drawnAt = performance.now();
    return drawn;
  };
  document.addEventListener("click", () => { window.clickedAt = performance.now(); window.drawnAt = 0; }, true);
}"""


def click(page: Page, operation: str) -> float:
    """Press the operation; milliseconds from the click to the last figure drawn because of it."""
    page.locator(f'button[data-operation="{operation}"]').click()
    page.wait_for_function("() => window.drawnAt > window.clickedAt")
    wait_until_idle(page)
    return float(page.evaluate("window.drawnAt - window.clickedAt"))


def opened(page: Page, url: str) -> Page:
    """Open the address and watch its figures."""
    page.goto(url)
    page.locator("[role=img] .main-svg").first.wait_for()
    wait_until_idle(page)
    page.evaluate(WATCH)
    return page


def measure(rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of every click on the task's page and on the bare one."""
    lab: list[float] = []
    bare: list[float] = []
    with ExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        task_server = stack.enter_context(running("app.py", logs / "task.txt"))
        bare_server = stack.enter_context(running("tests/benchmarks/bare_app.py", logs / "bare.txt"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        stack.callback(browser.close)
        task_page, bare_page = (browser.new_context(viewport=VIEWPORT).new_page() for _ in range(2))  # type: ignore[arg-type]
        opened(bare_page, bare_server.url)
        for turn in range(rounds + 1):
            opened(task_page, task_server.url + COMMITTED)
            times = [(click(task_page, operation), click(bare_page, "press")) for operation in OPERATIONS]
            if turn:  # the first round warms both up
                lab += [mine for mine, _ in times]
                bare += [other for _, other in times]
    return lab, bare


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    lab, bare = measure(rounds)
    for name, times in (("task page", lab), ("bare page", bare)):
        p95 = quantiles(times, n=20)[-1]
        print(f"{name}: {len(times)} clicks, median {median(times):.0f} ms, p95 {p95:.0f} ms")
    print(f"ratio of the medians {median(lab) / median(bare):.2f} (target at most 1.5)")


if __name__ == "__main__":
    main()
