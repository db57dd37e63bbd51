"""Read a learner's own request lengths from a file with one row a request: CSV (workload_csv.py) or JSON lines, either
of them also as gzip. The content decides the format, not the file's name.

Failed requests, which traces record with 0 output tokens, are left out and counted.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import chain

from lab.serving.workload import Lengths, Uploaded, pack
from lab.serving.workload_columns import MAX_NUMBER, Columns, find, parse_whole_number
from lab.serving.workload_csv import Row, has_column_names, read_csv
from lab.serving.workload_errors import (
    AllFailedError,
    BelowOneError,
    FileTooLargeError,
    NamesError,
    NoRowsError,
    NotACountError,
    NotJSONError,
    NotTextError,
    NotUnpackedError,
    TooManyRowsError,
    UnpackedTooLargeError,
)

MAX_BYTES = 100 * 1000 * 1000
MAX_UNPACKED = 50 * 1000 * 1000  # bytes; a small file can unpack to any size
MAX_ROWS = 100_000
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Reading:
    """The requests in the file's order, the columns they were in, and the number of failed requests left out."""

    workload: Uploaded
    columns: Columns
    skipped: int


def read_file(data: bytes, name: str = "file") -> Reading:
    """The requests in the file. Raises a WorkloadError for the first bad row and reads no further.

    May take a second for the largest file.
    """
    if len(data) > MAX_BYTES:
        raise FileTooLargeError(megabytes=-(-len(data) // 1_000_000), limit=MAX_BYTES // 1_000_000)
    lines = _read_lines(_unpack(data))
    number, first = next(((i, line) for i, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not number:
        raise NoRowsError
    is_json = first.lstrip().startswith("{") and not has_column_names(first)
    read = _read_json_lines if is_json else read_csv
    columns, rows = read(first, lines, number)
    requests: list[Lengths] = []
    skipped = 0
    for row in rows:
        if len(requests) + skipped == MAX_ROWS:
            raise TooManyRowsError(limit=MAX_ROWS)
        lengths = _read_lengths(row, columns)
        if lengths is None:
            skipped += 1
        else:
            requests.append(lengths)
    if not requests:
        raise AllFailedError(skipped=skipped) if skipped else NoRowsError
    return Reading(pack(name, requests), columns, skipped)


def _unpack(data: bytes) -> bytes:
    """The file's content, unpacked no further than MAX_UNPACKED."""
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.open(BytesIO(data)) as packed:
            content = packed.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NotUnpackedError from error
    if len(content) > MAX_UNPACKED:
        raise UnpackedTooLargeError(limit=MAX_UNPACKED // 1_000_000)
    return content


def _read_lines(data: bytes) -> Iterator[str]:
    """The lines of the text, with their ends."""
    try:
        for line in TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline=""):
            if "\0" in line:
                raise NotTextError
            yield line
    except UnicodeDecodeError as error:
        raise NotTextError from error


def _read_json_lines(first: str, lines: Iterator[str], number: int) -> tuple[Columns, Iterator[Row]]:
    """As read_csv; the names in the first object hold for all."""
    names = list(_parse_object(first, number))
    at = find(names)
    if at is None:
        raise NamesError(row=number, columns=len(names))
    prompt, output = names[at[0]], names[at[1]]

    def rows() -> Iterator[Row]:
        for row, line in enumerate(chain([first], lines), number):
            if line.strip():
                fields = _parse_object(line, row)
                yield row, _read_field(fields, prompt), _read_field(fields, output)

    return Columns(prompt.strip(), output.strip(), (prompt.strip(), output.strip())), rows()


def _parse_object(line: str, row: int) -> dict[str, object]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotJSONError(row=row) from error
    if not isinstance(fields, dict):
        raise NotJSONError(row=row)
    return fields


def _read_field(fields: dict[str, object], name: str) -> str:
    """A number or a text as it would be in a CSV file; empty if it is missing."""
    value = fields.get(name)
    return str(value) if isinstance(value, int | float | str) else ""


def _read_lengths(row: Row, columns: Columns) -> Lengths | None:
    """The request in this row; None for a failed request."""
    number, *fields = row
    counts = []
    for field, place in zip(fields, columns.places, strict=True):
        count = parse_whole_number(field)
        if count is None or count > MAX_NUMBER:
            raise NotACountError(row=number, column=place)
        counts.append(count)
    if counts[1] == 0:
        return None
    for count, place in zip(counts, columns.places, strict=True):
        if count < 1:
            raise BelowOneError(row=number, column=place)
    return Lengths(*counts)
