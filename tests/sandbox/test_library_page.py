"""The library: every prepared scenario as a link, saved scenarios, files, and their errors."""

from __future__ import annotations

import json
import re
from html import escape, unescape
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.record import Record
from lab.sandbox.files import MAX_FILE, MAX_NAME, write_file
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lessons.library.cards import GROUPS
from lessons.sandbox import saved_scenarios
from lessons.sandbox.saved_scenarios import (
    MAX_CHARACTERS,
    MAX_KEPT,
    SavedFullError,
    SavedScenario,
    SavedTooLargeError,
    clean_name,
)
from lessons.state import record
from lessons.text.scenario_texts import format_library_title
from lessons.text.translations import Language, get_translations
from tests.links import parse_scenario
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, press, sound, task, texts, titles
from tests.sample import every_language, some

TASK = LIBRARY["task"].scenario
FILE = write_file(State(TASK, 2)).decode()
LONG = Scenario(
    64, 16, "used", tuple(RequestSpec(name, f"{name} {'ab ' * 100}") for name in "ABCDEFG"), ()
)  # for no link


def library(language: Language = "en", kept: object = None, **parameters: str) -> AppTest:
    """A session on the page; its browser has saved these scenarios."""
    return task(language, "library", told={} if kept is None else {"scenarios": kept}, **parameters)


def shelf(at: AppTest) -> Any:
    """The saved scenarios in the record now."""
    return session_of(at)[STORED].get("scenarios")


def names(at: AppTest) -> list[str]:
    """The names on the page, in order."""
    return [unescape(name) for name in re.findall('class="kv-name">(.*?)</h3>', texts(at))]


def upload(at: AppTest, data: bytes) -> AppTest:
    """Upload a file."""
    at.file_uploader[0].set_value(("state.json", data, "application/json"))
    return sound(at.run())


def pressed(at: AppTest, what: str, card: int = 0) -> AppTest:
    """Press the button of this kind on the first card, or on another one."""
    return press(at, [str(button.key) for button in at.button if str(button.key).startswith(what)][card])


# --- the prepared ones ---------------------------------------------------------------------------------------------


@every_language
def test_every_prepared_scenario_is_a_link_to_its_beginning(language: Language) -> None:
    """Its log is still to come; other parameters of the address are passed on. Its description is read from it."""
    at, say = library(language, run="4.used__aA"), get_translations(language)
    assert titles(at) == [say.text("scenarios.title")]
    assert sorted(key for ids in GROUPS.values() for key in ids) == sorted(LIBRARY)
    links = {link.proto.label: parse_qs(link.proto.query_string) for link in at.get("page_link")}
    for key, prepared in LIBRARY.items():
        assert links[format_library_title(key, say)] == {
            "sandbox": [encode_scenario(prepared.scenario)],
            "at_sandbox": ["0"],
            "run": ["4.used__aA"],
            "lang": [language],
        }
    shown = texts(at).replace("\u00a0", " ")
    lines = re.findall(r'class="kv-facts">(.*?)</p>', shown)
    numbers = [[int(number) for number in re.findall(r"\d+", line)] for line in lines]
    in_order = [LIBRARY[key] for ids in GROUPS.values() for key in ids]
    assert numbers == [
        [each.scenario.num_blocks, each.scenario.block_size, len(each.scenario.requests), len(each.steps)]
        for each in in_order
    ]
    assert all(escape(say.text(f"scenarios.about.{key}")) in shown for key in LIBRARY)


def test_presenting_is_a_link_beside_it() -> None:
    """With the presenter's parameter; while presenting, every link has it."""
    links = [link.proto for link in library().get("page_link")]
    beside = [
        parse_qs(link.query_string) for link in links if link.label == get_translations("en").text("scenarios.present")
    ]
    assert [(each["present"], each["at_sandbox"]) for each in beside] == [(["on"], ["0"])] * len(LIBRARY)
    links = [link.proto for link in library(present="on.dark").get("page_link")]
    assert not [link for link in links if link.label == get_translations("en").text("scenarios.present")]
    ahead = [parse_qs(link.query_string) for link in links if "at_sandbox=0" in link.query_string]
    assert [each["present"] for each in ahead] == [["on.dark"]] * len(LIBRARY)


# --- saved scenarios ------------------------------------------------------------------------------------------------


def test_a_kept_scenario_opens_at_its_place() -> None:
    """Also a scenario that is too long for a link."""
    at = library(kept=[["mine", FILE], ["long", write_file(State(LONG, 0)).decode()]])
    assert names(at) == ["mine", "long"]
    at = pressed(at, "open_", 1)
    assert titles(at) == [get_translations("en").text("sandbox.title")]
    assert address(at, "sandbox").startswith("2.sandbox.kept.")
    at = pressed(library(kept=[["mine", FILE]]), "open_")
    assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (TASK, "2")


