"""Presenter mode: what a link hands on while the point is covered, where playing pauses, another language."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lessons.text.translations import Language, get_translations
from tests.pages.test_pages import address, go, keys, press, task, texts
from tests.pages.test_presenter import component, covered, parameters, prepared
from tests.sample import every_language


def link(at: AppTest) -> str | None:
    """Where the presenter's link leads, if elsewhere than to the place in view."""
    found: str | None = component(at, "present_link")["params"].get("at_sandbox")
    return found


def code(at: AppTest) -> str:
    """Where the QR code leads."""
    at.context["url"] = "https://lab.example.org/sandbox"
    (address,) = re.findall("<figcaption>(.*?)</figcaption>", texts(press(at, "show_qr")))
    return parse_qs(urlsplit(unescape(address)).query).get("at_sandbox", [""])[0]


@pytest.mark.parametrize(("step", "before"), [("2", "1"), ("", "3")])
def test_while_the_point_is_covered_a_link_leads_to_its_question(step: str, before: str) -> None:
    """In the bar and as a code alike; once it is revealed, to the place in view."""
    at = prepared("whole", step, present="on")
    assert (covered(at), link(at), code(at)) == (True, before, before)
    at = press(at, "present_reveal")
    assert (covered(at), link(at), code(at)) == (False, None, step)
    at = go(at, **{**parameters(at), "at_sandbox": "1"})  # a question, nothing covered
    assert (link(at), code(at)) == (None, "1")


def test_alone_a_link_leads_to_the_place_in_view() -> None:
    assert code(prepared("whole", "2")) == "2"


@pytest.mark.parametrize("mode", ["", "on"])
def test_playing_pauses_at_every_question_and_every_point(mode: str) -> None:
    """While there is one to come; a class sees the film with pauses, however often."""
    for place in ("0", "2", "3"):
        assert component(prepared("whole", place, present=mode), "memory")["stops"] == ["1", "2", "3", "4"]
    assert component(prepared("whole", "", present=mode), "memory")["stops"] == (["1", "2", "3", "4"] if mode else [])


def test_what_is_not_prepared_plays_through() -> None:
    """A scenario of one's own, and one that has left the library's and has no questions."""
    at = task(page="sandbox", sandbox="1.16.4.used_A.n11_aA.rA", present="on")
    assert component(at, "memory")["stops"] == []
    scenario = LIBRARY["task"].scenario
    link = encode_scenario(scenario.up_to(1).then(scenario.operations[3]))
    at = task(page="sandbox", sandbox=link, at_sandbox="0", present="on")
    assert component(at, "memory")["stops"] == []


@every_language
def test_the_other_language_without_leaving(language: Language) -> None:
    """What is revealed stays so."""
    other: Language = "en" if language == "zh" else "zh"
    at = press(prepared("task", 1, language, present="on"), "present_reveal")
    assert get_translations(language).text(f"site.lang_{other}") in at.button(key="present_language").label
    at = press(at, "present_language")
    assert (address(at, "lang"), address(at, "present"), address(at, "at_sandbox")) == (other, "on", "1")
    assert not covered(at)
    assert "present_language" in keys(task(page="start", present="on"))
