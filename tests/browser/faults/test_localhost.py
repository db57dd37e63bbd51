"""A lab that listens to its network: what it prints, a link or a code from `localhost`, copying without HTTPS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from lessons.server import network
from lessons.text.translations import Language, get_translations
from tests.browser.served import Server, running
from tests.browser.steps import OpenPage, WaitIdle, pasted

pytestmark = pytest.mark.thorough

PATH = "/sandbox?sandbox=2.sandbox.6.4.fresh_A.n8__aA"


@pytest.fixture(scope="module")
def open_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The lab as `streamlit run app.py` starts it, listening everywhere."""
    with running("app.py", tmp_path_factory.mktemp("open") / "log.txt", address="0.0.0.0") as server:
        yield replace(server, url=server.url.replace("127.0.0.1", "localhost"))


@pytest.fixture
def printed(open_lab: Server) -> str:
    """The first address for others that it has printed."""
    if not network.find_addresses():
        pytest.skip("this machine is in no network")
    found = re.findall(r"Other devices.*: (http\S+)", open_lab.log.read_text(encoding="utf-8"))
    assert [urlsplit(url).hostname for url in found] == network.find_addresses()
    assert {urlsplit(url).port for url in found} == {urlsplit(open_lab.url).port}
    return str(found[0])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_link_copied_from_localhost_says_so_and_offers_another(
    open_page: OpenPage, open_lab: Server, printed: str, language: Language
) -> None:
    say = get_translations(language)
    page = open_page(PATH, app=open_lab, locale={"en": "en-US", "zh": "zh-CN"}[language])
    page.get_by_role("button", name=say.text("site.copy_link")).click()
    page.get_by_role("status").get_by_text(say.text("site.link_only_here")).wait_for()
    assert pasted(page).startswith(f"{open_lab.url}/sandbox?")
    host = urlsplit(printed).netloc
    page.get_by_role("button", name=say.text("site.link_for_others", host=host)).click()
    page.get_by_role("status").get_by_text(say.text("site.link_copied")).wait_for()
    assert pasted(page) == f"{printed}{PATH}&lang={language}"
    page.keyboard.press("Escape")
    page.get_by_text(say.text("site.link_only_here")).wait_for(state="detached")


def test_a_code_made_from_localhost_leads_a_phone_to_this_machine(
    open_page: OpenPage, open_lab: Server, printed: str
) -> None:
    say, page = get_translations("en"), open_page(PATH, app=open_lab)
    page.get_by_role("button", name=say.text("scenarios.qr"), exact=True).click()
    page.get_by_text(say.text("scenarios.qr_others")).first.wait_for()
    assert page.locator(".kv-qr figcaption").inner_text() == f"{printed}{PATH}&lang=en"


def test_the_printed_address_works_and_its_links_are_copied_without_https(
    open_page: OpenPage, wait_idle: WaitIdle, open_lab: Server, printed: str
) -> None:
    """Chromium gives such a page no clipboard, but a copy command."""
    say, page = get_translations("en"), open_page(PATH, app=replace(open_lab, url=printed))
    assert not page.evaluate("isSecureContext")
    page.get_by_role("button", name=say.text("site.copy_link")).click()
    page.get_by_role("status").get_by_text(say.text("site.link_copied")).wait_for()
    assert pasted(page) == f"{printed}{PATH}&lang=en"
    assert page.get_by_text(say.text("site.link_only_here")).count() == 0
    page.get_by_role("button", name=say.text("scenarios.qr"), exact=True).click()
    page.locator(".kv-qr figcaption").wait_for()
    wait_idle(page)
    assert page.get_by_text(say.text("scenarios.qr_others")).count() == 0
    assert page.get_by_text(say.text("scenarios.qr_only_here")).count() == 0
