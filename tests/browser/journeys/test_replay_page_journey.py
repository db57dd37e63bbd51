"""A run saved as a page, opened without a network inside a frame that may only run scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.trace.timeline import Timeline
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_event, format_operation
from tests.browser.steps import OpenPage, WaitIdle

if TYPE_CHECKING:
    from pathlib import Path

FRAME = """text => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style.cssText = "width: 100%; height: 800px";
  frame.srcdoc = text;
  document.body.replaceChildren(frame);
}"""


def test_a_saved_page_needs_no_server(open_page: OpenPage, wait_idle: WaitIdle, tmp_path: Path) -> None:
    """Downloaded in the sandbox; stepped by button and key, event by event, in any frame."""
    scenario = LIBRARY["task"].scenario
    page = open_page(f"/sandbox?sandbox={encode_scenario(scenario)}&at_sandbox=0&lang=en")
    words, steps = ScenarioWords("en", scenario), Timeline.replay(scenario.config, scenario.operations).steps
    page.locator(".st-key-share_state button").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name=words.text("scenarios.save_page")).click()
    file = tmp_path / "page.html"
    download.value.save_as(file)
    assert page.context.browser is not None
    alone = page.context.browser.new_context(offline=True)
    page, asked = alone.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(FRAME, file.read_text(encoding="utf-8"))
    frame = page.frame_locator("iframe")
    frame.locator(".pkl-stage .main-svg").first.wait_for()
    frame.locator(".pkl-forward").click()
    values = {"step": 1, "total": len(steps), "operation": format_operation(steps[0].operation, words)}
    frame.get_by_text(words.text("task.position", **values), exact=True).wait_for()
    page.keyboard.press("Shift+ArrowRight")
    frame.locator(".pkl-headline").get_by_text(format_event(steps[1].events[0], words), exact=True).wait_for()
    page.keyboard.press("End")
    frame.locator(f'.pkl-steps [aria-current][data-step="{len(steps)}"]').wait_for()
    alone.close()
    assert [url for url in asked if not url.startswith(("about:", "data:", "blob:"))] == []