def test_a_kept_scenario_is_presented_from_its_beginning() -> None:
    """With a button on its card, wherever its author stopped writing; the button is not shown while presenting."""
    at = pressed(library(kept=[["mine", FILE]]), "present_")
    assert titles(at) == [get_translations("en").text("sandbox.title")]
    assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (TASK, "0")
    assert address(at, "present") == "on"
    at = library(kept=[["mine", FILE]], present="on.dark")
    assert [each.label for each in at.button].count(get_translations("en").text("scenarios.present")) == 0
    assert address(pressed(at, "open_"), "present") == "on.dark"


def test_renamed_and_removed() -> None:
    """A name that is taken gets a number; an empty name changes nothing; removal asks first."""
    other = write_file(State(TASK, 0)).decode()
    at = library(kept=[["a", other], ["b", FILE]])
    for typed, expected in (("  ", "b"), ("a", "a 2"), (" c\u202e\n d ", "c d")):
        field = [each for each in at.text_input if str(each.key).startswith("kept.rename.")][1]
        field.set_value(typed)
        at = pressed(at, "do_rename_", 1)
        at = sound(at.run())
        assert shelf(at) == [["a", other], [expected, FILE]]
    at = sound(pressed(at, "do_remove_", 1).run())
    assert (shelf(at), names(at)) == ([["a", other]], ["a"])


def test_the_order_is_changed_and_a_prepared_one_added() -> None:
    """A new one comes last."""
    at = library(kept=[["a", FILE], ["b", FILE], ["c", FILE]])
    at = sound(pressed(at, "later_", 0).run())
    assert names(at) == ["b", "a", "c"]
    at = sound(pressed(at, "earlier_", 2).run())
    assert names(at) == ["b", "c", "a"]
    at = sound(press(at, "add_twins").run())
    assert names(at) == ["b", "c", "a", format_library_title("twins", get_translations("en"))]


HOSTILE = ["<script>alert(1)</script>", "**bold** :material/home: $x$ [a](javascript:alert(1))", "7", "__proto__"]


def test_a_name_is_shown_as_it_was_typed() -> None:
    """Never as Markdown or HTML."""
    at = library(kept=[[name, FILE] for name in HOSTILE])
    assert names(at) == HOSTILE
    assert "<script>" not in texts(at)
    assert not [each for each in (*at.markdown, *at.caption) if "alert" in str(each.value)]


EDITED: list[object] = [
    "x",
    {"a": FILE},
    [["a"]],
    [["a", 5], [5, FILE], None, ["a", FILE, "x"], "ab"],
    [["a", "{}"], ["b", "\ud800"], ["c", FILE.replace('"A"', '"a"')]],
    [["", FILE], [" a", FILE], ["x" * (MAX_NAME + 1), FILE], ["\ud800", FILE], ["a\u202eb", FILE]],
    [["a", "x" * (MAX_CHARACTERS + 1)]],
    [["a", FILE.replace('"at": 2', '"at": 99')], ["b", "[" * 5000]],
]


@pytest.mark.parametrize("kept", some(EDITED, 3), ids=range(len(EDITED)))
def test_an_edited_record_does_no_harm(kept: object) -> None:
    """Entries that are not scenarios are skipped, and the next change removes them."""
    at = library(kept=kept)
    assert names(at) == []
    assert get_translations("en").text("scenarios.own_empty") in texts(at)


def test_an_edited_record_does_not_hide_what_is_right() -> None:
    """No more entries are shown than can be saved."""
    at = library(kept=[[5, 5], ["a", FILE], ["a", FILE], *([f"n{i}", FILE] for i in range(MAX_KEPT))])
    assert len(names(at)) == MAX_KEPT
    assert names(library(kept=[[5, 5], ["a", FILE], ["b", "{}"]])) == ["a"]


def test_what_is_opened_must_run() -> None:
    """A file that meets a limit when it runs gives a message, and the page stays."""
    log = ["allocate A", *["append A"] * 130]
    file = json.dumps({**json.loads(FILE), "block_size": 16, "operations": log, "at": 0})
    at = pressed(library(kept=[["a", file]]), "open_")
    assert names(at) == ["a"]
    assert (titles(at), address(at, "sandbox")) == ([get_translations("en").text("scenarios.title")], "")
    assert [warning.value for warning in at.warning] != []


class Store:
    """A record that changes at once."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {"other": 1}

    def update(self, change: Any) -> None:
        self.held = json.loads(json.dumps(change(Record(self.held))))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """Replaces the browser's store."""
    found = Store()
    monkeypatch.setattr(record, "read", lambda: Record(found.held))
    monkeypatch.setattr(record, "update", found.update)
    return found


