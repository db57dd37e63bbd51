"""A run as one HTML file: the player with all its frames, without a server. It works offline and in any frame."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape

import streamlit as st

from lab.activities.attempt import Cursor, encode_cursor
from lab.activities.run import Run
from lab.sandbox.scenario import Scenario
from lab.trace.config import ENGINE_NAMES, Engine
from lab.trace.timeline import Timeline
from lessons.activity.run_film import FilmStyle, build_rows, build_run_film
from lessons.server import plotly_js
from lessons.server.asset_files import read_assets
from lessons.state import attempts, viewport
from lessons.state.slots import SANDBOX
from lessons.state.view import View
from lessons.text.dates import get_date
from lessons.text.scenario_texts import format_title
from lessons.text.scenario_words import ScenarioWords
from lessons.text.translations import Language
from lessons.widgets import player
from lessons.widgets.film import describe_film
from lessons.widgets.player import STEPPING, PlayerLook

VERSION = "0.1.0"  # as in pyproject.toml
NANO_VLLM = "bb823b3"  # the commit that the engine behaves like, see README.md
_START = Cursor(0)
_LOOK = PlayerLook(
    ("stage", "controls", "headline", "sentence", "list", "keys", "story"),
    controls=(*STEPPING, "speed", "list", "keys"),
    list=True,
)
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


@dataclass(frozen=True)
class Opening:
    """The place in view, the blocks in a row, and the engine that was beside it, whose run is left out."""

    at: Cursor = _START
    columns: int = 8
    left_out: Engine | None = None


_USUAL = Opening()


def offer_page(scenario: Scenario, language: Language, key: str, left_out: Engine | None, at: Cursor = _START) -> None:
    """Draw the button that saves the run as a page. The page is built when it is pressed. `at`, `left_out`: Opening."""
    opening = Opening(at, viewport.get_measured_columns(), left_out)
    build = partial(build_page, scenario, language, datetime.now(UTC), attempts.get_time_zone(), opening)
    st.download_button(
        ScenarioWords(language, scenario).text("scenarios.save_page"),
        build,
        file_name=f"paged-kv-{scenario.key or 'scenario'}.html",
        mime="text/html",
        key=key,
        on_click="ignore",
        disabled=not scenario.operations,
    )


def build_page(
    scenario: Scenario, language: Language, now: datetime, zone: str | None, opening: Opening = _USUAL
) -> str:
    """Run the scenario and return the page. It holds what the engine did and no word of a learner. Raises LabError."""
    words, made = ScenarioWords(language, scenario), get_date(now, zone)
    run = Run.alone(scenario.config, scenario.operations)
    timeline = Timeline.replay(run.config, run.operations)
    view = View(run, opening.at, None, SANDBOX)
    film = build_run_film(view, timeline, words, FilmStyle(opening.columns, compact=True), whole=True)
    data = {
        "film": describe_film(film),
        "at": encode_cursor(opening.at),
        "log": "",
        "heard": None,
        "alone": True,
        "rows": build_rows(timeline.steps, words, len(timeline.steps)),
        "stops": [],
        "jumps": [],
        "words": player.collect_texts(words),
        "columns": opening.columns,
        **player.describe_look(_LOOK, words),
    }
    title = format_title(scenario, words) or words.text("scenarios.page_title")
    about = words.text("scenarios.page_made", day=made.day, zone=made.zone, version=VERSION, commit=NANO_VLLM)
    if opening.left_out:
        names = {"own": ENGINE_NAMES[run.config.engine], "other": ENGINE_NAMES[opening.left_out]}
        about = f"{words.text('scenarios.page_left_out', **names)} {about}"
    script = read_assets(*player.FILES).replace("export default function", "const mountPlayer = function")
    style = read_assets("components/player/replay_page.css", "lib/button.css", "components/player/player.css")
    return (
        f'<!doctype html>\n<html lang="{ {"zh": "zh-CN"}.get(language, language) }"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>{escape(title)}</title>'
        f"<style>{style}</style></head>"
        f'<body><h1>{escape(title)}</h1><main id="player"></main>'
        f"<footer>{escape(words.text('scenarios.page_lead'))} {escape(about)}</footer>"
        f'<script type="application/json" id="data">{_dump(data)}</script>'
        f"<script>{plotly_js.SOURCE.read_text(encoding='utf-8')}</script>"
        f"<script>(() => {{\n{script}\n{read_assets('components/player/replay_page.js')}}})();</script></body></html>\n"
    )


def _dump(data: object) -> str:
    """JSON that can stand in a script element, whatever texts are in it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
