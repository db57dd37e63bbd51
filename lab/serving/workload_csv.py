"""The rows of a CSV file of request lengths. Fields are separated by commas, semicolons or tabs, because spreadsheets
in many countries write semicolons.

Known column names are found at any position and other columns are ignored; a file without names must have exactly two
columns.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import chain

from lab.serving.workload_columns import Columns, find, parse_whole_number
from lab.serving.workload_errors import ColumnsError, FieldTooLongError, NamesError, NoRowsError, QuotesError

DELIMITERS = ",;\t"
SEPARATOR = {f"sep={each}": each for each in DELIMITERS}  # the line that tells a spreadsheet the separator
Row = tuple[int, str, str]  # its number from 1, and its two fields


def read_csv(first: str, lines: Iterator[str], number: int) -> tuple[Columns, Iterator[Row]]:
    """The columns that hold the lengths, and the rows below their names. `first`: the first line that is not blank,
    `number`: its line number. Raises a WorkloadError now or while the rows are read."""
    delimiter = SEPARATOR.get(first.strip())
    if delimiter is None:
        delimiter, lines = _find_delimiter(first), chain([first], lines)
    else:
        number += 1
    rows = _read_records(lines, delimiter, number)
    row, fields = next(rows, (0, []))
    if not row:
        raise NoRowsError
    width = len(fields)
    if (at := find(fields)) is not None:
        columns = Columns(fields[at[0]].strip(), fields[at[1]].strip(), (at[0] + 1, at[1] + 1))
    elif width == 2 and any(parse_whole_number(field) is not None for field in fields):
        at, columns, rows = (0, 1), Columns("", "", (1, 2)), chain([(row, fields)], rows)
    else:
        raise NamesError(row=row, columns=width)
    return columns, _choose_columns(rows, at, width)


def has_column_names(line: str) -> bool:
    """Is this the first line of a CSV file that names both columns? Pure."""
    return any(find(_split(line, delimiter)) is not None for delimiter in DELIMITERS)


def _split(line: str, delimiter: str) -> list[str]:
    """The fields of a line; empty if it cannot be read alone, which is reported when the rows are read."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _find_delimiter(line: str) -> str:
    """The delimiter that fits the first line best: it gives both names, else two numbers, else most fields.

    csv.Sniffer guesses from the rows, and text in them misleads it."""

    def fits(delimiter: str) -> tuple[bool, int, int]:
        fields = _split(line, delimiter)
        numbers = sum(parse_whole_number(field) is not None for field in fields)
        return find(fields) is not None, numbers if len(fields) == 2 else 0, len(fields)

    return max(DELIMITERS, key=fits)


def _read_records(lines: Iterator[str], delimiter: str, number: int) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each row that is not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                yield number, fields
            number += 1
    except csv.Error as error:
        if "field limit" in str(error):
            raise FieldTooLongError(row=number, limit=csv.field_size_limit()) from error
        raise QuotesError(row=number) from error  # the only other error that csv can raise here


def _choose_columns(rows: Iterator[tuple[int, list[str]]], at: tuple[int, int], width: int) -> Iterator[Row]:
    for row, fields in rows:
        if len(fields) != width:
            raise ColumnsError(row=row, columns=len(fields), expected=width)
        yield row, fields[at[0]], fields[at[1]]
