"""Addresses and steps that journeys through the lab share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lab.activities.checkpoint import build_checkpoint
from lab.trace.operations import encode_operation
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.text.translations import Translations
from tests.links import parse_run

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

OpenPage = Callable[..., "Page"]
WaitIdle = Callable[..., None]
Axe = Callable[..., Any]

WIDE, PHONE = (1440, 900), (390, 844)
# Of language, width and theme every two values meet somewhere: these in the light, the other two in the dark; or these
# for one of the two long journeys, the other two for the other.
ZH_WIDE_EN_PHONE = [pytest.param("zh-CN", WIDE, id="zh-wide"), pytest.param("en-US", PHONE, id="en-phone")]
ZH_PHONE_EN_WIDE = [pytest.param("zh-CN", PHONE, id="zh-phone"), pytest.param("en-US", WIDE, id="en-wide")]
OPERATIONS = ("aA", "aB", "tB", "rA", "rB")
COMMITTED = "/task?run=2.task.4.used_3s.1t.1t.0t.1t.7t_"
# Of the parts of a log in an address, how many operations they are: `tB-3` is three.
COUNT = ".filter(Boolean).reduce((sum, each) => sum + Number(each.split('-')[1] ?? 1), 0)"
EVERYTHING = COMMITTED + ".".join(OPERATIONS)


def answer(page: Page, say: Translations, **typed: str) -> None:
    """Fill in the prediction; by default as the engine will do it."""
    values = {"blocks": "3", "empty_slots": "1", "table_after_check": "1", "last_to_join": "7", **typed}
    for name, value in values.items():
        page.get_by_label(say.text(f"task.question.{name}")).fill(value)
    for choice in ("1_new_page", "0_consecutive"):
        page.get_by_text(say.text(f"task.yes_no.{choice}"), exact=True).click()


def commit(page: Page, say: Translations) -> None:
    """Press the button of the form."""
    page.get_by_role("button", name=say.text("task.commit")).click()


def press(page: Page, operation_id: str) -> None:
    """Press an operation, as soon as the one before it is drawn, and wait until the address holds it."""
    count = len(operations(page))
    page.locator(".pkl-operations:not(.pkl-pending)").first.wait_for()
    page.locator(f'button[data-operation="{operation_id}"]').click()
    page.wait_for_function(
        f"n => (new URL(location).searchParams.get('run') ?? '').split('_')[2]?.split('.'){COUNT} === n",
        arg=count + 1,
    )


def parameter(page: Page, name: str) -> str:
    """One parameter of the address; empty if it is not there."""
    return parse_qs(urlsplit(page.url).query).get(name, [""])[0]


def operations(page: Page) -> list[str]:
    """The operations in the address."""
    text = parameter(page, "run")
    return [encode_operation(each) for each in parse_run(text).operations] if text else []


def look(page: Page, name: str) -> None:
    """Press a button of the player and wait until the address has followed."""
    before = page.url
    page.locator(f".st-key-memory .pkl-{name}").click()
    page.wait_for_function("url => location.href !== url", arg=before)


def outcomes(page: Page) -> Locator:
    """What the run says about each answer, in the card behind its chip: shown or not."""
    return page.locator(".kv-card .o")


def events(page: Page) -> Locator:
    """The events of the step in view, shown or not."""
    return page.locator(".kv-events li")


def sentence(page: Page) -> str:
    """What the memory picture tells those who cannot see it."""
    return str(page.locator('.st-key-memory [role="img"]').first.get_attribute("aria-label"))


def wait_for_other_sentence(page: Page, before: str) -> None:
    """Until the memory picture tells something else."""
    page.wait_for_function(
        """before => document.querySelector('.st-key-memory [role="img"]')?.getAttribute("aria-label") !== before""",
        arg=before,
    )


def choose(page: Page, say: Translations, option_id: str = "") -> str:
    """Answer the quick question about the newest operation, by default rightly; what was chosen, in words."""
    run = parse_run(parameter(page, "run"))
    asked = build_checkpoint(Timeline.replay(run.config, run.operations).steps[-1])
    option = next(option for option in asked.options if option.id == (option_id or asked.answer))
    said = format_checkpoint_option(asked, option, say)
    page.get_by_role("radio", name=said, exact=True).locator("xpath=ancestor::label").click()
    page.get_by_text(f"● {said}").wait_for()
    return said


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


_FIGURE = """document.querySelector(`.st-key-${key} [role="img"]`)"""
_WHERE = f"""([key, target]) => {{
  const node = {_FIGURE};
  const hits = node.data.find(trace => trace.name === 'hits'), i = hits.customdata.indexOf(target);
  const {{ xaxis, yaxis, _size: size }} = node._fullLayout, box = node.getBoundingClientRect();
  return [box.left + size.l + xaxis.l2p(hits.x[i]), box.top + size.t + yaxis.l2p(hits.y[i])];
}}"""
_HOVERED = f"([key, target]) => {_FIGURE}._hoverdata?.some(point => point.customdata === target)"


def click_cell(page: Page, key: str, target: str) -> None:
    """Click a cell of the picture with this key; `target` is like `slot:12` or `block:3`."""
    page.locator(f".st-key-{key}").evaluate("node => node.scrollIntoView({ block: 'center' })")
    page.wait_for_function(f"key => {_FIGURE}?.data?.length", arg=key)
    at = page.evaluate(_WHERE, [key, target])
    page.mouse.move(*at)
    page.wait_for_function(_HOVERED, arg=[key, target])  # the figure looks where the pointer is at most every 50 ms
    page.mouse.click(*at)


def wait_for_value(field: Locator, value: str) -> None:
    """Until the field holds this: what a script puts into it comes after the press."""
    field.page.wait_for_function("([field, value]) => field.value === value", arg=[field.element_handle(), value])


def pasted(page: Page) -> str:
    """What was copied, pasted by keyboard: the page's policy does not let a script read the clipboard."""
    page.evaluate(
        """() => {
            const field = document.createElement("textarea");
            field.id = "pasted";
            document.body.append(field);
            field.focus();
        }"""
    )
    page.keyboard.press("Control+V")
    field = page.locator("#pasted")
    text = field.input_value()
    field.evaluate("field => field.remove()")
    return text


def too_wide(page: Page) -> list[str]:
    """What makes the page wider than its window, if anything does."""
    wide = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
        .filter(e => e.scrollWidth > e.clientWidth).map(e => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}`)"""
    return list(page.evaluate(wide))


def too_wide_at(page: Page, wait_idle: WaitIdle, *widths: int) -> dict[int, list[str]]:
    """The same page looked at in windows of other widths, in this order; then it has its own width again."""
    before, found = page.viewport_size, {}
    assert before is not None
    for width in widths:
        page.set_viewport_size({"width": width, "height": before["height"]})
        wait_idle(page)
        found[width] = too_wide(page)
    page.set_viewport_size(before)
    wait_idle(page)
    return {width: what for width, what in found.items() if what}


def turn_to_tab(page: Page, name: str, say: Translations) -> None:
    """Open one of the closer looks and wait for what is in it."""
    page.get_by_role("tab", name=say.text(f"task.tab_{name}"), exact=True).click()
    page.locator('[role="tabpanel"]:not([hidden]) [data-testid="stMarkdown"]').first.wait_for()
