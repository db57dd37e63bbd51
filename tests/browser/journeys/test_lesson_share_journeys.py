"""Share in a browser: predicted, released, explained and on to the next case; the hash chain on a phone."""

from __future__ import annotations

import re

import pytest

from lab.activities.cases import CASES
from lab.activities.cases.share import UNTIL
from lessons.text.translations import get_translations
from tests.browser.steps import PHONE, Axe, OpenPage, WaitIdle, parameter, too_wide


def name_of(page: object, key: str) -> str:
    """What a picture tells those who cannot see it."""
    return str(page.locator(f'.st-key-{key} [role="img"]').first.get_attribute("aria-label"))  # type: ignore[attr-defined]


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
    page = open_page(f"/share?share={done}", context=page.context, **options)
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
