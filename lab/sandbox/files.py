"""Scenario files: a state as JSON with a version, to be saved, sent and edited by hand. Files are not trusted.

    {"format": "paged-kv-lab scenario", "version": 2, "num_blocks": 16, "block_size": 4, "free_queue": "used",
     "requests": [{"name": "A", "own": 11}, {"name": "B", "same_as": "A", "same": 8, "own": "你好", "then": "!",
      "called": "Alice"}],
     "operations": ["allocate A", "append B"], "at": 2, "prepared": "task",
     "together": [{"kind": "decode", "first": 3, "count": 6, "times": 2}],
     "title": {"en": "Two users", "zh": "两个用户"}, "sentence": {"en": "Both begin alike."},
     "steps": [{"step": 1, "asks": "table", "question": {}, "point": {"en": "..."}, "notes": {"en": "..."}}]}

`same_as`, `same`, `own`, `then`, `called`, `at`, `prepared` and everything that the author says are optional; a text in
one language, too. `together` says which operations are one step (Group in log.py), `asks` what the engine is asked
(About in script.py). Version 1 had neither these nor any words of an author.

A lecture is several of them with their names, in order:

    {"format": "paged-kv-lab lecture", "version": 1, "scenarios": [{"name": "Two users", "scenario": {...}}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NoReturn, get_args

from lab.engine.errors import InvalidLinkError
from lab.sandbox.errors import (
    FileFieldError,
    FileNotJSONError,
    FileUnreadableError,
    FileVersionError,
    ScenarioFileTooLargeError,
)
from lab.sandbox.file_fields import LARGEST, FileFields
from lab.sandbox.queue import Queue
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.sandbox.script_file import read_groups, read_script, write_groups, write_script
from lab.trace.operations import SEQ_ID, Operation, encode_operation, name_operation, parse_operation

FORMAT = "paged-kv-lab scenario"
VERSION = 2
_READ = (1, 2)
MAX_FILE = 256_000  # bytes
LECTURE_FORMAT = "paged-kv-lab lecture"
LECTURE_VERSION = 1
MAX_SCENARIOS = 20
MAX_NAME = 60  # characters

_LETTERS = {name_operation(kind("A")): encode_operation(kind("A"))[0] for kind in get_args(Operation)}
_KEY = re.compile(r"[a-z]{0,20}")
_TOP_1 = {"format", "version", "num_blocks", "block_size", "free_queue", "requests", "operations", "at", "prepared"}
_TOP = _TOP_1 | {"together", "title", "sentence", "steps"}


def write_file(state: State) -> bytes:
    """The state as a file. Pure. Raises ScenarioFileTooLargeError if read_file would refuse the file."""
    return dump_json(build_content(state))


def build_content(state: State) -> dict[str, object]:
    """The state as what a file holds. Pure."""
    scenario = state.scenario
    content: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "num_blocks": scenario.num_blocks,
        "block_size": scenario.block_size,
        "free_queue": scenario.queue,
        "requests": [_write_request(spec) for spec in scenario.requests],
        "operations": [f"{name_operation(each)} {each.seq_id}" for each in scenario.operations],
        "at": state.at,
    }
    if scenario.key:
        content["prepared"] = scenario.key
    return content | write_groups(scenario.groups) | write_script(scenario.script)


@lru_cache(maxsize=32)  # a page that lists the files of a browser reads them at each drawing
def read_file(data: bytes) -> State:
    """Inverse of write_file. Raises a ScenarioFileError, or what Scenario raises. Runs nothing."""
    return read_content(load_json(data), "")


def read_content(content: object, where: str) -> State:
    """The state that a file holds; `where`: the content's path in the file. Raises as read_file does."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFieldError(where=f"{where}.format" if where else "format")
    version = content.get("version")
    if type(version) is not int or version not in _READ:
        raise FileVersionError(
            version=version if type(version) is int and abs(version) <= LARGEST else -1, known=VERSION
        )
    fields = FileFields(content, where, _TOP if version > 1 else _TOP_1)
    scenario = Scenario(
        fields.take("num_blocks", int),
        fields.take("block_size", int),
        _read_queue(fields),
        tuple(_parse_request(each, at) for at, each in fields.take_each("requests")),
        tuple(_parse_operation(each, at) for at, each in fields.take_each("operations")),
        fields.take("prepared", str, "", _KEY.fullmatch),
        read_script(fields),
        read_groups(fields),
    )
    last = len(scenario.operations)
    return State(scenario, fields.take("at", int, last, lambda at: 0 <= at <= last))


