"""Damaged links in a real browser: what is in view, what the address then is, where Back leads."""

from __future__ import annotations

import pytest

from lessons.text.translations import get_translations
from tests.browser.steps import OpenPage, WaitIdle, pasted, sentence

SANDBOX = "1.8.4.fresh_A.n4_aA"
MEANT = f"/sandbox?lang=zh&sandbox={SANDBOX}"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "path",
    [
        f"/sandbox?lang=zh&amp;sandbox={SANDBOX}",
        f"/sandbox?lang=zh-CN&sandbox={SANDBOX})",
        f"/sandbox?lang%3Dzh%26sandbox%3D{SANDBOX}",
        f"/sandbox?lang=zh&#38;sandbox={SANDBOX}",
    ],
)
def test_a_damaged_link_opens_what_was_sent_and_is_passed_on_whole(
    open_page: OpenPage, wait_idle: WaitIdle, path: str
) -> None:
    say, page = get_translations("zh"), open_page(path)
    page.wait_for_url(f"**{MEANT}")
    wait_idle(page)
    assert sentence(page) == sentence(open_page(MEANT))
    page.get_by_role("button", name=say.text("site.copy_link"), exact=True).click()
    page.get_by_role("status").get_by_text(say.text("site.link_copied")).wait_for()
    assert pasted(page).endswith(MEANT)
    page.get_by_role("link", name=say.text("scenarios.title")).first.click()
    page.wait_for_url("**/library?**")
    wait_idle(page)
    page.go_back()
    page.wait_for_url(f"**{MEANT}")
    wait_idle(page)
    page.wait_for_function("() => !document.documentElement.classList.contains('pkl-ignores-presses')")
