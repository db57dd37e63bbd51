"""Journeys through Start and the task in a real browser: predict, run, look back, reload, share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from lab.operations import parse_operation
from lab.scenarios import fresh_queue, task_config
from lab.timeline import Timeline
from lessons.say import say_operation
from lessons.text import WordsOf, words

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

OpenPage = Callable[..., "Page"]
WaitIdle = Callable[..., None]
Axe = Callable[["Page"], Any]

WIDE, PHONE = (1440, 900), (390, 844)
COMMITTED = "/task?run=4.used_P3-1-1-0-1-7-100000_"
EVERYTHING = COMMITTED + "aA.aB.tB.rA.rB"


def answer(page: Page, say: WordsOf, **typed: str) -> None:
    """Fill in the prediction; by default as the engine will do it."""
    values = {"blocks": "3", "empty_slots": "1", "table_after_check": "1", "last_to_join": "7", **typed}
    for name, value in values.items():
        page.get_by_label(say.text(f"task.question.{name}")).fill(value)
    for choice in ("1_new_page", "0_consecutive"):
        page.get_by_text(say.text(f"task.yes_no.{choice}"), exact=True).click()


def press(page: Page, operation_id: str) -> None:
    """Press an operation and wait until the address holds it."""
    count = len(operations(page))
    page.locator(f'button[data-operation="{operation_id}"]').click()
    page.wait_for_function(
        "n => (new URL(location).searchParams.get('run') ?? '').split('_')[2]?.split('.').filter(Boolean).length === n",
        arg=count + 1,
    )


def operations(page: Page) -> list[str]:
    """The operations in the address."""
    text = parse_qs(urlsplit(page.url).query).get("run", ["__"])[0].split("_")[2]
    return text.split(".") if text else []


def outcomes(page: Page) -> Locator:
    return page.locator(".kv-card .o")


def sentence(page: Page) -> str:
    """What the memory picture tells those who cannot see it."""
    return str(page.locator('[role="img"]').first.get_attribute("aria-label"))


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_journey(
    open_page: OpenPage, wait_idle: WaitIdle, axe: Axe, locale: str, viewport: tuple[int, int]
) -> None:
    say = words("zh" if locale == "zh-CN" else "en")
    page = open_page("/", locale=locale, viewport=viewport)
    assert page.evaluate("document.documentElement.lang") == say.language
    axe(page)
    page.get_by_role("button", name=say.text("start.go")).click()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()
    wait_idle(page)
    axe(page)

    page.get_by_role("button", name=say.text("task.commit")).click()
    page.get_by_text(say.text("task.format_note", count=6)).wait_for()
    assert "run=" not in page.url
    answer(page, say, blocks="2")
    page.get_by_role("button", name=say.text("task.commit")).click()
    page.wait_for_url("**run=4.used_P2-1-1-0-1-7-000000_*")
    wait_idle(page)
    assert page.get_by_role("button", name=say.text("task.commit")).count() == 0
    assert all(say.text("task.waiting") in text for text in outcomes(page).all_inner_texts())
    axe(page)

    reference = Timeline(task_config())
    for operation_id in ("aA", "aB", "tB", "rA", "rB"):
        press(page, operation_id)
        wait_idle(page)
        step = reference.apply(parse_operation(operation_id))
        for view in step.after.sequences:
            for block_id in view.block_table:
                assert re.search(rf"(?<!\d){block_id}(?!\d)", sentence(page)), (operation_id, block_id)
        items = page.locator(".kv-events li").all_inner_texts()
        assert len(items) == len(step.events)
        axe(page)
    told = outcomes(page).all_inner_texts()
    assert say.text("task.differs") in told[0]
    assert "3" in told[0]
    assert all(say.text("task.matches") in text for text in told[1:])
    assert page.get_by_text("11 3 0 12 6 1 15 8 4 10 13 14 2 7 5 9").count() == 1
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= viewport[0]


def test_stand_between_the_check_and_the_action(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = words("en")
    page = open_page(COMMITTED + "aA.aB.tB")
    walk = page.get_by_role("button", name=say.text("task.event_back"))
    current = page.locator(".kv-events li[aria-current]")
    while "can_append" not in current.inner_text():
        before = page.url
        walk.click()
        page.wait_for_function("url => location.href !== url", arg=before)
        wait_idle(page)
    assert "at=3.2" in page.url
    told = outcomes(page).all_inner_texts()
    assert "1" in told[4], "right after can_append the table still has one id"
    assert say.text("task.waiting") in told[2], "whether a page is taken is not known yet"
    assert page.locator('button[data-operation="rA"]').is_disabled(), "while looking back one only looks"
    page.get_by_role("button", name=say.text("task.return_to_end")).click()
    page.wait_for_function("() => !location.search.includes('at=')")
    wait_idle(page)
    press(page, "rA")


@pytest.mark.parametrize(("name", "typed"), [("blocks", "abc"), ("blocks", "-1"), ("empty_slots", "3.5")])
def test_a_format_error_costs_nothing(open_page: OpenPage, wait_idle: WaitIdle, name: str, typed: str) -> None:
    say = words("en")
    page = open_page("/task")
    answer(page, say, **{name: typed})
    page.get_by_role("button", name=say.text("task.commit")).click()
    page.get_by_text(say.text("task.format_note", count=1)).wait_for()
    assert "run=" not in page.url
    assert page.get_by_label(say.text(f"task.question.{name}")).input_value() == typed
    page.get_by_label(say.text(f"task.question.{name}")).fill("２")  # full-width digits are digits
    page.get_by_role("button", name=say.text("task.commit")).click()
    page.wait_for_url("**run=4.used_P*")


def test_reload_in_the_middle_and_the_back_button(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED)
    for operation_id in ("aA", "aB", "tB"):
        press(page, operation_id)
        wait_idle(page)
    here, told = sentence(page), outcomes(page).all_inner_texts()
    page.reload()
    page.locator('[role="img"]').first.wait_for()
    wait_idle(page)
    assert (sentence(page), outcomes(page).all_inner_texts()) == (here, told)
    press(page, "rA")
    wait_idle(page)
    page.go_back()
    page.wait_for_function("label => document.querySelector('[role=img]')?.ariaLabel === label", arg=here)
    assert operations(page) == ["aA", "aB", "tB"]
    page.go_forward()
    page.wait_for_function("label => document.querySelector('[role=img]')?.ariaLabel !== label", arg=here)
    assert operations(page) == ["aA", "aB", "tB", "rA"]


def test_switching_the_language_loses_nothing(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED + "aA.aB", locale="en-US")
    ids = re.findall(r"\d+", page.locator(".kv-events").inner_text())
    page.get_by_text("中文", exact=True).click()
    page.wait_for_url("**lang=zh*")
    page.get_by_text(words("zh").text("task.run_title")).wait_for()
    wait_idle(page)
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert re.findall(r"\d+", page.locator(".kv-events").inner_text()) == ids
    assert operations(page) == ["aA", "aB"]
    page.get_by_role("link", name=words("zh").text("site.nav_start")).click()
    page.get_by_role("button", name=words("zh").text("start.resume")).click()
    page.wait_for_function("() => location.pathname === '/task'")
    wait_idle(page)
    assert operations(page) == ["aA", "aB"]


def test_a_double_click_counts_once(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED + "aA.aB")
    page.locator('button[data-operation="tB"]').dblclick()
    page.wait_for_function("() => location.search.includes('tB')")
    wait_idle(page)
    assert operations(page) == ["aA", "aB", "tB"]


def test_the_picture_keeps_its_node(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED)
    page.locator('[role="img"] .main-svg').first.wait_for()
    page.evaluate("() => { document.querySelector('[role=img]').marked = true }")
    for operation_id in ("aA", "aB", "tB", "rA", "rB"):
        press(page, operation_id)
        wait_idle(page)
        assert page.evaluate("() => document.querySelector('[role=img]').marked === true")


def test_what_cannot_be_done_is_refused_with_the_reason(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = words("en")
    page = open_page(COMMITTED)
    press(page, "tB")
    wait_idle(page)
    assert say.text("errors.not_allocated", seq_id="B") in page.locator(".kv-events").inner_text()
    page.goto(page.url.split("?")[0] + "?run=4.used_P3-1-1-0-1-7-100000_" + ".".join(["aA", "aB", *["tB"] * 48]))
    page.locator(".kv-events").wait_for()
    wait_idle(page)
    press(page, "tB")
    wait_idle(page)
    told = page.locator(".kv-events").inner_text()
    assert say.text("errors.no_free_blocks", needed=1, free=0) in told
    assert "len 53 → 52" in told


@pytest.mark.parametrize("link", ["run=x", "run=4.used_P9_aA", "run=4.used__aA&at=99", "run=" + "a" * 3000])
def test_a_bad_link_gives_a_sentence_and_the_default_task(open_page: OpenPage, link: str) -> None:
    say = words("en")
    page = open_page(f"/task?{link}")
    page.get_by_text(say.text("errors.invalid_link")).wait_for()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()


def test_a_link_without_a_prediction_is_a_demonstration(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = words("en")
    page = open_page("/task?run=4.used__aA.aB.tB&at=2")
    page.get_by_text(say.text("task.demo")).wait_for()
    assert page.locator("button[data-operation]").count() == 0
    page.get_by_role("button", name=say.text("task.forward")).click()
    page.wait_for_function("() => !location.search.includes('at=')")
    page.get_by_role("button", name=say.text("task.try_yourself")).click()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()


def test_start_over_asks_and_keeps_the_attempt(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = words("en")
    page = open_page(EVERYTHING)
    page.get_by_role("button", name=say.text("task.try_fresh")).click()
    page.get_by_text(say.text("task.start_over_ask")).wait_for()
    page.get_by_role("button", name=say.text("task.start_over_yes")).click()
    page.get_by_text(say.text("task.queue_fresh")).wait_for()
    page.get_by_text(say.text("task.attempts", count=1)).wait_for()
    page.reload()
    page.get_by_text(say.text("task.attempts", count=1)).wait_for()
    wait_idle(page)
    answer(page, say)
    page.get_by_role("button", name=say.text("task.commit")).click()
    page.wait_for_url("**4.fresh_P*")
    wait_idle(page)
    press(page, "aA")
    wait_idle(page)
    ids = list(fresh_queue())[:3]
    assert page.get_by_text(f"{ids}, consecutive by luck").count() == 1
    assert say.text("task.matches") in outcomes(page).all_inner_texts()[3]


def test_two_sessions_with_different_block_sizes(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    four = open_page(COMMITTED)
    eight = open_page("/task?run=8.used_P2-5-0-0-1-7-000000_")
    for page in (four, eight, four, eight):
        press(page, "aA" if not operations(page) else "aB")
        wait_idle(page)
    for page, size in ((four, 4), (eight, 8)):
        run = Timeline.replay(task_config(size), map(parse_operation, ["aA", "aB"]))
        told = page.locator(".kv-events li").all_inner_texts()
        assert len(told) == len(run.steps[-1].events)
        a = run.steps[-1].after.sequence("A")
        assert a is not None
        assert ", ".join(map(str, a.block_table)) in sentence(page)


def test_every_operation_has_its_name(open_page: OpenPage) -> None:
    page = open_page(COMMITTED)
    for operation_id in ("aA", "aB", "tB", "rA", "rB"):
        label = say_operation(parse_operation(operation_id), words("en"))
        assert label in page.locator(f'button[data-operation="{operation_id}"]').inner_text()
