"""Scenario files: a state as JSON with a version, to be saved, sent and edited by hand. Files are not trusted.

    {"format": "paged-kv-lab scenario", "version": 1, "num_blocks": 16, "block_size": 4, "free_queue": "used",
     "requests": [{"name": "A", "own": 11}, {"name": "B", "same_as": "A", "same": 8, "own": "你好", "then": "!"}],
     "operations": ["allocate A", "append B"], "at": 2, "prepared": "task"}

`same_as`, `same`, `own`, `then`, `at` and `prepared` are optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, get_args

from lab.engine.errors import InvalidLinkError
from lab.sandbox.errors import (
    FileFieldError,
    FileNotJSONError,
    FileUnreadableError,
    FileVersionError,
    ScenarioFileTooLargeError,
)
from lab.sandbox.scenario import Queue, RequestSpec, Scenario, State
from lab.trace.operations import SEQ_ID, Operation, encode_operation, name_operation, parse_operation

FORMAT = "paged-kv-lab scenario"
VERSION = 1
MAX_FILE = 256_000  # bytes
LARGEST = 999_999  # larger numbers are refused

_LETTERS = {name_operation(kind("A")): encode_operation(kind("A"))[0] for kind in get_args(Operation)}
_KEY = re.compile(r"[a-z]{0,20}")


def write_file(state: State) -> bytes:
    """The state as a file. Pure. Raises ScenarioFileTooLargeError if read_file would refuse the file."""
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
    data = (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
    _check_size(data)
    return data


def read_file(data: bytes) -> State:
    """Inverse of write_file. Raises a ScenarioFileError, or what Scenario raises. Runs nothing."""
    _check_size(data)
    content = _load_json(data)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFieldError(where="format")
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        raise FileVersionError(
            version=version if type(version) is int and abs(version) <= LARGEST else -1, known=VERSION
        )
    fields = _Fields(
        content,
        "",
        {"format", "version", "num_blocks", "block_size", "free_queue", "requests", "operations", "at", "prepared"},
    )
    scenario = Scenario(
        fields.take("num_blocks", int),
        fields.take("block_size", int),
        _read_queue(fields),
        tuple(_parse_request(each, f"requests[{i}]") for i, each in enumerate(fields.take("requests", list))),
        tuple(_parse_operation(each, f"operations[{i}]") for i, each in enumerate(fields.take("operations", list))),
        fields.take("prepared", str, "", _KEY.fullmatch),
    )
    last = len(scenario.operations)
    return State(scenario, fields.take("at", int, last, lambda at: 0 <= at <= last))


def _check_size(data: bytes) -> None:
    if len(data) > MAX_FILE:
        raise ScenarioFileTooLargeError(kilobytes=-(-len(data) // 1000), limit=MAX_FILE // 1000)


def _load_json(data: bytes) -> object:
    """The JSON value: only whole numbers, no name twice. Raises FileNotJSONError, FileUnreadableError."""
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


class _Fields:
    """The fields of one JSON object, each read with the type that it must have. Raises FileFieldError."""

    def __init__(self, content: object, where: str, known: set[str]) -> None:
        self.where = where
        if not isinstance(content, dict):
            raise FileFieldError(where=where)
        self.content: Mapping[str, Any] = content
        for name in self.content:
            if name not in known:
                raise FileFieldError(where=self.path(name if re.fullmatch(r"[A-Za-z0-9_-]{1,30}", name) else "?"))

    def path(self, name: str) -> str:
        """The field's path in the file."""
        return f"{self.where}.{name}" if self.where else name

    def take(self, name: str, kind: Any, default: Any = None, fits: Callable[[Any], object] = lambda _: True) -> Any:
        """The field's value if it has that type and fits; `default` if the field is missing and there is a default."""
        value = self.content.get(name, default)
        # bool is a subclass of int, and True is not a number here; nor is a number too long for any sentence
        if type(value) is not kind or (kind is int and abs(value) > LARGEST) or not fits(value):
            raise FileFieldError(where=self.path(name))
        return value


def _read_queue(fields: _Fields) -> Queue:
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
    return fields


def _parse_request(content: object, where: str) -> RequestSpec:
    fields = _Fields(content, where, {"name", "same_as", "same", "own", "then"})
    own = fields.take("own", str if isinstance(fields.content.get("own"), str) else int, 0)
    same_as = fields.take("same_as", str, "", lambda name: not name or SEQ_ID.fullmatch(name))
    return RequestSpec(
        fields.take("name", str, None, SEQ_ID.fullmatch),
        own,
        same_as,
        fields.take("same", int, 0, lambda same: bool(same) == bool(same_as)),
        fields.take("then", str, ""),
    )


def _parse_operation(content: object, where: str) -> Operation:
    name, _, seq_id = content.partition(" ") if isinstance(content, str) else ("", "", "")
    try:
        return parse_operation(_LETTERS.get(name, "?") + seq_id)
    except InvalidLinkError:
        raise FileFieldError(where=where) from None
