"""Reads somebody's own request lengths from a CSV file: one row a request, prompt tokens and output tokens.

Fields are separated by commas, semicolons or tabs: spreadsheets of many countries write semicolons.

Known column names are found wherever they stand (other columns are left alone); a file without a header must have
exactly two columns. What is refused names its row and column, never its text: a file may hold anything.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from lab.errors import LabError
from lab.workload import Lengths, Uploaded, pack

MAX_BYTES = 100 * 1000 * 1000
MAX_ROWS = 100_000
DELIMITERS = ",;\t"
SAMPLE = 2_000  # characters from the beginning of the file, to see which of them it has
MAX_NUMBER = 10_000_000  # tokens; a longer request than any model takes
PROMPT = {"prompt_tokens", "prompt", "input", "input_tokens", "contexttokens", "request tokens"}  # lower case
OUTPUT = {"output_tokens", "output", "generatedtokens", "response tokens"}


class WorkloadError(LabError):
    """The file is no list of request lengths. Each kind below has its own numbers."""

    code = "workload"
    message = "the file holds no request lengths"


class FileTooLargeError(WorkloadError):
    """More bytes than we read. Numbers: `megabytes`, `limit` (in millions of bytes)."""

    code = "workload_too_large"
    message = "{megabytes} MB, at most {limit}"


class NotTextError(WorkloadError):
    """The bytes are no UTF-8 text, or not split into rows and fields. No numbers."""

    code = "workload_not_text"
    message = "not a CSV file in UTF-8"


class NoRowsError(WorkloadError):
    """No request in it. No numbers."""

    code = "workload_empty"
    message = "no rows with numbers"


class TooManyRowsError(WorkloadError):
    """More requests than we read. Numbers: `limit` (rows)."""

    code = "workload_too_many_rows"
    message = "more than {limit} rows"


class ColumnsError(WorkloadError):
    """The two columns cannot be told. Numbers: `row` (1 is the first row of the file), `columns` (found in it)."""

    code = "workload_columns"
    message = "row {row} has {columns} columns; expected prompt_tokens and output_tokens"


class NotACountError(WorkloadError):
    """A field is not a whole number, or is beyond any length. Numbers: `row`, `column` (both from 1)."""

    code = "workload_not_a_count"
    message = "row {row}, column {column}: not a whole number"


class BelowOneError(WorkloadError):
    """A length is 0 or negative. Numbers: `row`, `column` (both from 1)."""

    code = "workload_below_one"
    message = "row {row}, column {column}: below 1"


def read_csv(data: bytes, name: str = "csv") -> Uploaded:
    """The requests in the file, in its order. Raises a WorkloadError; says nothing about rows after the first bad one.

    May take a second for the largest file.
    """
    if len(data) > MAX_BYTES:
        raise FileTooLargeError(megabytes=-(-len(data) // 1_000_000), limit=MAX_BYTES // 1_000_000)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotTextError from error
    if "\0" in text:
        raise NotTextError
    found = list(_requests(_rows(text)))
    if not found:
        raise NoRowsError
    return pack(name, found)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Number (from 1) and fields of each row that is not blank."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        for number, fields in enumerate(reader, 1):
            if any(field.strip() for field in fields):
                yield number, fields
    except csv.Error as error:
        raise NotTextError from error


def _delimiter(text: str) -> str:
    """What separates the fields, as far as the beginning of the text shows it."""
    try:
        return csv.Sniffer().sniff(text[:SAMPLE], DELIMITERS).delimiter
    except csv.Error:
        return DELIMITERS[0]


def _requests(rows: Iterator[tuple[int, list[str]]]) -> Iterator[Lengths]:
    """One Lengths for each row; the first row may be a header."""
    width, columns, count = 0, (0, 1), 0
    for row, fields in rows:
        if not width:
            width = len(fields)
            header = [field.strip().lower() for field in fields]
            named = (_only(header, PROMPT), _only(header, OUTPUT))
            if named[0] is not None and named[1] is not None:
                columns = (named[0], named[1])
                continue
            if width != 2 or not any(_number(field) is not None for field in fields):
                raise ColumnsError(row=row, columns=width)
        if len(fields) != width:
            raise ColumnsError(row=row, columns=len(fields))
        if count == MAX_ROWS:
            raise TooManyRowsError(limit=MAX_ROWS)
        count += 1
        yield Lengths(_count(fields[columns[0]], row, columns[0]), _count(fields[columns[1]], row, columns[1]))


def _only(header: list[str], names: Iterable[str]) -> int | None:
    """Where the one column with such a name is; None if there is none, or more than one."""
    found = [i for i, field in enumerate(header) if field in names]
    return found[0] if len(found) == 1 else None


def _number(field: str) -> int | None:
    """The whole number in a field (2.0 is one, too), or None."""
    text = field.strip()
    digits = text.removesuffix(".0").lstrip("+-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12 and len(text) <= len(digits) + 3):
        return None
    return -int(digits) if text.startswith("-") else int(digits)


def _count(field: str, row: int, column: int) -> int:
    number = _number(field)
    if number is None or number > MAX_NUMBER:
        raise NotACountError(row=row, column=column + 1)
    if number < 1:
        raise BelowOneError(row=row, column=column + 1)
    return number
