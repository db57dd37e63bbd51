"""Scenario files: writing and reading are inverse; a hostile or broken file gives one clear refusal."""

from __future__ import annotations

import json
import random
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lab.sandbox.errors
from lab.engine.errors import InvalidFreeQueueError, InvalidSizeError, LabError, LimitError, UnknownRequestError
from lab.sandbox.errors import (
    AuthorTextTooLongError,
    CalledAlikeError,
    FileFieldError,
    FileNotJSONError,
    FileUnreadableError,
    FileVersionError,
    QuestionKindError,
    QuestionStepError,
    SameAsError,
    ScenarioFileError,
    ScenarioFileTooLargeError,
    TextTooLongError,
)
from lab.sandbox.files import FORMAT, MAX_FILE, read_file, write_file
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.sandbox.script import AuthorPrompt, BilingualText, Script
from lab.trace.operations import AppendToken, CanAppend, MayAppend, parse_operation
from lessons.text.sentences import format_error
from lessons.text.translations import LANGUAGES, get_translations
from tests.sandbox.sandbox_cases import spoilt, states

STATE = State(
    Scenario(
        16,
        4,
        (*range(15, -1, -1),),
        (RequestSpec("A", 11), RequestSpec("B", "你好", "A", 8, "！", "Alice")),
        (parse_operation("aA"), parse_operation("aB"), AppendToken("B"), CanAppend("B"), MayAppend("B")),
        "task",
        Script(
            BilingualText("Two users", "两个用户"),
            BilingualText(zh="两个请求开头相同。"),
            (
                AuthorPrompt(1, "table", BilingualText("Which?"), BilingualText("These."), BilingualText("Slowly.")),
                AuthorPrompt(4, remark=BilingualText("Ask twice.")),
            ),
        ),
    ),
    2,
)


@given(states())
def test_every_state_comes_back(state: State) -> None:
    """Any state."""
    assert read_file(write_file(state)) == state


def test_the_file_is_one_to_be_edited_by_hand() -> None:
    """Names in full, and text as typed."""
    content = json.loads(write_file(STATE))
    assert content["operations"] == ["allocate A", "allocate B", "append_token B", "can_append B", "may_append B"]
    assert content["requests"][1] == {
        **{"name": "B", "same_as": "A", "same": 8, "own": "你好", "then": "！", "called": "Alice"}
    }
    assert (content["format"], content["version"], content["at"], content["prepared"]) == (FORMAT, 2, 2, "task")
    assert content["sentence"] == {"zh": "两个请求开头相同。"}
    assert [step["step"] for step in content["steps"]] == [1, 4]
    assert content["steps"][0] | {"step": 1} == {
        **{"step": 1, "asks": "table", "question": {"en": "Which?"}, "point": {"en": "These."}},
        "notes": {"en": "Slowly."},
    }
    assert "你好" in write_file(STATE).decode()


def test_a_file_of_the_first_version_is_read_and_has_no_words_of_an_author() -> None:
    """Field by field as it always was."""
    content = json.loads(write_file(STATE)) | {"version": 1}
    with pytest.raises(FileFieldError):
        read_file(json.dumps(content).encode())
    for name in ("title", "sentence", "steps"):
        del content[name]
    opened = read_file(json.dumps(content).encode())
    assert opened == replace(STATE, scenario=replace(STATE.scenario, script=Script()))


def test_a_file_from_an_editor_is_read() -> None:
    """A byte order mark, other spaces, and no optional fields: the position is then the end."""
    content = json.loads(write_file(STATE))
    del content["at"], content["prepared"]
    state = read_file(b"\xef\xbb\xbf" + json.dumps(content).encode())
    assert state.scenario.requests == STATE.scenario.requests
    assert (state.at, state.scenario.key) == (5, "")


NOT_JSON = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe{}",
    "UTF-16": "{}".encode("utf-16"),
    "half": write_file(STATE)[:100],
    "deep": b"[" * 100_000,
    "deep objects": b'{"a":' * 40_000,
    "deep and closed": b"[" * 50_000 + b"]" * 50_000,
    "NaN": b'{"format": NaN}',
    "infinite": b'{"format": Infinity}',
    "a fraction": b'{"format": 1.5}',
    "an exponent": b'{"format": 1e400}',
    "a number of thousands of digits": b'{"format": ' + b"9" * 5000 + b"}",
    "a name twice": b'{"format": "x", "format": "x"}',
    "two values": b"{} {}",
    "markup": b"<html></html>",
}


