"""What somebody wrote, or edited in the browser's store, is shown as text: nothing of it runs or becomes markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.sandbox.files import write_file
from lab.sandbox.scenario import State
from lessons.text.translations import get_translations
from tests.browser.faults.test_record_journeys import stored
from tests.browser.steps import COMMITTED, OpenPage, WaitIdle
from tests.links import parse_scenario

pytestmark = pytest.mark.thorough

say = get_translations("en")
BAD = '<img src=x onerror="window.hit=1"><script>window.hit=2</script> [x](javascript:window.hit=3) **b** $y$ :red[z]'
SIGNS = "\u202e٣ \u200b e\u0301 \U0001f469\u200d\U0001f467"
FILE = write_file(State(parse_scenario("1.16.4.used_A.n11_aA"), 1)).decode()
RECORD: dict[str, Any] = {
    "explanation": f"{BAD} {SIGNS}",
    "own_words": {"new": f"{BAD} {SIGNS}", BAD: BAD},
    "scenarios": [[BAD[:60], FILE]],
    "attempts": [BAD],
    "committed": {"P4.used__": "4.used_P3-1-1-0-1-7-100000_", BAD: BAD},
    BAD: BAD,
}
HIT = "() => [window.hit, document.querySelectorAll('img[src=x], a[href^=javascript]').length]"


def test_markup_is_text(open_page: OpenPage, wait_idle: WaitIdle, tmp_path: Path) -> None:
    """In the report, which leaves the store as it is, and in its file; on the task, in the library, in a link."""
    keep = f"localStorage.setItem('paged-kv-lab', {json.dumps(json.dumps(RECORD))})"
    page = open_page("/report", init_script=keep)
    page.get_by_label(say.text("report.name")).fill(BAD)
    page.keyboard.press("Tab")
    wait_idle(page)
    closed = page.locator(".stExpander details:not([open]) summary")
    while closed.count():
        closed.first.click()
        wait_idle(page)
    assert BAD in " ".join(page.locator("blockquote").first.inner_text().split())
    assert (page.evaluate(HIT), stored(page)) == ([None, 0], RECORD)
    with page.expect_download() as download:
        page.get_by_role("button", name=say.text("report.html")).click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    other = page.context.new_page()
    other.set_content(file.read_text(encoding="utf-8"))
    assert BAD in " ".join(other.locator("body").inner_text().split())
    assert other.evaluate(HIT) == [None, 0]
    other.close()
    origin = page.url.partition("/report")[0]
    for path in (f"{COMMITTED}aA.aB.tB.rA.rB&part=explain", "/library", f"/task?run={BAD}&lang={BAD}&at={SIGNS}"):
        page.goto(origin + path)
        page.get_by_role("heading", level=1).wait_for()
        wait_idle(page)
        assert page.evaluate(HIT) == [None, 0]