def test_kept_under_a_name_that_is_taken(store: Store) -> None:
    """An equal state is saved once; another state gets a number; the rest of the record stays."""
    at = [State(TASK, step) for step in range(4)]
    assert [saved_scenarios.save("x", state) for state in (at[0], at[0], at[1], at[2])] == ["x", "x", "x 2", "x 3"]
    longest = "y" * MAX_NAME
    assert [saved_scenarios.save(longest, state) for state in at[:2]] == [longest, "y" * (MAX_NAME - 2) + " 2"]
    assert [each.name for each in saved_scenarios.get_saved()][:3] == ["x", "x 2", "x 3"]
    assert [each.state for each in saved_scenarios.get_saved()][:3] == at[:3]
    assert store.held["other"] == 1


def test_no_more_is_kept_than_a_record_should_hold(store: Store) -> None:
    """By number and by size; nothing saved is dropped for a new scenario."""
    for i in range(MAX_KEPT):
        saved_scenarios.save(f"n{i}", State(TASK, 0))
    before = store.held
    with pytest.raises(SavedFullError):
        saved_scenarios.save("one more", State(TASK, 0))
    assert store.held == before
    store.held = {}
    text = "abcdefghijkl " * 100
    wide = State(Scenario(64, 16, "used", tuple(RequestSpec(name, text, then=text) for name in "ABCDEFGHIJKL")), 0)
    room = MAX_CHARACTERS // len(write_file(wide))
    assert 0 < room < MAX_KEPT
    assert [saved_scenarios.save(f"n{i}", wide) for i in range(room)] == [f"n{i}" for i in range(room)]
    with pytest.raises(SavedTooLargeError):
        saved_scenarios.save("one more", wide)
    assert [each.name for each in saved_scenarios.get_saved()] == [f"n{i}" for i in range(room)]


def test_two_tabs_lose_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Saving, renaming and removing in one tab keep what another tab has written meanwhile."""
    saved_scenarios.save("x", State(TASK, 0))
    waiting: list[Any] = []
    monkeypatch.setattr(record, "update", waiting.append)
    saved_scenarios.save("y", State(TASK, 1))
    saved_scenarios.remove(SavedScenario("x", write_file(State(TASK, 0)).decode()))
    store.update(lambda known: known.having(scenarios=[*known["scenarios"], ["y", FILE]]))  # by the other tab
    for change in waiting:
        store.update(change)
    assert [name for name, _ in store.held["scenarios"]] == ["y", "y 2"]


def test_a_tidy_name_stays_as_it_is() -> None:
    """Otherwise the page would take it for an edited name."""
    for name in (*HOSTILE, " a  b ", "x" * 99, "e\u0301" * 99, "\ud800", "\u202e\x00", "a" * (MAX_NAME - 1) + " b"):
        assert clean_name(clean_name(name)) == clean_name(name)
        assert len(clean_name(name)) <= MAX_NAME


def test_forget_me_takes_the_shelf_with_it() -> None:
    """As on every page."""
    at = sound(press(library(kept=[["a", FILE]]), "forget_yes").run())
    assert (shelf(at), names(at)) == (None, [])


# --- files ---------------------------------------------------------------------------------------------------------

NUMBERS = ("kilobytes", "limit", "known", "line", "where", "what", "value")
SPOILT = {
    "scenario_file_not_json": b"not json",
    "scenario_file_unreadable": b"\xff\xfe\x00",
    "scenario_file": b'{"a": 1}',
    "scenario_file_version": FILE.replace('"version": 2', '"version": 3').encode(),
    "scenario_file_field": FILE.replace('"own": 11', '"own": "<b>", "x": 1').encode(),
    "scenario_file_too_large": b" " * (MAX_FILE + 1),
    "limit": FILE.replace('"num_blocks": 16', '"num_blocks": 900').encode(),
}


@every_language
def test_a_file_that_cannot_be_opened_gives_one_sentence(language: Language) -> None:
    """It changes nothing else, and the next valid file opens."""
    at, say = library(language), get_translations(language)
    for code, data in SPOILT.items():
        at = upload(at, data)
        (warning,) = [each.value for each in at.warning]
        beginning = say.text(f"errors.{code}", **dict.fromkeys(NUMBERS, "|"))
        assert warning.startswith(beginning.partition("|")[0]), code
        assert warning.endswith(say.text("scenarios.file_problem", reason=""))
        assert "<b>" not in warning
        assert (titles(at), address(at, "sandbox")) == ([say.text("scenarios.title")], "")
    at = upload(at, FILE.encode())
    assert titles(at) == [say.text("sandbox.title")]
    assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (TASK, "2")
