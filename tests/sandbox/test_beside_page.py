"""vLLM beside nano-vLLM on the sandbox's page: chosen, marked in the list, covered before a class, and refused."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.trace.config import ENGINE_NAMES
from lessons.sandbox import time_machine
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.pages.test_pages import address, go, keys, sound, task, texts
from tests.sandbox.sandbox_page import opened, plain, scenario

pytestmark = pytest.mark.usefixtures("plain")
__all__ = ["plain"]

VLLM = ENGINE_NAMES["vllm"]
every_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The rows of the list of operations, as the page last sent them."""
    rows: list[dict[str, Any]] = []

    def mount(*, data: dict[str, Any], **_: object) -> None:
        rows[:] = data["rows"]

    monkeypatch.setattr(time_machine, "_mount", mount)
    return rows


def said(at: AppTest) -> str:
    """Everything that the page says."""
    return unescape(texts(at))


def choose(at: AppTest, name: str) -> AppTest:
    """Choose the other engine."""
    return sound(at.segmented_control(key="sandbox_beside").set_value(name).run())


@every_language
def test_chosen_it_is_in_the_address_and_both_are_drawn(language: Language, listed: list[dict[str, Any]]) -> None:
    """From nano-vLLM alone to vLLM, to vLLM without caching, and back; the list marks the parting step."""
    say = get_translations(language)
    at = opened(scenario("aA aB rA", num_blocks=8), language)
    assert VLLM not in said(at)
    at = choose(at, "vllm")
    assert address(at, "beside") == "vllm"
    assert VLLM in said(at)
    assert say.text(
        "beside.rule.to_the_head", theirs="3", ours="、".join("210") if language == "zh" else "2, 1, 0"
    ) in said(at)
    assert [say.text("beside.part_mark") in row["what"] for row in listed] == [False, False, True]
    at = choose(at, "vllm_uncached")
    assert ENGINE_NAMES["vllm_uncached"] in said(at)
    at = choose(at, "none")
    assert address(at, "beside") == "none"
    assert VLLM not in said(at)
    assert not any(say.text("beside.part_mark") in row["what"] for row in listed)


def test_a_button_leads_to_where_they_part(listed: list[dict[str, Any]]) -> None:
    """It is there wherever the step is not in view."""
    at = opened(scenario("aA aB rA rB", num_blocks=8), beside="vllm")
    assert listed
    at = sound(at.button(key="beside_to_part").click().run())
    assert address(at, "at_sandbox") == "3"
    assert "beside_to_part" not in keys(at)
    alike = opened(scenario("aA aB", num_blocks=8), beside="vllm")
    assert get_translations("en").text("beside.alike") in said(alike)
    assert "beside_to_part" not in keys(alike)


def test_a_prepared_scenario_brings_its_engine_and_tells_nothing_ahead(listed: list[dict[str, Any]]) -> None:
    """Before the question is answered neither the list nor a button tells where the engines part."""
    say, made = get_translations("en"), encode_scenario(LIBRARY["ends"].scenario)
    at = go(task("en", "sandbox"), lang="en", sandbox=made, at_sandbox="3")
    assert VLLM in said(at)
    assert say.text("beside.changed") not in said(at)
    assert "beside_to_part" not in keys(at)
    assert not any(say.text("beside.part_mark") in row["what"] for row in listed)
    at = go(task("en", "sandbox"), lang="en", sandbox=made, at_sandbox="4")
    assert say.text("beside.changed") in said(at)
    assert [say.text("beside.part_mark") in row["what"] for row in listed] == [i == 3 for i in range(6)]


def test_before_a_class_the_reason_is_covered_with_the_point() -> None:
    """The step is marked, but the rule is the point."""
    say, made = get_translations("en"), encode_scenario(LIBRARY["ends"].scenario)
    at = go(task("en", "sandbox"), lang="en", sandbox=made, at_sandbox="4", present="on")
    rule = say.text("beside.rule.to_the_head", theirs="3", ours="2, 1, 0")
    assert rule not in said(at)
    assert say.text("beside.part", step=4, operation="Release A") in said(at)
    assert rule in said(go(task("en", "sandbox"), lang="en", sandbox=made, at_sandbox="4"))


@every_language
def test_a_pool_of_one_block_is_nothing_for_vllm(language: Language) -> None:
    """Its only block would be the null block: one sentence says so, and nano-vLLM's picture stays."""
    at = opened(scenario("", num_blocks=1), language, beside="vllm")
    (warning,) = at.warning
    assert ("2" in warning.value, "1" in warning.value, "vLLM" in warning.value) == (True, True, True)
    assert VLLM not in said(at)


def test_a_strange_name_in_the_address_is_reported() -> None:
    """And the page goes on without it."""
    at = opened(scenario("aA"), beside="sglang")
    assert "beside=sglang" in said(at)
    assert VLLM not in said(at)
