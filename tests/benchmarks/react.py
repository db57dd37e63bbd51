"""Drawing a picture in the browser and nothing else: `python -m tests.benchmarks.react [ROUNDS] [--beside PATH]`.

The memory picture of the task, in the pool of 16 blocks of 4 slots and in the largest, is redrawn for one operation
after the other. Printed are medians in milliseconds: reading the figure's JSON, Plotly.react, both until painted, and
the 95th percentile of the latter. `--beside PATH` takes another checkout of the lab: its pictures are drawn by its own
scripts in the same browser, alternating with these.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM_FLAGS
from tests.browser.served import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

POOLS = ((16, 4), (64, 16))  # blocks, slots a block
VIEWPORT = {"width": 1440, "height": 900}
SCRIPTS = ("colors.js", "figure.js")
# Runs in either checkout: prints the pictures' JSON, one list for each pool.
PICTURES = """
import json, sys
from dataclasses import replace
from lab.figures.memory.memory_picture import draw_memory
from lab.trace.operations import parse_operation
from lab.trace.presets import build_task_config
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Timeline
from lessons.text.translations import get_translations
log = [parse_operation(text) for text in "aA aB tB tB rA aA rB rA".split()]
pools = []
for blocks, size in json.loads(sys.argv[1]):
    task = build_task_config(size)
    queue = (*task.free_block_ids, *range(len(task.free_block_ids), blocks))
    steps = Timeline.replay(replace(task, num_blocks=blocks, free_block_ids=queue), log).steps
    drawn = [draw_memory(step.after, get_translations("en"), changed=compare_snapshots(step.before, step.after))
             for step in steps]
    pools.append([json.dumps(picture.spec, ensure_ascii=False) for picture in drawn])
print(json.dumps(pools))
"""
DRAW = """async (text) => {
  const node = document.getElementById("figure"), begun = performance.now();
  const { data, layout } = JSON.parse(text, themed(node, {}));
  const read = performance.now();
  await redraw(Plotly, node, data, settle(node, layout));
  const reacted = performance.now();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return [read - begun, reacted - read, performance.now() - begun];
}"""
Times = list[tuple[float, float, float]]  # milliseconds: read, reacted, painted since the beginning


def build_pictures(checkout: Path) -> list[list[str]]:
    """The figures of each pool as JSON, drawn by that checkout."""
    command = [sys.executable, "-c", PICTURES, json.dumps(POOLS)]
    done = subprocess.run(command, cwd=checkout, env={"PYTHONPATH": "."}, capture_output=True, check=True, text=True)
    pools: list[list[str]] = json.loads(done.stdout)
    return pools


def open_page(browser: Browser, checkout: Path) -> Page:
    """An empty page with that checkout's scripts."""
    page = browser.new_context(viewport=VIEWPORT).new_page()  # type: ignore[arg-type]
    page.set_content('<div id="figure" style="width:1100px"></div>')
    library = checkout / "assets" / "lib"
    page.add_script_tag(path=library / "plotly-basic.min.js")
    page.add_script_tag(content="\n".join((library / name).read_text(encoding="utf-8") for name in SCRIPTS))
    return page


def measure(checkouts: list[Path], rounds: int) -> list[list[Times]]:
    """The times of every drawing: by pool, by checkout."""
    pictures = [build_pictures(checkout) for checkout in checkouts]
    times: list[list[Times]] = [[[] for _ in checkouts] for _ in POOLS]
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS)
        stack.callback(browser.close)
        pages = [open_page(browser, checkout) for checkout in checkouts]
        for turn in range(rounds + 1):
            for pool in range(len(POOLS)):
                for step in range(len(pictures[0][pool])):
                    for i, page in enumerate(pages):
                        page.bring_to_front()
                        read, reacted, painted = page.evaluate(DRAW, pictures[i][pool][step])
                        if turn:  # the first round warms up
                            times[pool][i].append((read, reacted, painted))
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", nargs="?", type=int, default=10)
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout of the lab")
    given = parser.parse_args()
    checkouts = [ROOT, *([given.beside.resolve()] if given.beside else ())]
    for (blocks, size), found in zip(POOLS, measure(checkouts, given.rounds), strict=True):
        for name, times in zip(("here", "beside"), found, strict=False):
            read, reacted, painted = (list(column) for column in zip(*times, strict=True))
            print(
                f"{blocks} × {size} {name:7} read {median(read):5.1f}, react {median(reacted):5.1f}, "
                f"painted {median(painted):5.1f}, p95 {quantiles(painted, n=20)[-1]:5.1f} ms"
            )


if __name__ == "__main__":
    main()
