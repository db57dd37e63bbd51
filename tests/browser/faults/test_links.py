"""What the address carries, in a real browser: reload, Back, languages, bad links, demonstrations, two sessions."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from lab.trace.operations import parse_operation
from lab.trace.presets import build_fresh_queue, build_task_config
from lab.trace.timeline import Timeline
from lessons.text.translations import get_translations
from tests.browser.steps import (
    COMMITTED,
    EVERYTHING,
    PHONE,
    OpenPage,
    WaitIdle,
    answer,
    commit,
    events,
    numbers,
    operations,
    outcomes,
    parameter,
    pasted,
    press,
    sentence,
)

PRESSED = "label => document.querySelector('.st-key-memory [role=img]')?.ariaLabel"


@pytest.mark.thorough
def test_reload_in_the_middle_and_the_back_button(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED)
    for operation_id in ("aA", "aB", "tB"):
        press(page, operation_id)
        wait_idle(page)
    here, told = sentence(page), outcomes(page).all_text_contents()
    page.reload()
    page.locator('.st-key-memory [role="img"]').wait_for()
    wait_idle(page)
    assert (sentence(page), outcomes(page).all_text_contents()) == (here, told)
    press(page, "rA")
    wait_idle(page)
    page.go_back()
    page.wait_for_function(f"{PRESSED} === label", arg=here)
    assert operations(page) == ["aA", "aB", "tB"]
    page.go_forward()
    page.wait_for_function(f"{PRESSED} !== label", arg=here)
    assert operations(page) == ["aA", "aB", "tB", "rA"]


@pytest.mark.thorough
def test_back_to_the_form_offers_no_second_prediction(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    """Having seen what the engine does, three times Back: the page leads on where one was, or starts over."""
    say, page = get_translations("en"), open_page("/task")
    answer(page, say, blocks="2")
    commit(page, say)
    page.wait_for_url("**used_2t.*")
    wait_idle(page)
    for operation_id in ("aA", "aB"):
        press(page, operation_id)
        wait_idle(page)
    assert outcomes(page).first.text_content() == say.text("task.card.other", value=3)
    for _ in range(3):
        page.go_back()
        wait_idle(page)
    assert parameter(page, "run") == ""
    for _ in ("by Back", "by a fresh address", "in another tab"):
        page.get_by_text(say.text("task.committed_before")).wait_for()
        assert page.get_by_role("button", name=say.text("task.commit")).count() == 0
        assert page.get_by_label(say.text("task.question.blocks")).count() == 0
        assert page.locator("button[data-operation]").count() == 0
        page = open_page("/task", context=page.context)
    page.get_by_role("button", name=say.text("task.resume"), exact=True).click()
    page.wait_for_url("**used_2t.1t.1t.0t.1t.7t_*")
    wait_idle(page)
    assert operations(page) == ["aA", "aB"]
    assert outcomes(page).first.text_content() == say.text("task.card.other", value=3)
    press(page, "tB")
    wait_idle(page)
    page.get_by_role("button", name=say.text("task.start_over"), exact=True).click()
    page.get_by_role("button", name=say.text("task.start_over_yes")).click()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()
    page.get_by_text(say.text("task.attempts", count=1)).wait_for()
    page.reload()
    page.get_by_role("button", name=say.text("task.commit")).wait_for()


@pytest.mark.thorough
def test_switching_the_language_loses_nothing(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    page = open_page(COMMITTED + "aA.aB&at=2", locale="en-US")
    ids = numbers(" ".join(events(page).all_inner_texts()))
    page.get_by_text("中文", exact=True).click()
    page.wait_for_url("**lang=zh*")
    page.get_by_role("heading", name=get_translations("zh").text("task.run_title"), exact=True).wait_for()
    wait_idle(page)
    assert page.evaluate("document.documentElement.lang") == "zh"
    assert numbers(" ".join(events(page).all_inner_texts())) == ids
    assert operations(page) == ["aA", "aB"]
    page.get_by_role("link", name=get_translations("zh").text("site.nav_start")).click()
    page.get_by_role("button", name=get_translations("zh").text("start.resume")).click()
    page.wait_for_function("() => location.pathname === '/task'")
    wait_idle(page)
    assert operations(page) == ["aA", "aB"]


@pytest.mark.thorough
def test_a_bad_link_gives_a_sentence_and_the_default_task(open_page: OpenPage) -> None:
    """Each opened afresh, one after the other."""
    say, page = get_translations("en"), open_page("/task?run=x")
    task = page.url.split("?")[0]
    for link in ("run=x", "run=4.used_P9_aA", "run=4.used__aA&at=99", "run=" + "a" * 3000):
        page.goto(f"{task}?{link}")
        page.get_by_text(say.text("errors.invalid_link")).wait_for()
        page.get_by_role("button", name=say.text("task.commit")).wait_for()


@pytest.mark.thorough
def test_a_copied_demonstration_shows_the_moment_without_the_prediction(
    open_page: OpenPage, wait_idle: WaitIdle
) -> None:
    """For a learner elsewhere: the same moment in the sender's language; nothing is given away, nothing can be run."""
    say, page = get_translations("zh"), open_page(COMMITTED + "aA.aB.tB&at=3.2", locale="zh-CN", viewport=PHONE)
    page.get_by_role("button", name=say.text("task.copy_demo")).click()
    page.get_by_role("status").get_by_text(say.text("site.link_copied")).wait_for()
    link = urlsplit(pasted(page))
    assert "_P" not in link.query
    there = open_page(f"{link.path}?{link.query}", locale="en-US", viewport=PHONE)
    assert there.context is not page.context
    there.get_by_text(say.text("task.demo")).wait_for()
    assert (operations(there), parameter(there, "at")) == (["aA", "aB", "tB"], "3.2")
    assert sentence(there) == sentence(page)
    assert events(there).all_inner_texts() == events(page).all_inner_texts()
    assert there.locator(".kv-verdicts").count() == there.locator("button[data-operation]").count() == 0
    there.get_by_role("button", name=say.text("task.try_yourself")).click()
    there.get_by_role("button", name=say.text("task.commit")).wait_for()
    wait_idle(there)
    assert parameter(page, "run").endswith("_aA.aB.tB"), "the sender's page has not moved"


