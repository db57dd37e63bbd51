"""The lesson on the code in a real browser: code and picture move together; jumps by keyboard; a phone in the dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lab.trace.engine_source import SOURCE
from lab.trace.line_trace import trace_step
from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, WIDE, Axe, OpenPage, WaitIdle, look, parameter, sentence, too_wide
from tests.links import new, parse_run

if TYPE_CHECKING:
    from playwright.sync_api import Page

LINES = ["", *SOURCE.splitlines()]
# The lines of the event in view and the outlined one, and whether that can be seen inside the box.
SEEN = """() => {
  const box = document.querySelector('.st-key-source'), edge = box.getBoundingClientRect();
  const inside = (e) => {
    const r = e.getBoundingClientRect();
    return r.height > 0 && r.top >= edge.top - 1 && r.bottom <= edge.bottom + 1;
  };
  const rows = [...box.querySelectorAll('li[data-line]')];
  return {
    current: rows.filter((e) => e.ariaCurrent === 'step').map((e) => Number(e.dataset.line)),
    key: rows.filter((e) => e.classList.contains('key')).map((e) => [Number(e.dataset.line), inside(e)]),
    wide: box.scrollWidth > box.clientWidth,
  };
}"""
KEY_IN_SIGHT = f"() => {{ const seen = ({SEEN})(); return seen.key.length === 1 && seen.key[0][1]; }}"


def key_line(page: Page) -> str:
    """The text of the outlined line, once it has been scrolled into the box."""
    page.wait_for_function(KEY_IN_SIGHT)
    line: int = page.evaluate(SEEN)["key"][0][0]
    return LINES[line].strip()


def operate(page: Page, operation_id: str) -> None:
    """Press an operation and wait until the lesson's part of the address ends with it."""
    page.locator(f'button[data-operation="{operation_id}"]').click()
    page.wait_for_function("id => new URL(location).searchParams.get('code')?.endsWith(id)", arg=operation_id)


@pytest.mark.thorough
def test_code_and_picture_move_together(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Predict, run, step back event by event, reload; names lead to methods by keyboard. Wide, English, light."""
    page, say = open_page("/code", viewport=WIDE), get_translations("en")
    written = next(i for i, line in enumerate(LINES) if line.strip() == "seq.block_table.append(block_id)")
    page.locator(f'.kv-src [data-line="{written}"]').wait_for()
    assert page.evaluate(SEEN)["current"] == []
    axe(page)
    page.get_by_role("textbox").first.fill("2")
    page.get_by_role("button", name=say.text("task.commit")).click()
    page.wait_for_url("**code=2.table_2t_**")
    wait_idle(page)
    operate(page, "aA")
    wait_idle(page)
    assert key_line(page) == "seq.block_table.append(block_id)"
    before = sentence(page)
    execution = trace_step(parse_run("table__aA").config, parse_run("table__aA").operations, 0)
    for event in (7, 6, 5, 4):
        look(page, "event_back")
        wait_idle(page)
        assert page.evaluate(SEEN)["current"] == sorted({v.line for v in execution.get_lines_behind(event)})
    assert key_line(page) == "seq.block_table.append(block_id)"
    assert sentence(page) != before
    axe(page)
    page.reload()
    wait_idle(page)
    assert (parameter(page, "code"), parameter(page, "at_code")) == (new("table_2-0_aA"), "1.4")
    assert key_line(page) == "seq.block_table.append(block_id)"
    page.get_by_text(say.text("code.anchor_title", name="block_table")).click()
    page.get_by_role("button", name="_drop_reference").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('details[open] > summary')")
    assert "_drop_reference" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")  # folds it again
    page.wait_for_function("() => !document.activeElement.closest('details').open")


@pytest.mark.thorough
def test_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """The last case inside its release, Chinese, dark: nothing is too wide, the line that counts is in sight."""
    address = "/code?code=free_3-0-00_aA.aB.rA&at_code=3.1"
    page = open_page(address, viewport=PHONE, locale="zh-CN", color_scheme="dark")
    say = get_translations("zh")
    assert key_line(page) == "self.blocks[block_id].ref_count -= 1"
    look(page, "event_forward")
    wait_idle(page)
    assert key_line(page) == "self.free_block_ids[block_id] = None"
    assert (too_wide(page), page.evaluate(SEEN)["wide"]) == ([], False)
    look(page, "last")
    wait_idle(page)
    page.get_by_text(say.text("code.upstream_title")).click()
    page.get_by_text(say.text("code.differs.free").split("`")[2][:12]).wait_for()
    page.get_by_text("Prefix Cache").wait_for()
    axe(page)
    assert too_wide(page) == []
