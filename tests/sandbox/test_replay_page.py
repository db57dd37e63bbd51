"""A run saved as a page: one file that needs nothing else, with what the engine did and no word of a learner."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from lab.activities.attempt import Cursor
from lab.sandbox.library import LIBRARY
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.config import ENGINE_NAMES
from lab.trace.operations import parse_operation
from lab.trace.timeline import Timeline
from lessons.sandbox.replay_page import VERSION, Opening, build_page
from lessons.text.scenario_words import ScenarioWords
from lessons.text.translations import Language
from tests.pages.test_pages import keys, task
from tests.player import read_film, whole_figure
from tests.sample import every_language

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
ROOT = Path(__file__).parent.parent.parent


def data_of(page: str) -> dict[str, Any]:
    """The data in the page, its film read."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    data: dict[str, Any] = json.loads(text)
    return {**data, "film": read_film(data["film"])}


@every_language
def test_the_chapter_s_task_fits_into_two_megabytes(language: Language) -> None:
    """With plotly.js, every moment of the run, the language, the version and the day in the reader's zone."""
    scenario = LIBRARY["task"].scenario
    page = build_page(scenario, language, NOW, "Asia/Shanghai")
    assert len(page.encode()) <= 2_000_000
    assert f'<html lang="{"zh-CN" if language == "zh" else "en"}">' in page
    words, data = ScenarioWords(language, scenario), data_of(page)
    made = words.text("scenarios.page_made", day="2026-03-02", zone="Asia/Shanghai", version=VERSION, commit="bb823b3")
    assert escape(made) in page
    timeline = Timeline.replay(scenario.config, scenario.operations)
    assert len(data["film"]["places"]) == 1 + sum(len(step.events) for step in timeline.steps)
    assert list(data["film"]["frames"]) == data["film"]["places"]
    assert (data["alone"], len(data["rows"])) == (True, len(scenario.operations))
    assert whole_figure(data["film"]["frames"]["5"])["data"]


@every_language
def test_it_opens_as_the_page_was(language: Language) -> None:
    """At the step in view, even inside it, with as many blocks in a row; it says what it leaves out."""
    scenario = LIBRARY["ends"].scenario
    words = ScenarioWords(language, scenario)
    page = build_page(scenario, language, NOW, None, Opening(Cursor(2, 1), 4, "vllm"))
    data = data_of(page)
    assert (data["at"], data["columns"]) == ("2.1", 4)
    assert "2.1" in data["film"]["places"]
    said = words.text("scenarios.page_left_out", own=ENGINE_NAMES["nano_vllm"], other=ENGINE_NAMES["vllm"])
    assert escape(said) in page
    usual = build_page(scenario, language, NOW, None)
    assert escape(said) not in usual
    assert (data_of(usual)["at"], data_of(usual)["columns"]) == ("0", 8)


def test_its_version_is_the_lab_s() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"] == VERSION


def test_it_loads_nothing_and_hostile_texts_stay_texts() -> None:
    """The policy in it allows its own scripts and styles alone; a request's words cannot end a script."""
    hostile = "</script><script>alert(1)</script> <!--"
    scenario = Scenario(8, 4, "fresh", (RequestSpec("A", hostile),), (parse_operation("aA"),))
    page = build_page(scenario, "en", NOW, None)
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", page.split("plotly.js")[0])
    assert page.count("</script>") == 3
    assert "alert" in json.dumps(whole_figure(data_of(page)["film"]["frames"]["1"]))


def test_it_is_offered_where_a_run_can_be_shared() -> None:
    """In the sandbox and for every prepared scenario."""
    assert "save_page" in keys(task(page="sandbox"))
    assert {f"page_{name}" for name in LIBRARY} <= keys(task(page="library"))
