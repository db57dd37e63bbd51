"""A run as text: parsing gives the same run back, and hostile text in a link is refused."""

from __future__ import annotations

from typing import get_args

import pytest

from lab.activities.attempt import MAX_TEXT, parse_cursor
from lab.activities.run import Run, encode_run
from lab.engine.errors import (
    InvalidFreeQueueError,
    InvalidLinkError,
    InvalidSizeError,
    LabError,
    LimitError,
    NoSuchOptionError,
)
from lab.trace.config import MAX_BLOCKS, MAX_OPERATIONS
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.presets import build_fresh_queue, build_task_config
from lessons.text.translations import get_translations
from tests.links import parse_run

PREDICTED = "4.used_P3-1-1-0-1-7-110000_aA.aB.tB"
KINDS = (Allocate, Append, AppendToken, CanAppend, MayAppend, Release)
DEFAULT = parse_run("2.task.4.used_3s.1s.1t.0t.1t.7t_").at((Allocate("A"), Allocate("B"), Append("B")))


def test_the_text_is_stable_and_the_earlier_one_still_opens() -> None:
    """A link that was sent to a class last week must still open, and so must one of last year."""
    assert encode_run(DEFAULT) == "2.task.4.used_3s.1s.1t.0t.1t.7t_aA.aB.tB"
    assert parse_run(PREDICTED) == parse_run(encode_run(DEFAULT)) == DEFAULT
    assert encode_run(Run.of_task(build_task_config(8, build_fresh_queue()))) == "2.task.8.fresh__"
    assert encode_run(Run.of_task(build_task_config(1, (2, 0, 1))).at((Release("B"),))) == "2.task.1.2-0-1__rB"
    steps = (AppendToken("B"), CanAppend("B"), MayAppend("B"), MayAppend("B"))
    assert encode_run(Run.of_task(build_task_config()).at(steps)) == "2.task.4.used__kB.cB.mB-2"
    assert set(KINDS) == set(get_args(Operation))


def test_an_earlier_run_at_block_size_2_is_no_text_of_today() -> None:
    """It begins like one."""
    for text in ("2.used__aA", "2.fresh_P3-1-1-0-1-7-110000_", "2.0-1-2__"):
        assert parse_run(text).config.block_size == 2


HOSTILE = {
    "empty": "",
    "two parts": "4.used_aA",
    "four parts": "4.used___aA",
    "markup": "<script>alert(1)</script>",
    "markup in the queue": "4.<b>used</b>__aA",
    "markup as an operation": "4.used__<img src=x>",
    "markdown": "4.used__[aA](javascript:alert(1))",
    "a NUL": "4.used\x00__aA",
    "a NUL in an operation": "4.used__aA\x00",
    "a right-to-left mark": "4.used__\u202eaA",
    "a right-to-left mark in the size": "\u200f4.used__",
    "a huge block_size": "9" * 1900 + ".used__",
    "a huge block id": "4." + "9" * 1900 + "__",
    "a huge answer": f"4.used_P{'9' * 1800}-1-1-0-1-7-110000_",
    "full-width digits": "４.used__aA",
    "Arabic-Indic digits": "٤.used__aA",
    "a superscript": "4.0-1-²__",
    "Arabic-Indic answers": "4.used_P٣-1-1-0-1-7-110000_",
    "full-width flags": "4.used_P3-1-1-0-1-7-１１００００_",
    "a sign": "+4.used__",
    "a negative size": "-4.used__",
    "a fraction": "4.5.used__",
    "an exponent": "1e1.used__",
    "a leading zero": "04.used__",
    "an underlined number": "1_0.used__",
    "a space": " 4.used__",
    "a line end": "4.used__aA\n",
    "a line end after the flags": "4.used_P3-1-1-0-1-7-110000\n_",
    "no size": ".used__",
    "no queue": "4.__",
    "an unknown queue": "4.USED__",
    "an unknown operation": "4.used__xA",
    "an operation on nobody": "4.used__a",
    "a small letter": "4.used__aa",
    "a long name": "4.used__aA10",
    "a name in Greek": "4.used__aΑ",
    "a trailing dot": "4.used__aA.",
    "too few answers": "4.used_P3-1-1-0-1-110000_",
    "too many answers": "4.used_P3-1-1-0-1-7-7-110000_",
    "too few flags": "4.used_P3-1-1-0-1-7-11000_",
    "other flags": "4.used_P3-1-1-0-1-7-110002_",
    "an empty answer": "4.used_P-1-1-0-1-7-110000_",
    "another letter": "4.used_Q3-1-1-0-1-7-110000_",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_refused(text: str) -> None:
    """It does not describe a run, and the error does not repeat it."""
    with pytest.raises(InvalidLinkError) as refused:
        parse_run(text)
    assert not set("<>\x00\u202e") & set(str(refused.value))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("0.used__", InvalidSizeError),
        ("17.used__", LimitError),
        ("9999.used__", LimitError),
        ("4.0-0__", InvalidFreeQueueError),
        ("4.1-2-3__", InvalidFreeQueueError),
        ("4.0-1000__", LimitError),
        ("4." + "-".join(map(str, range(MAX_BLOCKS + 1))) + "__", LimitError),
        ("4.used_P1000-1-1-0-1-7-110000_", LimitError),
        ("4.used_P3-1-2-0-1-7-110000_", NoSuchOptionError),
        ("4.used__" + ".".join(["aA"] * (MAX_OPERATIONS + 1)), LimitError),
    ],
)
def test_a_readable_text_over_a_limit_is_refused_with_its_numbers(text: str, error: type[LabError]) -> None:
    """It has the form of a run, but the lab would never make this run."""
    with pytest.raises(error) as refused:
        parse_run(text)
    if error is LimitError:
        assert get_translations("en").has(f"errors.limit_names.{refused.value.numbers['name']}")


def test_a_text_that_is_too_long_is_not_even_looked_at() -> None:
    """Only its length counts, whether it is well formed or not."""
    longest = "4.used__" + ".".join(["aA"] * MAX_OPERATIONS)
    for text in (longest + ".aA" * 500, "x" * (MAX_TEXT + 1), "\x00" * 1_000_000):
        with pytest.raises(InvalidLinkError, match="too long"):
            parse_run(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "4", "-1", "1.0", "0.1", "01", "1.01", "+1", " 1", "1 ", "1\n", "1.2\n", "1.2.3", "1.-2", "1,2", "1.x"),
        *("٣", "３", "²", "1.٣", "<b>", "\x00", "1\x00", "\u202e1", "nan", "1e0", "0x1", "9" * 5000, "1." + "9" * 5000),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_a_hostile_cursor_is_refused(text: str) -> None:
    """The run has three operations, so 0..3 and 1.1, 1.2, ... are positions in it, and nothing else is."""
    with pytest.raises(InvalidLinkError):
        parse_cursor(text, DEFAULT.operations)
