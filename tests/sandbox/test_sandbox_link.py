"""A scenario as a text for links: encoding and parsing are inverse, and other texts are refused."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest

from lab.engine.errors import (
    EmptyPromptError,
    InvalidFreeQueueError,
    InvalidLinkError,
    InvalidSizeError,
    LabError,
    LimitError,
    UnknownRequestError,
)
from lab.sandbox.errors import LinkTooLongError, SameAsError, VocabularyError
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import MAX_LINK, encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.config import MAX_OPERATIONS
from lab.trace.operations import parse_operation
from tests.links import parse_scenario
from tests.sandbox.sandbox_cases import PIECES, crowded, spoilt

ROOT = Path(__file__).parent.parent.parent
TEXT = "1.16.4.used.task_A.n11_B.sA-8.w5L2g5aW9.t77yB_aA.aB.tB-3.rA"
OPERATIONS = tuple(map(parse_operation, ["aA", "aB", "tB", "tB", "tB", "rA"]))
SCENARIO = Scenario(16, 4, "used", (RequestSpec("A", 11), RequestSpec("B", "你好", "A", 8, "！")), OPERATIONS, "task")


def test_the_text_is_the_one_that_links_already_carry() -> None:
    """A link that was sent to a class last week must still open."""
    assert encode_scenario(SCENARIO) == to_new(TEXT)
    assert parse_scenario(TEXT) == parse_scenario(to_new(TEXT)) == SCENARIO
    assert encode_scenario(Scenario(3, 1, (2, 0, 1), ())) == "2.sandbox.3.1.2-0-1__"


def test_every_prepared_scenario_has_a_short_link() -> None:
    """Short enough for a QR code that a phone can read from the back row."""
    for prepared in LIBRARY.values():
        assert parse_scenario(encode_scenario(prepared.scenario)) == prepared.scenario
        assert len(encode_scenario(prepared.scenario)) < 120


def test_a_state_that_is_too_long_is_for_a_file() -> None:
    """The refusal has the length and the limit."""
    operations = tuple(map(parse_operation, ["tA", "tB"] * (MAX_OPERATIONS // 2)))
    long = (RequestSpec("A", "读写 " * 64), RequestSpec("B", "写读 " * 64, then="再读 " * 32))
    scenario = Scenario(64, 4, tuple(range(64)), long, operations)
    with pytest.raises(LinkTooLongError) as refused:
        encode_scenario(scenario)
    assert refused.value.numbers["limit"] == MAX_LINK < int(refused.value.numbers["characters"])
    for length in (MAX_LINK, MAX_LINK + 1):
        with pytest.raises(InvalidLinkError):
            parse_scenario(TEXT + "x" * (length - len(TEXT)))


HOSTILE = {
    "empty": "",
    "no version": "16.4.used_A.n1_",
    "another version": "2.16.4.used_A.n1_",
    "no log": "1.16.4.used",
    "the log is a request": "1.16.4.used_A.n1",
    "markup": "<script>alert(1)</script>",
    "markup as a key": "1.16.4.used.<b>_A.n1_",
    "a NUL": "1.16.4.used\x00_A.n1_",
    "a line end": "1.16.4.used_A.n1_\n",
    "a line end in the pool": "1.16.4.used\n_A.n1_",
    "a line end in the log": "1.16.4.used_A.n1_aA\n",
    "a right-to-left mark": "1.16.4.used_A.n1_\u202eaA",
    "full-width digits": "1.１６.4.used_A.n1_",
    "Arabic-Indic digits": "1.16.٤.used_A.n1_",
    "a sign": "1.+16.4.used_A.n1_",
    "a leading zero": "1.016.4.used_A.n1_",
    "a huge number": f"1.{'9' * 1500}.4.used_A.n1_",
    "an unknown queue": "1.16.4.USED_A.n1_",
    "a huge queue": "1.16.4." + "9" * 1500 + "_A.n1_",
    "no request": "1.16.4.used__",
    "a small name": "1.16.4.used_a.n1_",
    "zero tokens": "1.16.4.used_A.n0_",
    "zero shared": "1.16.4.used_A.n1_B.sA-0.n1_",
    "text and number": "1.16.4.used_A.n1.wQQ_",
    "fields turned round": "1.16.4.used_A.n3_B.n1.sA-1_",
    "not base64": "1.16.4.used_A.w~_",
    "base64 of another alphabet": "1.16.4.used_A.w5L2g5aW9+_",
    "padded base64": "1.16.4.used_A.wQQ==_",
    "base64 with bits to spare": "1.16.4.used_A.wQR_",
    "base64 of no UTF-8": "1.16.4.used_A.w-~-~_",
    "a text that is not clean": "1.16.4.used_A.wICBBICA_",
    "an unknown operation": "1.16.4.used_A.n1_xA",
    "an operation on nobody": "1.16.4.used_A.n1_a",
    "once, said": "1.16.4.used_A.n1_aA-1",
    "never, said": "1.16.4.used_A.n1_aA-0",
    "not counted together": "1.16.4.used_A.n1_tA.tA",
    "counted twice": "1.16.4.used_A.n1_tA-2.tA-2",
    "a trailing dot": "1.16.4.used_A.n1_aA.",
    "a key in capitals": "1.16.4.used.TASK_A.n1_",
}


def to_new(text: str) -> str:
    """An earlier text in today's form: another beginning, and the place of the answers before the log."""
    setup, _, log = text.removeprefix("1.").rpartition("_")
    return f"2.sandbox.{setup}__{log}"


