"""What a class must not know yet is nowhere on the page: no text, table, label or frame of the player says it.

Every library scenario, and an author's own with a question of every kind, at each of its covered places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Table

from lab.activities.attempt import Cursor
from lab.figures.beside import describe_parting
from lab.figures.memory.memory_picture import draw_memory
from lab.sandbox.facts import run_scenario
from lab.sandbox.library import LIBRARY, Prompt, find_prepared, list_prompts
from lab.sandbox.link import encode_scenario
from lab.sandbox.log import Group
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, BilingualText, Script
from lab.trace.parting import find_parting
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline, join_steps
from lessons.text.event_phrases import describe_change
from lessons.text.scenario_texts import format_point
from lessons.text.scenario_words import ScenarioWords
from lessons.text.sentences import format_event
from lessons.text.translations import Language
from tests.pages.test_pages import go, press, task
from tests.player import read_data, read_film, sent
from tests.sample import sampled
from tests.sandbox.sandbox_page import scenario as build_scenario


def build_own() -> Scenario:
    """An author's: names, a step that unfolds, a refusal, and a question of every kind with a point of its own."""
    requests = (
        RequestSpec("S", 6, called="system"),
        RequestSpec("A", 3, "S", 6, called="Alice"),
        RequestSpec("B", 9, called="Bob"),
    )
    made = build_scenario("aS aA tS tA tS tA tA aB rS rA", requests, num_blocks=5, queue=(4, 2, 0, 1, 3))
    kinds = {1: "table", 2: "owner", 6: "needed", 7: "place", 8: "refused", 9: "joined"}
    prompts = tuple(
        AuthorPrompt(step, about, point=BilingualText(en=f"Point of {step}.", zh=f"第 {step} 步的要点。"))  # type: ignore[arg-type]
        for step, about in kinds.items()
    )
    return replace(made, groups=(Group("decode", 3, 4, 2),), script=Script(BilingualText("Mine"), prompts=prompts))


SCENARIOS = {name: prepared.scenario for name, prepared in LIBRARY.items()} | {"own": build_own()}
CASES = sampled(
    [(name, ("en", "zh")[number % 2]) for number, name in enumerate(SCENARIOS)],
    [("uncached", "zh"), ("own", "en")],
)


@dataclass(frozen=True)
class Facts:
    """What a scenario says about each of its operations, in one language. `why`: by which rule the engines part."""

    words: ScenarioWords
    steps: tuple[Step, ...]
    prompts: tuple[Prompt, ...]
    why: str
    parted_at: int

    def tell(self, step: Step) -> set[str]:
        """What happened in a step: its events, what it changed, and the picture after it."""
        events = (format_event(each, self.words) for each in step.events)
        return {describe_change(step, self.words), self.describe_picture(step.after), *events}

    def describe_picture(self, state: Snapshot) -> str:
        """The sentence that stands for a picture."""
        return draw_memory(state, self.words, changed=None, columns=8).sentence

    def list_secrets(self, place: Cursor, *, is_revealed: bool = False) -> set[str]:
        """What may not be said at this place: what the operations ahead do, and the points not made yet."""
        seen = place.step - (place.event is not None)
        told = set[str]().union(*(self.tell(step) for step in self.steps[:seen]))
        if place.event is not None:
            inside = self.steps[seen]
            told |= {format_event(each, self.words) for each in inside.events[: place.event]}
            told.add(self.describe_picture(inside.snapshots[place.event - 1]))
        ahead = set[str]().union(*(self.tell(step) for step in self.steps[seen:]))
        for prompt in self.prompts:  # a step of several operations is told as one
            joined = {describe_change(join_steps(self.steps[prompt.start - 1 : prompt.step]), self.words)}
            told, ahead = (told | joined, ahead) if prompt.step <= seen else (told, ahead | joined)
        unsaid = {text for text in ahead if not any(text in each for each in told)}
        return unsaid | self.list_points(place, is_revealed=is_revealed)

    def list_points(self, place: Cursor, *, is_revealed: bool = False) -> set[str]:
        """The points that may not be made at this place."""
        seen = place.step - (place.event is not None)
        points = {
            format_point(prompt, self.words)
            for prompt in self.prompts
            if prompt.step > seen or (prompt.step == seen and not is_revealed)
        }
        at_point = place.event is None and any(prompt.step == seen == self.parted_at for prompt in self.prompts)
        if self.why and (self.parted_at > seen or (at_point and not is_revealed)):
            points.add(self.why)
        return points


