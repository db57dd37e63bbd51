"""The learner's record in a real browser: kept, heard of in another tab, corrupt, too large, without storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.emptied import emptied
from tests.browser.looks.components import FIRST_MARKER, said, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.mark.thorough
def test_record_survives_a_reload_and_is_forgotten_on_request(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components()
    wait_for(page, "record={}")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.get_by_role("button", name="write", exact=True).click()
    wait_for(page, "record={'written': 1}")
    wait_idle(page)
    runs = int(said(page, "runs"))
    assert runs == 3  # the first, the one that brought the record, the click: a write needs no more
    page.reload()
    wait_for(page, "record={'written': 1}")
    wait_idle(page)
    assert int(said(page, "runs")) == 2
    page.get_by_role("button", name="forget").click()
    wait_for(page, "record={}")
    wait_idle(page)
    assert page.evaluate("localStorage.getItem('paged-kv-lab')") is None


@pytest.mark.thorough
def test_an_emptied_page_knows_nothing_of_the_test_before(open_components: Callable[..., Page]) -> None:
    """The tests share pages: what one has stored must not reach the next."""
    page = open_components()
    page.get_by_role("button", name="write", exact=True).click()
    wait_for(page, "record={'written': 1}")
    page.evaluate("() => { sessionStorage.setItem('left', '1'); document.cookie = 'left=1' }")
    page.context.grant_permissions(["notifications"])
    address = page.url
    assert emptied(page, address.rstrip("/"))
    page.goto(address)
    page.wait_for_selector(FIRST_MARKER)
    wait_for(page, "record={}")
    left = (
        "() => [localStorage.getItem('paged-kv-lab'), sessionStorage.getItem('left'), document.cookie.includes('left')]"
    )
    assert page.evaluate(left) == [None, None, False]
    allowed = "() => navigator.permissions.query({ name: 'notifications' }).then((permission) => permission.state)"
    assert page.evaluate(allowed) != "granted"


@pytest.mark.thorough
def test_page_change_asks_for_no_second_report(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    page = open_components()
    wait_idle(page)
    runs = int(said(page, "runs"))
    page.get_by_role("link", name="Second").click()
    page.get_by_role("heading", name="Another page").wait_for()
    wait_idle(page)
    assert int(said(page, "runs")) == runs + 1


@pytest.mark.thorough
def test_second_tab_hears_of_a_write(open_components: Callable[..., Page]) -> None:
    first = open_components()
    second = open_components(context=first.context)
    first.get_by_role("button", name="write", exact=True).click()
    wait_for(second, "record={'written': 1}")


@pytest.mark.thorough
def test_corrupt_record_counts_as_none(open_components: Callable[..., Page], wait_idle: Callable[[Page], None]) -> None:
    """Whatever lies there when the page is opened; a good one is read, so that this is not for want of reading."""
    page = open_components()
    for stored in ("{not json", "[1, 2]", '"text"', "null", '{"good": 1}'):
        page.evaluate("stored => localStorage.setItem('paged-kv-lab', stored)", stored)
        page.reload()
        page.wait_for_selector(FIRST_MARKER)
        wait_idle(page)
        assert said(page, "record") == ("{'good': 1}" if "good" in stored else "{}"), stored


@pytest.mark.thorough
def test_too_large_record_is_refused(open_components: Callable[..., Page]) -> None:
    page = open_components()
    page.get_by_role("button", name="write", exact=True).click()
    wait_for(page, "record={'written': 1}")
    page.get_by_role("button", name="write too much").click()
    wait_for(page, "record={'written': 1}")
    assert page.evaluate("localStorage.getItem('paged-kv-lab')") == '{"written":1}'


@pytest.mark.thorough
def test_without_storage_the_record_lasts_as_long_as_the_page(
    open_components: Callable[..., Page], wait_idle: Callable[[Page], None]
) -> None:
    broken = """for (const name of ["getItem", "setItem"]) {
        const real = Storage.prototype[name];
        Storage.prototype[name] = function (key, ...rest) {
            if (key === "paged-kv-lab") throw new DOMException("disabled", "SecurityError");
            return real.call(this, key, ...rest);
        };
    }"""
    page = open_components(init_script=broken)
    page.get_by_role("button", name="write", exact=True).click()
    wait_for(page, "record={'written': 1}")
    wait_idle(page)
    page.get_by_role("link", name="Second").click()
    page.get_by_role("heading", name="Another page").wait_for()
    assert said(page, "record") == "{'written': 1}"
