"""A lecture as a file: scenarios with their names, in order. Files are not trusted.

    {"format": "paged-kv-lab lecture", "version": 1, "scenarios": [{"name": "Two users", "scenario": {...}}]}

Each scenario is what a scenario file holds, see files.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from lab.sandbox.errors import FileFieldError, FileVersionError
from lab.sandbox.file_fields import LARGEST, FileFields
from lab.sandbox.files import build_content, dump_json, load_json, read_content
from lab.sandbox.scenario import State

FORMAT = "paged-kv-lab lecture"
VERSION = 1
MAX_SCENARIOS = 20
MAX_NAME = 60  # characters


def write_lecture(scenarios: Iterable[tuple[str, State]]) -> bytes:
    """Names and states as one file. Raises ScenarioFileTooLargeError if it would not be read again."""
    each = [{"name": name, "scenario": build_content(state)} for name, state in scenarios]
    return dump_json({"format": FORMAT, "version": VERSION, "scenarios": each})


def read_lecture(data: bytes) -> list[tuple[str, State]] | None:
    """Inverse of write_lecture; None if it is a file of another format. Raises what read_file raises. Runs nothing."""
    content = load_json(data)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return None
    fields = FileFields(content, "", {"format", "version", "scenarios"})
    if (version := fields.take("version", int)) != VERSION:
        raise FileVersionError(version=version if abs(version) <= LARGEST else -1, known=VERSION)
    found = [_read_entry(each, at) for at, each in fields.take_each("scenarios")]
    if not 0 < len(found) <= MAX_SCENARIOS:
        raise FileFieldError(where=f"scenarios[{MAX_SCENARIOS}]" if found else "scenarios")
    return found


def _read_entry(content: object, where: str) -> tuple[str, State]:
    fields = FileFields(content, where, {"name", "scenario"})
    name = fields.take("name", str, None, lambda text: 0 < len(text) <= MAX_NAME)
    return name, read_content(fields.content.get("scenario"), fields.path("scenario"))