NEW_HOSTILE = [to_new(text) for text in HOSTILE.values() if text.startswith("1.")]


@pytest.mark.parametrize("text", [*HOSTILE.values(), *NEW_HOSTILE])
def test_a_hostile_text_is_refused(text: str) -> None:
    """It is not a text that encode_scenario writes, and the error does not repeat it."""
    with pytest.raises((InvalidLinkError, EmptyPromptError)) as refused:
        parse_scenario(text)
    assert not set("<>\x00\u202e\n") & set(str(refused.value))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1.0.4.used_", InvalidSizeError),
        ("1.65.4.used_", LimitError),
        ("1.9999.4.fresh_", LimitError),
        ("1.16.17.used_", LimitError),
        ("1.3.4.0-0-1_", InvalidFreeQueueError),
        ("1.16.4.used_A.n129_", LimitError),
        ("1.16.4.used_A.n1_B.sA-128.n1_", LimitError),
        ("1.16.4.used_B.sA-8_", SameAsError),
        ("1.16.4.used_" + "_".join(f"{name}.n128" for name in "ABCDEFGH") + "_", VocabularyError),
        ("1.16.4.used_A.n1_rB", UnknownRequestError),
        ("1.16.4.used_A.n1_aA-201", LimitError),
    ],
)
def test_a_readable_text_over_a_limit_is_refused_with_its_numbers(text: str, error: type[LabError]) -> None:
    """It has the form of a scenario, but the lab would never make this scenario."""
    with pytest.raises(error) as refused:
        parse_scenario(text)
    assert refused.value.numbers


def test_a_log_over_the_limit_is_not_written_out_first() -> None:
    """Parsing stops at the first count that is too large: this text asks for two million operations."""
    with pytest.raises(LimitError) as refused:
        parse_scenario("1.16.4.used_A.n1_" + ".".join(["aA-9999"] * 200))
    assert refused.value.numbers == {"name": "operations", "value": 9999, "limit": MAX_OPERATIONS}


def quickest(text: str) -> float:
    """Seconds of this process to parse the text, the best of five."""
    times = []
    for _ in range(5):
        start = process_time()
        with suppress(LabError):
            parse_scenario(text)
        times.append(process_time() - start)
    return min(times)


def test_ten_thousand_random_and_spoilt_texts() -> None:
    """A scenario or a LabError, never another exception, never slow; a parsed scenario can be encoded again."""
    rng = random.Random(20260426)
    whole = [TEXT, crowded(), *(encode_scenario(prepared.scenario) for prepared in LIBRARY.values())]
    read = 0
    slow: dict[str, float] = {}
    for i in range(10_000):
        pieces = rng.randint(0, 12)
        # The crowded text takes a hundred times as long as another, so it comes rarely.
        valid = whole[1] if i % 200 == 1 else rng.choice(whole[:1] + whole[2:])
        text = spoilt(valid, rng) if i % 2 else "".join(rng.choices(PIECES, k=pieces))
        start = process_time()
        try:
            scenario = parse_scenario(text)
        except LabError:
            pass
        else:
            read += 1
            assert encode_scenario(scenario) in (text, to_new(text))
        slow[text] = process_time() - start
    assert read > 50  # not all spoilt texts are refused; otherwise the test would cover one branch only
    slowest = [crowded(), *sorted(slow, key=slow.__getitem__)[-3:]]
    assert max(map(quickest, slowest)) < 0.05


def test_reading_a_link_or_a_file_does_not_wait_for_torch() -> None:
    """Neither does the list of prepared scenarios, so a page can show its texts before the engine is loaded."""
    modules = ", ".join(f"lab.sandbox.{name}" for name in ("scenario", "link", "files", "history", "library"))
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
