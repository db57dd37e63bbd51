"""Why a file of request lengths cannot be read. Errors name the place, never the text: a file may hold anything."""

from __future__ import annotations

from lab.engine.errors import LabError


class WorkloadError(LabError):
    """The file is not a list of request lengths. Each kind below has its own numbers; rows count from 1."""

    code = "workload"
    message = "the file holds no request lengths"


class FileTooLargeError(WorkloadError):
    """The file has more bytes than the lab reads. Numbers: `megabytes`, `limit` (in millions of bytes)."""

    code = "workload_too_large"
    message = "{megabytes} MB, at most {limit}"


class UnpackedTooLargeError(WorkloadError):
    """The unpacked file has more bytes than the lab reads. Numbers: `limit` (in millions of bytes)."""

    code = "workload_unpacked_too_large"
    message = "more than {limit} MB when unpacked"


class NotUnpackedError(WorkloadError):
    """The file begins like gzip and is damaged or cut off. No numbers."""

    code = "workload_not_unpacked"
    message = "not a whole gzip file"


class NotTextError(WorkloadError):
    """The bytes are not UTF-8 text. No numbers."""

    code = "workload_not_text"
    message = "not text in UTF-8"


class QuotesError(WorkloadError):
    """A quoted field does not end, or goes on after its closing quote. Numbers: `row` (where the row begins)."""

    code = "workload_quotes"
    message = "row {row}: a quoted field is not closed, or goes on after its closing quote"


class FieldTooLongError(WorkloadError):
    """A field has more characters than Python's csv reader accepts. Numbers: `row`, `limit`."""

    code = "workload_field_too_long"
    message = "row {row}: a field has more than {limit} characters"


class NotJSONError(WorkloadError):
    """The file begins like JSON lines, and a line is not an object. Numbers: `row`."""

    code = "workload_not_json"
    message = "row {row}: not a JSON object in one line"


class NoRowsError(WorkloadError):
    """The file has no requests. No numbers."""

    code = "workload_empty"
    message = "no rows with numbers"


class AllFailedError(WorkloadError):
    """Every request in the file has 0 output tokens. Numbers: `skipped`."""

    code = "workload_all_failed"
    message = "all {skipped} requests have 0 output tokens"


class TooManyRowsError(WorkloadError):
    """The file has more requests than the lab reads. Numbers: `limit` (rows)."""

    code = "workload_too_many_rows"
    message = "more than {limit} rows"


class NamesError(WorkloadError):
    """The first row does not show which two columns to read. Numbers: `row`, `columns` (found in it)."""

    code = "workload_names"
    message = "row {row} has {columns} columns, and no two of them are known to be the lengths"


class ColumnsError(WorkloadError):
    """A row has another number of columns than the first one. Numbers: `row`, `columns`, `expected`."""

    code = "workload_columns"
    message = "row {row} has {columns} columns, the first row {expected}"


class NotACountError(WorkloadError):
    """Not a whole number, or larger than any length. Numbers: `row`, `column` (its number from 1; in JSON its name)."""

    code = "workload_not_a_count"
    message = "row {row}, column {column}: not a whole number"


class BelowOneError(WorkloadError):
    """A length is 0 or negative, and not a failed request's output. Numbers: `row`, `column` as in NotACountError."""

    code = "workload_below_one"
    message = "row {row}, column {column}: below 1"
