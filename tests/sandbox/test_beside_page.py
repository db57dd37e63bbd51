"""vLLM beside nano-vLLM on the sandbox's page: chosen, marked in the list, covered before a class, and refused."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.trace.config import ENGINE_NAMES
from lessons.text.translations import Language, get_translations
from tests.pages.test_pages import address, keys, sound, task, texts
from tests.player import frame, report, sent
from tests.sample import every_language
from tests.sandbox.sandbox_page import opened, plain, scenario

pytestmark = pytest.mark.usefixtures("plain")
__all__ = ["plain"]

VLLM = ENGINE_NAMES["vllm"]
MADE = encode_scenario(LIBRARY["ends"].scenario)


def choose(at: AppTest, name: str) -> AppTest:
    """Choose the other engine."""
    return sound(at.segmented_control(key="sandbox_beside").set_value(name).run())


def rule(language: Language = "en") -> str:
    """Why they part when A is released."""
    say = get_translations(language)
    return say.text("beside.rule.to_the_head", theirs="3", ours=say.text("figures.comma").join("210"))


def marked(at: AppTest, language: Language = "en") -> list[int]:
    """The operations that the list marks as the parting one, counted from 1."""
    mark = get_translations(language).text("beside.part_mark")
    return [number for number, row in enumerate(sent(at)["rows"], 1) if mark in row["what"]]


@every_language
def test_chosen_it_is_in_the_address_and_both_are_drawn(language: Language) -> None:
    """From nano-vLLM alone to vLLM, to vLLM without caching, and back; the list marks the parting step."""
    say = get_translations(language)
    at = opened(scenario("aA aB rA", num_blocks=8), language)
    assert (list(frame(at)["figures"]), marked(at, language)) == (["memory"], [])
    at = choose(at, "vllm")
    assert address(at, "beside") == "vllm"
    assert sent(at)["titles"] == {"memory": "nano-vLLM", "beside": VLLM}
    labels = [figure["label"] for figure in frame(at)["figures"].values()]
    assert [label.startswith(name) for label, name in zip(labels, ("nano-vLLM: ", f"{VLLM}: "), strict=True)] == [
        True
    ] * 2
    operation = say.text("task.op_release", seq_id="A")
    assert frame(at)["headline"] == say.text("beside.part", step=3, operation=operation)
    assert frame(at)["sentence"] == rule(language)
    assert marked(at, language) == [3]
    at = choose(at, "vllm_uncached")
    assert sent(at)["titles"]["beside"] == ENGINE_NAMES["vllm_uncached"]
    at = choose(at, "none")
    assert address(at, "beside") == "none"
    assert (list(frame(at)["figures"]), sent(at)["titles"], marked(at, language)) == (["memory"], {}, [])


def test_the_player_s_cursor_moves_both() -> None:
    """Every frame has both figures; the report of the browser leads to the place."""
    at = opened(scenario("aA aB rA rB", num_blocks=8), beside="vllm")
    frames = sent(at)["film"]["frames"]
    assert {tuple(each["figures"]) for each in frames.values()} == {("memory", "beside")}
    assert [place for place in ("0", "1", "2", "3", "4") if frames[place].get("headline")] == ["3", "4"]
    at = report(at, "2")
    assert frame(at)["sentence"] == get_translations("en").text("beside.alike")


def test_a_button_leads_to_where_they_part() -> None:
    """It is there wherever the step is not in view."""
    at = opened(scenario("aA aB rA rB", num_blocks=8), beside="vllm")
    at = sound(at.button(key="beside_to_part").click().run())
    assert address(at, "at_sandbox") == "3"
    assert "beside_to_part" not in keys(at)
    alike = opened(scenario("aA aB", num_blocks=8), beside="vllm")
    assert frame(alike)["sentence"] == get_translations("en").text("beside.alike")
    assert "beside_to_part" not in keys(alike)


def test_a_prepared_scenario_brings_its_engine_and_tells_nothing_ahead() -> None:
    """Before the question is answered neither the list nor a button nor a later frame tells where the engines part."""
    say = get_translations("en")
    at = task("en", "sandbox", lang="en", sandbox=MADE, at_sandbox="3")
    assert sent(at)["titles"]["beside"] == VLLM
    assert say.text("beside.changed").split("'")[1] not in texts(at)
    assert ("beside_to_part" in keys(at), marked(at)) == (False, [])
    assert "6" not in sent(at)["film"]["frames"]
    at = task("en", "sandbox", lang="en", sandbox=MADE, at_sandbox="4")
    assert say.text("beside.changed").split("'")[1] in texts(at)
    assert marked(at) == [4]


def test_before_a_class_the_reason_is_covered_with_the_point() -> None:
    """The step is marked, but the rule is the point, and no frame in the browser has it."""
    say = get_translations("en")
    at = task("en", "sandbox", lang="en", sandbox=MADE, at_sandbox="4", present="on")
    assert frame(at)["headline"] == say.text("beside.part", step=4, operation="Release A")
    assert {each["sentence"] for each in sent(at)["film"]["frames"].values()} == {"", say.text("beside.alike")}
    at = task("en", "sandbox", lang="en", sandbox=MADE, at_sandbox="4")
    assert frame(at)["sentence"] == rule()


@every_language
def test_a_pool_of_one_block_is_nothing_for_vllm(language: Language) -> None:
    """Its only block would be the null block: one sentence says so, and nano-vLLM's picture stays."""
    at = opened(scenario("", num_blocks=1), language, beside="vllm")
    (warning,) = at.warning
    assert ("2" in warning.value, "1" in warning.value, "vLLM" in warning.value) == (True, True, True)
    assert list(frame(at)["figures"]) == ["memory"]


def test_a_strange_name_in_the_address_is_reported() -> None:
    """And the page goes on without it."""
    at = opened(scenario("aA"), beside="sglang")
    assert "beside=sglang" in texts(at)
    assert list(frame(at)["figures"]) == ["memory"]