def collect_facts(scenario: Scenario, language: Language) -> Facts:
    words, prepared = ScenarioWords(language, scenario), find_prepared(scenario)
    assert prepared is not None
    ours, why, parted_at = run_scenario(scenario), "", 0
    if prepared.beside:
        parting = find_parting(ours, Timeline.replay(scenario.config.run_by(prepared.beside), scenario.operations))
        why = describe_parting(ours, parting, words, len(scenario.operations))[1]
        parted_at = parting.step + 1 if parting else 0
    return Facts(words, tuple(ours.steps), tuple(list_prompts(prepared)), why, parted_at)


def parse_place(text: str) -> Cursor:
    step, _, event = text.partition(".")
    return Cursor(int(step), int(event) if event else None)


def list_texts(value: object) -> Iterator[str]:
    """Every text inside data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from list_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from list_texts(each)


def read_shown(at: AppTest) -> tuple[str, dict[str, Any]]:
    """All that the page says, is called and describes itself with; and the player's frames that are not in view.

    Without what is on its way to the second window.
    """
    found: list[str] = []
    waiting: dict[str, Any] = {}
    for each in at._tree:
        if isinstance(each, Table):
            found.append(each.value.to_csv())
        elif each.type != "bidi_component":
            found += list_texts(
                MessageToDict(proto) if hasattr(proto := getattr(each, "proto", None), "DESCRIPTOR") else {}
            )
        elif not each.proto.id.endswith("-present_remarks"):
            data = read_data(each.proto)
            if "film" in data:
                frames = read_film(data.pop("film"))["frames"]
                found += list_texts({**frames.pop(data["at"]), "chunk": None})
                waiting |= frames
            found += list_texts(data)
    return unescape("\n".join(found)), waiting


def find_leaks(texts: str, secrets: set[str]) -> list[str]:
    return sorted(text for text in secrets if text in texts)


def assert_covered(at: AppTest, facts: Facts, *, is_revealed: bool = False, has_points: bool = True) -> None:
    """Nothing on the page says what is ahead; nor do the player's frames, which end with the next key step.

    `has_points`: the page covers a point until it is revealed, which it does if it is presented.
    """
    data = sent(at)
    place = parse_place(data["at"])
    shown, waiting = read_shown(at)
    secrets = facts.list_secrets(place, is_revealed=is_revealed or not has_points)
    assert find_leaks(shown, secrets) == []
    covered = [prompt.step for prompt in facts.prompts if prompt.step > place.step - (place.event is not None)]
    if any(prompt.step == place.step for prompt in facts.prompts) and place.event is None and not is_revealed:
        covered = [place.step, *covered] if has_points else covered
    assert {at for at in waiting if covered and parse_place(at).step > covered[0]} == set()
    for name, frame in waiting.items():
        points = facts.list_points(parse_place(name), is_revealed=not has_points)
        assert find_leaks("\n".join(list_texts({**frame, "chunk": None})), points) == []


@pytest.mark.parametrize(("name", "language"), CASES)
def test_nothing_tells_what_is_covered(name: str, language: Language) -> None:
    """Presented: before each key step, inside it, after it, and with its point revealed. By turns each tab is open."""
    scenario, tabs = SCENARIOS[name], 0
    facts = collect_facts(scenario, language)
    link = {"sandbox": encode_scenario(scenario), "lang": language, "present": "on"}
    at, revealed = task(page="sandbox", at_sandbox="0", **link), ""
    for prompt in facts.prompts:
        for place in (str(prompt.start - 1), f"{prompt.step}.1", str(prompt.step)):
            at.session_state["memory_table"] = True
            if at.tabs:
                tabs += 1
                at.session_state["look_closer"] = at.tabs[tabs % len(at.tabs)].label
            at = go(at, at_sandbox=place, **link)
            assert_covered(at, facts, is_revealed=place == revealed)
        at, revealed = press(at, "present_reveal"), place
        assert_covered(at, facts, is_revealed=True)
