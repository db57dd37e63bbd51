"""Share in a browser: predicted, released, explained and on to the next case; the hash chain on a phone."""

from __future__ import annotations

import re

import pytest

from lab.activities.cases import CASES
from lab.activities.cases.share import UNTIL
from lessons.text.translations import get_translations
from tests.browser.steps import COUNT, PHONE, WIDE, Axe, OpenPage, WaitIdle, commit, outcomes, parameter, too_wide
from tests.links import new


def name_of(page: object, key: str) -> str:
    """What a picture tells those who cannot see it."""
    return str(page.locator(f'.st-key-{key} [role="img"]').first.get_attribute("aria-label"))  # type: ignore[attr-defined]


def test_a_shared_block_stays_until_the_second_release(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Wide, in English: the prediction, the two releases, the way back by reload, our words, the next case."""
    say = get_translations("en")
    page = open_page(f"/share?share=release__{'.'.join(['aA', 'aB'])}", viewport=WIDE)
    for question, answer in (("ref_left", "0"), ("last_back", "5")):
        page.get_by_label(say.text(f"share.question.{question}")).fill(answer)
    page.get_by_text(say.text("share.yes_no.0_joins"), exact=True).click()
    commit(page, say)
    for count, operation in enumerate(("rA", "rB"), 3):
        page.locator(f'button[data-operation="{operation}"]').click()
        page.wait_for_function(
            f"n => new URL(location).searchParams.get('share').split('_')[2].split('.'){COUNT} === n", arg=count
        )
        wait_idle(page)
        if operation == "rA":
            assert [text[0] for text in outcomes(page).all_text_contents()] == ["✓", "≠", "…"]
            assert page.get_by_text(say.text("task.ledger"), exact=True).is_visible()
    assert say.text("figures.refcount.one", block=5, ref=0) in name_of(page, "refcount")
    assert parameter(page, "share") == new("release_0-0-5-000_aA.aB.rA.rB")
    before = page.locator(".kv-verdicts").text_content()
    page.reload()
    wait_idle(page)
    assert page.locator(".kv-verdicts").text_content() == before
    page.get_by_label(say.text("share.case.release.ask")).fill("the last one to leave")
    page.get_by_role("button", name=say.text("site.compare")).click()
    page.get_by_text("6, 3, 1, 4, 7, 0, 2, 5").last.wait_for()
    assert (too_wide(page), axe(page)) == ([], [])
    page.get_by_role("button", name=say.text("site.next_case", name=say.text("share.case.revive.name"))).click()
    page.get_by_role("heading", name=say.text("share.case.revive.title")).wait_for()
    assert parameter(page, "share") == new(f"revive__{'.'.join(['aA', 'aB', 'rA', 'rB'])}")


@pytest.mark.thorough
def test_a_taken_block_forgets_its_hash_on_a_phone(open_page: OpenPage, wait_idle: WaitIdle, axe: Axe) -> None:
    """Narrow, in Chinese, dark: the prompts before, the hashes after; then the chain, and what one can say now."""
    say = get_translations("zh")
    done = "taken_2-8-00_aA.aB.rA.rB.aD.aC"
    options = {"viewport": PHONE, "locale": "zh-CN", "color_scheme": "dark"}
    page = open_page("/share?share=taken__aA.aB.rA.rB", **options)
    hashed = re.compile(r"[0-9a-f]{6}…")
    assert not hashed.search(name_of(page, "prompts"))
    assert all(page.get_by_text(say.text(f"share.option.until_{name}")).first.is_visible() for name in UNTIL)
    assert (too_wide(page), axe(page)) == ([], [])
    page = open_page(f"/share?share={done}", context=page.context)
    assert hashed.search(name_of(page, "prompts"))
    assert page.get_by_text(say.text("share.idea.until_stale_hash", ids=0)).is_visible()
    page.locator(".st-key-prompts_table summary").click()
    page.get_by_role("columnheader", name=say.text("figures_chain.column_before")).wait_for()
    wait_idle(page)
    assert (too_wide(page), axe(page)) == ([], [])
    page.get_by_role("radio", name=say.text("share.case.chain.name")).or_(
        page.get_by_role("button", name=say.text("share.case.chain.name"))
    ).first.click()
    page.get_by_role("heading", name=say.text("share.case.chain.title")).wait_for()
    assert not page.get_by_text(say.text("site.able_title")).is_visible()  # not before it is run
    assert parameter(page, "share").startswith(f"2.{CASES['chain'].id}")
    assert too_wide(page) == []