@pytest.mark.thorough
def test_a_prediction_in_a_link_is_not_called_the_reader_s(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say, page = get_translations("en"), open_page(COMMITTED + "aA")
    page.locator(".kv-verdicts summary").first.click()
    page.locator(".kv-card .a").get_by_text(say.text("task.card.in_link_sure", answer=3), exact=True).wait_for()
    page.goto(page.url.split("?")[0])
    page.get_by_role("button", name=say.text("task.commit")).wait_for()
    answer(page, say)
    page.get_by_text(say.text("task.sure"), exact=True).first.click()
    commit(page, say)
    page.wait_for_url("**used_3s.1t.1t.0t.1t.7t_*")
    wait_idle(page)
    told = page.locator(".kv-card .a").all_text_contents()
    assert (told[0], told[5]) == (say.text("task.card.you_sure", answer=3), say.text("task.card.you", answer=7))


@pytest.mark.thorough
def test_start_over_asks_and_keeps_the_attempt(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    say = get_translations("en")
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
    commit(page, say)
    page.wait_for_url("**4.fresh_*t_*")
    wait_idle(page)
    press(page, "aA")
    wait_idle(page)
    ids = ", ".join(map(str, build_fresh_queue()[:3]))
    assert page.get_by_text(say.text("task.witness", here=ids, there="7, 2, 14")).count() == 1
    assert outcomes(page).all_text_contents()[3].startswith("✓")


@pytest.mark.thorough
def test_two_sessions_with_different_block_sizes(open_page: OpenPage, wait_idle: WaitIdle) -> None:
    four = open_page(COMMITTED)
    eight = open_page("/task?run=8.used_P2-5-0-0-1-7-000000_")
    for page in (four, eight, four, eight):
        press(page, "aA" if not operations(page) else "aB")
        wait_idle(page)
    for page, size in ((four, 4), (eight, 8)):
        run = Timeline.replay(build_task_config(size), map(parse_operation, ["aA", "aB"]))
        assert events(page).count() == len(run.steps[-1].events)
        for view in run.steps[-1].after.sequences:
            assert re.search(rf"(?<!\d){', '.join(map(str, view.block_table))}(?!\d)", sentence(page))