@pytest.mark.parametrize("data", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_not_json_is_refused(data: bytes) -> None:
    """The refusal names the line where JSON ends; files without such a line have another refusal."""
    with pytest.raises((FileNotJSONError, FileUnreadableError)):
        read_file(data)


def test_the_line_that_is_not_json_is_named() -> None:
    """Lines are counted from 1."""
    with pytest.raises(FileNotJSONError) as refused:
        read_file(write_file(STATE).replace(b'"block_size": 4,', b'"block_size" 4,'))
    assert refused.value.numbers == {"line": 5}


REFUSALS = [
    error(**dict.fromkeys(re.findall(r"\{(\w+)\}", error.message), "<x>"))
    for error in vars(lab.sandbox.errors).values()
    if isinstance(error, type) and issubclass(error, LabError) and error.__module__ == lab.sandbox.errors.__name__
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.code)
def test_every_refusal_of_a_sandbox_has_a_sentence(refusal: LabError) -> None:
    """In both languages, with its own numbers, and distinct."""
    for language in LANGUAGES:
        assert re.fullmatch(r"[^{}]+[.。]", format_error(refusal, get_translations(language)))
    assert len({refusal.code for refusal in REFUSALS}) == len(REFUSALS) == 20


def test_a_file_that_is_too_large_is_not_even_looked_at() -> None:
    """Only its length counts; and write_file writes no file that read_file would refuse."""
    with pytest.raises(ScenarioFileTooLargeError) as refused:
        read_file(b"[" * (MAX_FILE + 1))
    assert refused.value.numbers == {"kilobytes": 257, "limit": 256}
    names = [f"{letter}{digit}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for digit in "01"]
    huge = tuple(RequestSpec(name, ("\u0434\u0301" * 12 + " ") * 128) for name in names)
    with pytest.raises(ScenarioFileTooLargeError):
        write_file(State(Scenario(1, 1, "fresh", huge), 0))


@pytest.mark.parametrize(
    ("version", "told"), [(3, 3), (0, 0), (-3, -3), (10**9, -1), ("1", -1), (True, -1), (None, -1), ([], -1)]
)
def test_another_version_is_refused(version: object, told: int) -> None:
    """Before anything else in it is read."""
    with pytest.raises(FileVersionError) as refused:
        read_file(json.dumps({"format": FORMAT, "version": version, "new": "field"}).encode())
    assert refused.value.numbers == {"version": told, "known": 2}


def changed(path: str, value: object) -> bytes:
    """The file with one field changed; `...` removes it."""
    content: Any = json.loads(write_file(STATE))
    *way, last = path.split(".")
    at = content
    for key in way:
        at = at[int(key) if key.isdigit() else key]
    if value is ...:
        del at[last]
    else:
        at[int(last) if last.isdigit() else last] = value
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        *((name, ..., name) for name in ("format", "num_blocks", "block_size", "free_queue", "requests", "operations")),
        ("format", "another", "format"),
        ("num_blocks", "16", "num_blocks"),
        ("num_blocks", True, "num_blocks"),
        ("num_blocks", None, "num_blocks"),
        ("num_blocks", 10**100, "num_blocks"),
        ("free_queue", "new", "free_queue"),
        ("free_queue", {"a": 1}, "free_queue"),
        ("free_queue", ["0"], "free_queue"),
        ("free_queue", [[]], "free_queue"),
        ("requests", {}, "requests"),
        ("requests.0", "A", "requests[0]"),
        ("requests.0", [], "requests[0]"),
        ("requests.0.name", "a", "requests[0].name"),
        ("requests.0.name", ..., "requests[0].name"),
        ("requests.0.name", ["A"], "requests[0].name"),
        ("requests.0.own", [], "requests[0].own"),
        ("requests.0.own", True, "requests[0].own"),
        ("requests.0.own", None, "requests[0].own"),
        ("requests.1.then", 3, "requests[1].then"),
        ("requests.1.same", ..., "requests[1].same"),
        ("requests.1.same_as", ..., "requests[1].same"),
        ("requests.1.same_as", "<b>", "requests[1].same_as"),
        ("requests.1.color", "red", "requests[1].color"),
        ("requests.1.<b>", "red", "requests[1].?"),
        ("operations", "aA", "operations"),
        ("operations.1", "allocate", "operations[1]"),
        ("operations.1", "Allocate A", "operations[1]"),
        ("operations.1", "allocate  A", "operations[1]"),
        ("operations.1", "allocate a", "operations[1]"),
        ("operations.1", 7, "operations[1]"),
        ("operations.1", ["allocate A"], "operations[1]"),
        ("at", 6, "at"),
        ("at", -1, "at"),
        ("at", "2", "at"),
        ("prepared", "Task", "prepared"),
        ("prepared", 1, "prepared"),
        ("note", "hello", "note"),
        ("requests.1.called", 7, "requests[1].called"),
        ("title", "Two users", "title"),
        ("title", ["Two users"], "title"),
        ("title.en", 7, "title.en"),
        ("title.fr", "Deux", "title.fr"),
        ("sentence.zh", None, "sentence.zh"),
        ("steps", {}, "steps"),
        ("steps.0", "A", "steps[0]"),
        ("steps.0.step", ..., "steps[0].step"),
        ("steps.0.step", "1", "steps[0].step"),
        ("steps.0.step", True, "steps[0].step"),
        ("steps.0.asks", "colour", "steps[0].asks"),
        ("steps.0.asks", 1, "steps[0].asks"),
        ("steps.0.question", "Which?", "steps[0].question"),
        ("steps.0.question.en", [], "steps[0].question.en"),
        ("steps.0.point", None, "steps[0].point"),
        ("steps.0.notes.zh", {}, "steps[0].notes.zh"),
        ("steps.0.answer", "7", "steps[0].answer"),
        ("steps.1.step", 1, "steps"),
    ],
)
def test_a_wrong_field_is_named(path: str, value: object, where: str) -> None:
    """By its place in the file, never by its content."""
    with pytest.raises(FileFieldError) as refused:
        read_file(changed(path, value))
    assert refused.value.numbers == {"where": where}


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        ("num_blocks", 0, InvalidSizeError),
        ("num_blocks", 65, LimitError),
        ("block_size", -1, InvalidSizeError),
        ("free_queue", [0, 0], InvalidFreeQueueError),
        ("requests.0.own", 129, LimitError),
        ("requests.0.own", "x" * 5000, TextTooLongError),
        ("requests.1.same_as", "C", SameAsError),
        ("operations.0", "release C", UnknownRequestError),
        ("operations", ["append A"] * 201, LimitError),
        ("title.en", "x" * 81, AuthorTextTooLongError),
        ("sentence.zh", "字" * 301, AuthorTextTooLongError),
        ("steps.0.question.zh", "x" * 601, AuthorTextTooLongError),
        ("steps.0.point.zh", "x" * 601, AuthorTextTooLongError),
        ("steps.1.notes.zh", "x" * 601, AuthorTextTooLongError),
        ("steps.0.asks", "joined", QuestionKindError),
        ("steps.1.step", 0, QuestionStepError),
        ("steps.1.step", 6, QuestionStepError),
        ("requests.1.called", "x" * 21, AuthorTextTooLongError),
        ("requests.1.called", "a", CalledAlikeError),
    ],
)
def test_what_no_scenario_may_be_is_refused_with_its_numbers(path: str, value: object, error: type[LabError]) -> None:
    """By the same rules as in a link and on the page."""
    with pytest.raises(error) as refused:
        read_file(changed(path, value))
    assert not isinstance(refused.value, ScenarioFileError)
    assert refused.value.numbers


@pytest.mark.parametrize("found", [[], "x", 1, None, True, {}])
def test_json_of_another_kind_is_refused(found: object) -> None:
    """Everything except an object with the right format."""
    with pytest.raises(FileFieldError):
        read_file(json.dumps(found).encode())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from([*json.loads(write_file(STATE)), *["requests.0", "requests.1.own", "operations.0", "steps.0"]]),
    JSON,
)
def test_any_json_in_any_field_is_a_state_or_refused(path: str, value: object) -> None:
    """Never another exception."""
    with suppress(LabError):
        read_file(changed(path, value))


def test_three_thousand_spoilt_files() -> None:
    """A state or a LabError; a state can be written again."""
    rng = random.Random(20260426)
    text = write_file(STATE).decode()
    read = 0
    for _ in range(3_000):
        try:
            state = read_file(spoilt(text, rng).encode("utf-8", "surrogatepass"))
        except LabError:
            continue
        read += 1
        assert read_file(write_file(state)) == state
    assert read > 10  # otherwise the test would cover one branch only
