"""Why a file is not counted. `file` is its name, which is untrusted; rows count from 1, the line of names."""

from __future__ import annotations

from lab.engine.errors import LabError


class ReportFileError(LabError):
    """The file is no report that can be counted. Numbers: `file`; each kind below has more."""

    code = "report_file"
    message = "{file}: not counted"


class ReportTooLargeError(ReportFileError):
    """The file has more bytes than any report. Numbers: `file`, `kilobytes`, `limit` (in thousands of bytes)."""

    code = "report_too_large"
    message = "{file}: {kilobytes} KB, at most {limit}"


class ReportNotCsvError(ReportFileError):
    """The file is no text in UTF-8, no CSV from that row on, or has no column of a report. Numbers: `file`, `row`."""

    code = "report_not_csv"
    message = "{file}: row {row} is not CSV"


class ReportNamesError(ReportFileError):
    """The first row lacks names of columns, or has one twice. Numbers: `file`, `names`."""

    code = "report_names"
    message = "{file}: columns missing or doubled: {names}"


class OldReportError(ReportFileError):
    """The file is a report from before there were ids of questions and ideas. Numbers: `file`."""

    code = "report_old"
    message = "{file}: made by an older lab, without ids"


class ReportRowError(ReportFileError):
    """A row has another number of columns than the first one. Numbers: `file`, `row`, `columns`, `expected`."""

    code = "report_row"
    message = "{file}: row {row} has {columns} columns, the first row {expected}"


class ReportCellError(ReportFileError):
    """A cell holds nothing that a report writes there. Numbers: `file`, `row`, `column` (its name)."""

    code = "report_cell"
    message = "{file}: row {row}, column {column}"


class TooManyAnswersError(ReportFileError):
    """The file has more rows than any report. Numbers: `file`, `limit`."""

    code = "report_too_many_answers"
    message = "{file}: more than {limit} rows"


class NoAnswersError(ReportFileError):
    """The file has names of columns and no rows. Numbers: `file`."""

    code = "report_no_answers"
    message = "{file}: no answers"


class SameReportError(ReportFileError):
    """Another file holds exactly these answers. Numbers: `file`, `other` (that file's name)."""

    code = "report_same"
    message = "{file}: the same as {other}"


class SameStudentError(ReportFileError):
    """Another file of the same student has more rows, or as many and came later. Numbers: `file`, `other`."""

    code = "report_same_student"
    message = "{file}: the same student as {other}"


class TooManyReportsError(ReportFileError):
    """There are as many reports as are counted together. Numbers: `file`, `limit`."""

    code = "report_too_many"
    message = "{file}: {limit} are counted already"