def _check_size(data: bytes) -> None:
    if len(data) > MAX_FILE:
        raise ScenarioFileTooLargeError(kilobytes=-(-len(data) // 1000), limit=MAX_FILE // 1000)


def dump_json(content: dict[str, object]) -> bytes:
    """The content as a file to be edited by hand. Raises ScenarioFileTooLargeError if load_json would refuse it."""
    data = (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
    _check_size(data)
    return data


def load_json(data: bytes) -> object:
    """The JSON value: only whole numbers, no name twice. Raises a ScenarioFileError."""
    _check_size(data)
    try:
        return json.loads(
            data.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_refuse, object_pairs_hook=_refuse_twins
        )
    except json.JSONDecodeError as error:
        raise FileNotJSONError(line=error.lineno) from None
    except (ValueError, RecursionError):  # not UTF-8, refused below, thousands of digits, nested too deeply
        raise FileUnreadableError from None


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _read_queue(fields: FileFields) -> Queue:
    value = fields.content.get("free_queue")
    if isinstance(value, str):
        value = fields.take("free_queue", str, None, {"fresh", "used"}.__contains__)
        return "fresh" if value == "fresh" else "used"
    return tuple(fields.take("free_queue", list, None, lambda ids: all(type(each) is int for each in ids)))


def _write_request(spec: RequestSpec) -> dict[str, object]:
    fields: dict[str, object] = {"name": spec.seq_id}
    if spec.same:
        fields |= {"same_as": spec.same_as, "same": spec.same}
    if spec.own:
        fields["own"] = spec.own
    if spec.then:
        fields["then"] = spec.then
    if spec.called:
        fields["called"] = spec.called
    return fields


def _parse_request(content: object, where: str) -> RequestSpec:
    fields = FileFields(content, where, {"name", "same_as", "same", "own", "then", "called"})
    own = fields.take("own", str if isinstance(fields.content.get("own"), str) else int, 0)
    same_as = fields.take("same_as", str, "", lambda name: not name or SEQ_ID.fullmatch(name))
    return RequestSpec(
        fields.take("name", str, None, SEQ_ID.fullmatch),
        own,
        same_as,
        fields.take("same", int, 0, lambda same: bool(same) == bool(same_as)),
        fields.take("then", str, ""),
        fields.take("called", str, ""),
    )


def _parse_operation(content: object, where: str) -> Operation:
    name, _, seq_id = content.partition(" ") if isinstance(content, str) else ("", "", "")
    try:
        return parse_operation(_LETTERS.get(name, "?") + seq_id)
    except InvalidLinkError:
        raise FileFieldError(where=where) from None


# --- lectures ------------------------------------------------------------------------------------------------------


def write_lecture(scenarios: Iterable[tuple[str, State]]) -> bytes:
    """Names and states as one file. Raises ScenarioFileTooLargeError if it would not be read again."""
    each = [{"name": name, "scenario": build_content(state)} for name, state in scenarios]
    return dump_json({"format": LECTURE_FORMAT, "version": LECTURE_VERSION, "scenarios": each})


def read_lecture(data: bytes) -> list[tuple[str, State]] | None:
    """Inverse of write_lecture; None if it is a file of another format. Raises what read_file raises. Runs nothing."""
    content = load_json(data)
    if not isinstance(content, dict) or content.get("format") != LECTURE_FORMAT:
        return None
    fields = FileFields(content, "", {"format", "version", "scenarios"})
    if (version := fields.take("version", int)) != LECTURE_VERSION:
        raise FileVersionError(version=version if abs(version) <= LARGEST else -1, known=LECTURE_VERSION)
    found = [_read_entry(each, at) for at, each in fields.take_each("scenarios")]
    if not 0 < len(found) <= MAX_SCENARIOS:
        raise FileFieldError(where=f"scenarios[{MAX_SCENARIOS}]" if found else "scenarios")
    return found


def _read_entry(content: object, where: str) -> tuple[str, State]:
    fields = FileFields(content, where, {"name", "scenario"})
    name = fields.take("name", str, None, lambda text: 0 < len(text) <= MAX_NAME)
    return name, read_content(fields.content.get("scenario"), fields.path("scenario"))
